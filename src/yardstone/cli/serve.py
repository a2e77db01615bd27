"""`yardstone serve`: the page that answers "how strong am I?", and its interface."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from yardstone.cli.declare import bundle, option
from yardstone.errors import MissingExtraError, UsageError

__all__ = ["serve"]


@bundle
class ServerOptions:
    """Settings of `yardstone.web.settings` by their names; None leaves one to file or default."""

    host: str | None = option(None, "Address to listen on. [default: 127.0.0.1]", metavar="ADDRESS")
    port: int | None = option(
        None, "Port to listen on; 0 takes any. [default: 8000]", metavar="NUMBER"
    )
    workers: int | None = option(None, "Worker processes. [default: 1]", metavar="NUMBER")
    data: Path | None = option(
        None, "Folder for jobs and results. [default: yardstone-served]", metavar="FOLDER"
    )
    database: str | None = option(
        None,
        "PostgreSQL for jobs and results, shared by any number of servers and workers: "
        "postgresql://USER@HOST/NAME, or a file with the URL. [default: SQLite in --data]",
        metavar="URL",
    )
    net: str | None = option(
        None, "KataGo network for games of Go: a file or a name.", metavar="FILE"
    )
    device: str | None = option(
        None,
        "What to compute it on: auto, cpu, cuda or directml. [default: auto]",
        metavar="NAME",
        advanced=True,
    )
    gnubg: str | None = option(
        None, "Path of GNU Backgammon, if it is not found.", metavar="FILE", advanced=True
    )
    cores: int | None = option(
        None, "Processors shared by the workers; all by default.", metavar="NUMBER", advanced=True
    )
    keep_days: float | None = option(
        None, "Delete results after this many days. [default: 30]", metavar="DAYS", advanced=True
    )
    root_path: str | None = option(
        None,
        "Path under which a proxy serves the site, such as /strength.",
        metavar="PATH",
        advanced=True,
    )
    public_url: str | None = option(
        None,
        "Public address of the site, such as https://example.org.",
        metavar="URL",
        advanced=True,
    )
    trusted_proxies: str | None = option(
        None,
        "Proxies whose X-Forwarded-For to trust, separated by commas.",
        metavar="NETWORKS",
        advanced=True,
    )
    allowed_hosts: str | None = option(
        None, "Host names to answer, separated by commas.", metavar="NAMES", advanced=True
    )
    metrics_from: str | None = option(
        None,
        "Addresses that may read /metrics, separated by commas.",
        metavar="NETWORKS",
        advanced=True,
    )
    title: str | None = option(None, "Title of the site. [default: Yardstone]", metavar="TEXT")
    footer: str | None = option(
        None,
        "Footer of every page, such as an imprint: text, or a .txt or .md file.",
        metavar="TEXT",
        advanced=True,
    )
    model: str | None = option(
        None,
        "Model of strength from moves of Go. [default: joint]",
        metavar="NAME|FILE",
        advanced=True,
    )
    calibration: str | None = option(
        None,
        "Also show estimates on a site's scale, from `strength calibrate --save`.",
        metavar="FILE",
        advanced=True,
    )
    importer: str | None = option(
        None,
        "Let visitors name a user in place of files: ogs. Off by default.",
        metavar="NAMES",
        advanced=True,
    )
    importer_url: str | None = option(
        None, "Where OGS is. [default: https://online-go.com]", metavar="URL", advanced=True
    )


def serve(
    options: ServerOptions,
    only_workers: bool = option(
        False,
        "Start only workers, for a server that runs already.",
        "--only-workers",
        advanced=True,
    ),
    limit: list[str] | None = option(
        None, "Set a limit; --limits lists them. Repeatable.", metavar="NAME=VALUE"
    ),
    config: Path | None = option(None, "Read settings from this TOML file.", metavar="FILE"),
    show_limits: bool = option(
        False, "List the limits with their values and exit.", "--limits", advanced=True
    ),
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
