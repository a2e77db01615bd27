"""`yardstone serve`: the page that answers "how strong am I?", and its interface."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from yardstone.cli.declare import ADVANCED
from yardstone.errors import MissingExtraError, UsageError

__all__ = ["serve"]


@dataclass(frozen=True)
class ServerOptions:
    """Settings of `yardstone.web.settings` by their names; None leaves one to file or default."""

    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen on. [default: 127.0.0.1]"),
    ] = None
    port: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Port to listen on; 0 takes any. [default: 8000]"),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Worker processes. [default: 1]"),
    ] = None
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for jobs and results. [default: yardstone-served]"
        ),
    ] = None
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="PostgreSQL for jobs and results, shared by any number of servers and workers: "
            "postgresql://USER@HOST/NAME, or a file with the URL. [default: SQLite in --data]",
        ),
    ] = None
    net: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="KataGo network for games of Go: a file or a name."),
    ] = None
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to compute it on: auto, cpu, cuda or directml. [default: auto]",
        ),
        ADVANCED,
    ] = None
    gnubg: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Path of GNU Backgammon, if it is not found."),
        ADVANCED,
    ] = None
    cores: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Processors shared by the workers; all by default."),
        ADVANCED,
    ] = None
    keep_days: Annotated[
        float | None,
        typer.Option(metavar="DAYS", help="Delete results after this many days. [default: 30]"),
        ADVANCED,
    ] = None
    root_path: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Path under which a proxy serves the site, such as /strength."
        ),
        ADVANCED,
    ] = None
    public_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Public address of the site, such as https://example.org."
        ),
        ADVANCED,
    ] = None
    trusted_proxies: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORKS", help="Proxies whose X-Forwarded-For to trust, separated by commas."
        ),
        ADVANCED,
    ] = None
    allowed_hosts: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Host names to answer, separated by commas."),
        ADVANCED,
    ] = None
    metrics_from: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORKS", help="Addresses that may read /metrics, separated by commas."
        ),
        ADVANCED,
    ] = None
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the site. [default: Yardstone]")
    ] = None
    footer: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Footer of every page, such as an imprint: text, or a .txt or .md file.",
        ),
        ADVANCED,
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="Model of strength from moves of Go. [default: joint]"
        ),
        ADVANCED,
    ] = None
    calibration: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also show estimates on a site's scale, from `strength calibrate --save`.",
        ),
        ADVANCED,
    ] = None
    importer: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Let visitors name a user in place of files: ogs. Off by default.",
        ),
        ADVANCED,
    ] = None
    importer_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where OGS is. [default: https://online-go.com]"),
        ADVANCED,
    ] = None


def serve(
    options: ServerOptions,
    only_workers: Annotated[
        bool,
        typer.Option("--only-workers", help="Start only workers, for a server that runs already."),
        ADVANCED,
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Set a limit; --limits lists them. Repeatable."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read settings from this TOML file.")
    ] = None,
    show_limits: Annotated[
        bool, typer.Option("--limits", help="List the limits with their values and exit."), ADVANCED
    ] = False,
) -> None:
    """Run the web server: pages that measure strength, and an API.

    Drop games of Go, results of any game or matches of backgammon, and see where
    you stand. One command starts the server and its workers; Ctrl-C ends them, and
    what was not done is done at the next start.

    Examples
    --------
    yardstone serve
    yardstone serve --port 80 --host 0.0.0.0 --workers 2 --data /var/lib/yardstone
    yardstone serve --config serve.toml --limit file_bytes=4000000
    yardstone serve --only-workers --database /run/secrets/database
    """
    from yardstone.web.settings import load_settings

    settings = load_settings(config, asdict(options), _pairs(limit or []))
    if show_limits:
        for name, value in settings.limits.as_plain().items():
            print(f"{name} = {value:,}".replace(",", "_"))
        return
    _run(settings, serve=not only_workers)


def _pairs(texts: list[str]) -> dict[str, str]:
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--limit {text}: write NAME=VALUE")
        values[name.strip()] = value.strip()
    return values


def _run(settings: Any, *, serve: bool) -> None:
    import signal
    import sys

    try:
        from yardstone.web.settings import configure_log
        from yardstone.web.supervisor import Supervisor

        if serve:
            import uvicorn  # noqa: F401  # the process of the server needs it
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "fastapi", "web") from None
    configure_log()
    supervisor = Supervisor(settings, serve=serve)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: supervisor.stop())
    workers = f"{settings.workers} worker{'s' if settings.workers != 1 else ''}"
    if supervisor.address:
        print(f"Yardstone answers at {supervisor.address} ({workers}; Ctrl-C ends it)", flush=True)
    else:
        print(f"{workers} for {supervisor.place} (Ctrl-C ends it)", file=sys.stderr)
    supervisor.run()
