"""`yardstone tournament serve`: the desk of a tournament in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from yardstone.errors import MissingExtraError

__all__ = ["serve"]

#: Where the password may stand instead of on the command line, which others may see.
PASSWORD = "YARDSTONE_DESK_PASSWORD"


@dataclass(frozen=True)
class SiteOptions:
    """How the pages look, and who reaches them."""

    PANEL: ClassVar[str] = "Site"

    title: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Title of the pages. [default: the tournament's name]"),
    ] = ""
    footer: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Footer of every page: text, or a .txt or .md file."),
    ] = ""
    root_path: Annotated[
        str,
        typer.Option(metavar="PATH", help="Path under which a proxy serves it, such as /open."),
    ] = ""
    public_url: Annotated[
        str,
        typer.Option(metavar="URL", help="Address that players use, such as https://example.org."),
    ] = ""
    trusted_proxies: Annotated[
        str,
        typer.Option(
            metavar="NETWORKS", help="Proxies whose X-Forwarded-For to trust, separated by commas."
        ),
    ] = "127.0.0.1,::1"


def serve(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Tournament: OpenGotha XML.", show_default=False),
    ],
    *,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for the whole hall."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="NUMBER", help="Port to listen on; 0 takes any.")
    ] = 8000,
    password: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            envvar=PASSWORD,
            help="Password of the helpers. [default: made up and printed; none on 127.0.0.1]",
        ),
    ] = "",
    register: Annotated[
        Path | None,
        typer.Option("--list", metavar="FILE", help="Federation's list to enter players from."),
    ] = None,
    site: SiteOptions,
) -> None:
    """Run the desk of a tournament in the browser.

    Helpers enter players and results, pair rounds and print sheets, several at once;
    players read boards and standings on their phones. The file stays the only store.

    Examples
    --------
    yardstone tournament serve open.xml
    yardstone tournament serve open.xml --host 0.0.0.0 --password 'our own secret'
    """
    try:
        from yardstone.web.desk.serving import run_desk
        from yardstone.web.desk.settings import DeskSettings
        from yardstone.web.settings import footer_text
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "fastapi", "web") from None
    settings = DeskSettings(
        file=file,
        host=host,
        port=port,
        password=password,
        register=register,
        title=site.title,
        footer=footer_text(site.footer),
        root_path=site.root_path,
        public_url=site.public_url,
        trusted_proxies=site.trusted_proxies,
    ).with_password()
    run_desk(settings, lambda text: print(text, flush=True))
