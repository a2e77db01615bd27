"""`yardstone serve`: the page that answers "how strong am I?", and its interface."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from yardstone.choices import plural
from yardstone.cli.declare import bundle, flag, named_values, option
from yardstone.errors import MissingExtraError


@bundle
class TlsOptions:
    """Files of one's own to speak TLS with."""

    tls_certificate: str | None = option(
        "Speak HTTPS with this certificate (PEM), without a proxy.", metavar="FILE"
    )
    tls_key: str | None = option("Key of that certificate (PEM).", metavar="FILE")


@bundle
class _ServerOptions:
    """Settings of `yardstone.web.settings` by their names; None leaves one to file or default."""

    host: str | None = option("Address to listen on. [default: 127.0.0.1]", metavar="ADDRESS")
    port: int | None = option("Port to listen on; 0 takes any. [default: 8000]")
    workers: int | None = option("Worker processes. [default: 1]")
    data: Path | None = option(
        "Folder for jobs and results. [default: yardstone-served]", metavar="FOLDER"
    )
    database: str | None = option(
        "PostgreSQL for jobs and results, shared by any number of servers and workers: "
        "postgresql://USER@HOST/NAME, or a file with the URL. [default: SQLite in --data]",
        metavar="URL",
    )
    net: str | None = option("KataGo network for games of Go: a file or a name.", metavar="FILE")
    title: str | None = option("Title of the site. [default: Yardstone]")


def serve(
    options: _ServerOptions,
    tls: TlsOptions,
    only_workers: bool = flag("Start only workers, for a server that runs already.", advanced=True),
    settings: list[str] | None = option(
        "Set one of --limits, or device, gnubg, cores, keep_days, root_path, "
        "public_url, trusted_proxies, allowed_hosts, metrics_from, footer, model, calibration, "
        "importer or importer_url. Repeatable.",
        "--set",
        metavar="NAME=VALUE",
    ),
    config: Path | None = option("Read settings from this TOML file."),
    show_limits: bool = flag(
        "List the limits with their values and exit.", "--limits", advanced=True
    ),
) -> None:
    """Run the web server: pages that measure strength, and an API.

    Drop games of Go, results of any game or matches of backgammon, and see where
    you stand. One command starts the server and its workers; Ctrl-C ends them, and
    what was not done is done at the next start.

    Examples:
        yardstone serve
        yardstone serve --port 80 --host 0.0.0.0 --workers 2 --data /var/lib/yardstone
        yardstone serve --config serve.toml --set file_bytes=4000000
        yardstone serve --only-workers --database /run/secrets/database
    """
    import signal
    import sys

    from yardstone.cell import lacking
    from yardstone.web.settings import configure_log, load_settings

    loaded = load_settings(config, asdict(options) | asdict(tls), named_values(settings))
    if show_limits:
        for name, value in loaded.limits.as_plain().items():
            print(f"{name} = {value:,}".replace(",", "_"))
        return
    try:
        from yardstone.web.supervisor import Supervisor

        if not only_workers:
            import uvicorn  # noqa: F401  # the process of the server needs it
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "fastapi", "web") from None
    configure_log()
    supervisor = Supervisor(loaded, serve=not only_workers)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: supervisor.stop())
    if words := lacking():
        print(f"yardstone: jobs are not kept from {', '.join(words)} here", file=sys.stderr)
    workers = plural(loaded.workers, "worker")
    if supervisor.address:
        print(f"Yardstone answers at {supervisor.address} ({workers}; Ctrl-C ends it)", flush=True)
    else:
        print(f"{workers} for {supervisor.place} (Ctrl-C ends it)", file=sys.stderr)
    supervisor.run()
