"""What a server reads: its settings, and what visitors send."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.readers.archive import compressed, zips
from tests.fuzz.targets import Target, Wrong, copied
from yardstone.pool import SkipReport
from yardstone.web.kinds import KINDS
from yardstone.web.sent_files import look, unpack
from yardstone.web.settings import ENVIRONMENT, Settings, load_settings

_SETTINGS = ("port", "host", "data", "footer", "database", "calibration", "limits", "keep_days")


def read_settings(path: Path) -> None:
    _same(load_settings(path, environment={}))


def read_environment(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8", "surrogateescape").replace("\0", "").split("\n")
    pairs = (line.partition("=") for line in lines)
    _same(load_settings(environment={ENVIRONMENT + name: value for name, _, value in pairs}))


def _same(settings: Settings) -> None:
    """What another process is handed are the same settings."""
    if Settings.of_plain(settings.as_plain()) != settings:
        raise Wrong("settings do not come back")


def read_upload(path: Path) -> None:
    limits = Settings().limits
    place, label = copied(path, "upload", "0000"), "games.txt"
    place.with_suffix(".zip").unlink(missing_ok=True)
    format, _ = look(place, label, limits)
    formats = list(dict.fromkeys(name for kind in KINDS.values() for name in kind.formats))
    folder = path.with_name("unpacked")
    folder.mkdir(exist_ok=True)
    sent = [{"name": label, "format": format}]
    for file in unpack(place.parent, sent, formats, folder, limits, SkipReport()):
        if file.path is None or file.path.parent != folder:
            raise Wrong("a file lies elsewhere")


def uploads() -> dict[str, bytes]:
    return {
        **zips(),
        **compressed(),
        "plain.sgf": b"(;GM[1]FF[4]SZ[19]PB[A]PW[B]RE[B+R];B[pd];W[dd])",
        "plain.csv": b"white,black,result\nA,B,1-0\n",
    }


def environments() -> dict[str, bytes]:
    return {name: f"{name}=no-such-file.txt\n".encode() for name in ("FOOTER", "DATABASE")}


TARGETS = (
    Target("web-environment", read_environment, ".txt", words=_SETTINGS, made=environments),
    Target("web-settings", read_settings, ".toml", words=(*_SETTINGS, "[limits]", '"""', "=")),
    Target("web-upload", read_upload, made=uploads),
)
