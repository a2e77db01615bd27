"""What the server may be told, with all limits in one place.

A setting comes from the command line, else from the environment (``YARDSTONE_SERVE_PORT``), else
from a TOML file (``port = 8000``, limits in a table ``[limits]``), else from here.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from html import unescape
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any
from unicodedata import category

from markupsafe import Markup, escape

from yardstone.choices import check_choice, check_number, words
from yardstone.errors import InputError, UsageError
from yardstone.files import read_toml
from yardstone.go.nets.engines import device_names
from yardstone.records.ogs import CarefulClient, check_importers
from yardstone.web.kinds import KINDS

if TYPE_CHECKING:
    import ssl

#: What the names of environment variables begin with.
ENVIRONMENT = "YARDSTONE_SERVE_"
_MIB = 1 << 20
#: What the address of a database begins with.
_ADDRESSES = ("postgresql://", "postgres://", "postgresql+psycopg://")
#: Settings that name files, which may be called as no text can be.
_FILES = ("data", "database", "net", "gnubg", "calibration", "tls_certificate", "tls_key")
#: No limit is higher: what whole numbers a database and a clock can hold.
_HIGHEST = 1e15
_LONGEST_TITLE = 80
_LONGEST_FOOTER = 10_000
_OF_KINDS = {name: most for kind in KINDS.values() for name, most in kind.limits.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a visitor may ask for; all are counted while work goes on."""

    #: `file_bytes`, `request_bytes`: bytes of one file, and of all files of a request.
    file_bytes: int = 16 * _MIB
    request_bytes: int = 32 * _MIB
    files: int = 200  #: Files of a request.
    name_length: int = 120  #: Characters of a file's name that are kept.
    zip_entries: int = 2_000  #: Files in all archives of a request together.
    unpacked_bytes: int = 128 * _MIB  #: Bytes that all files may have when unpacked.
    ratio: float = 100.0  #: Times its own size that an archive or a compressed file may expand to.
    #: The limits of the kinds of job, each of which may be named as those here.
    kinds: Mapping[str, int] = field(default_factory=dict)
    players: int = 20  #: Players of a batch.
    seconds: int = 900  #: Seconds that a job may take; then its worker is killed.
    memory: int = 6_144  #: MiB that each process of a job may take; then the job ends.
    attempts: int = 3  #: How often a job is begun anew after its worker died.
    queue: int = 500  #: `queue`, `queue_client`: jobs that wait or run, in all and of one visitor.
    queue_client: int = 20
    #: `uploads`, `uploads_client`: requests with files that are received at the same time, in all
    #: and of one visitor.
    uploads: int = 100
    uploads_client: int = 8
    #: `upload_seconds`, `idle_seconds`: seconds that receiving a request may take, and that nothing
    #: may come.
    upload_seconds: int = 300
    idle_seconds: int = 30
    header_seconds: int = 15  #: Seconds in which a connection must say what it wants.
    #: `connections`, `connections_client`: connections in all, and those of one address that may
    #: wait without having sent a whole request; beyond these the longest silent one is closed.
    connections: int = 6_000
    connections_client: int = 400
    disk_bytes: int = 4_096 * _MIB  #: Bytes that all uploads together may take on the disk.
    disk_free: int = 256 * _MIB  #: Bytes that are free on a disk that is not called full.
    #: `requests`, `requests_client`: requests that are answered at the same time, in all and of one
    #: visitor; more are told to come again.
    requests: int = 1_000
    requests_client: int = 200
    #: `requests_minute`, `posts_minute`: requests of one visitor a minute, and those of them that
    #: change something.
    requests_minute: int = 600
    posts_minute: int = 60
    #: `import_games`, `import_bytes`, `import_seconds`: games that are fetched for a user's name,
    #: bytes of one, and seconds for all.
    import_games: int = 20
    import_bytes: int = _MIB
    import_seconds: int = 120
    imports_hour: int = 10  #: Names of one visitor an hour.
    #: `streams`, `streams_client`: streams of events that are open at the same time, in all and of
    #: one visitor.
    streams: int = 200
    streams_client: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", {**_OF_KINDS, **self.kinds})
        for name, value in self.as_plain().items():
            check_number(f"limit {name}", value, above=0, most=_HIGHEST)

    def as_plain(self) -> dict[str, float]:
        """All limits by name."""
        plain: dict[str, Any] = {}
        for name, value in asdict(self).items():
            plain |= value if name == "kinds" else {name: value}
        return plain

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Limits:
        """Limits with some that are named as `as_plain` names them."""
        kinds = {name: value for name, value in values.items() if name in _OF_KINDS}
        return cls(**{name: values[name] for name in values.keys() - kinds.keys()}, kinds=kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """How pages are served, by the server or by a desk."""

    host: str = "127.0.0.1"  #: `host`, `port`: where it listens; port 0 takes a free one.
    port: int = 8000
    #: `tls_certificate`, `tls_key`: files in PEM to speak TLS with; without them a proxy does.
    tls_certificate: str = ""
    tls_key: str = ""  #: Not needed where the certificate's file holds the key as well.
    root_path: str = ""  #: Path under which a proxy serves it, such as ``/strength``.
    public_url: str = ""  #: What addresses begin with, such as ``https://example.org``.
    #: Addresses and networks of proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are
    #: believed, with commas.
    trusted_proxies: str = "127.0.0.1,::1"
    title: str = ""  #: Of the site, on every page.
    #: On every page, such as imprint and privacy; where it names a file,
    #: `load_settings` takes its text.
    footer: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_text(each.name, getattr(self, each.name))
        check_number("port", self.port, least=0, most=65535, whole=True)
        if self.root_path and (not self.root_path.startswith("/") or self.root_path.endswith("/")):
            raise UsageError(f"root_path {self.root_path!r} must begin with / and not end with it")
        if self.public_url and not self.public_url.startswith(("http://", "https://")):
            raise UsageError(f"public_url {self.public_url!r} must begin with http:// or https://")
        if self.tls_key and not self.tls_certificate:
            raise UsageError("tls_key: name the file of its certificate as tls_certificate")
        networks("trusted_proxies", self.trusted_proxies)

    def tls(self) -> ssl.SSLContext | None:
        """The certificate to speak TLS with, if any; raises InputError where it cannot be used."""
        import ssl

        if not self.tls_certificate:
            return None
        certificate, key = self.tls_certificate, self.tls_key or self.tls_certificate
        for file in (certificate, key):
            _read(file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(certificate, key, password="")  # never asked for on a terminal
        except ssl.SSLError as error:
            other = error.reason == "KEY_VALUES_MISMATCH"
            reason = "its key is another one" if other else "no certificate and key can be read"
            hint = "write both in PEM, the key without a passphrase"
            raise InputError(reason, file=self.tls_certificate, hint=hint) from None
        return context

    def url(self, host: str, port: int) -> str:
        """The address of the first page at a host and port."""
        scheme = "https" if self.tls_certificate else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{self.root_path}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(SiteSettings):
    """How the server runs."""

    #: Folder of the jobs, their uploads and results; with a `database` elsewhere only of what
    #: arrives or is worked on.
    data: Path = Path("yardstone-served")
    #: Address of a PostgreSQL that holds them in its place, or a file whose first line is the
    #: address; `load_settings` puts the address here.
    database: str = field(default="", repr=False)
    workers: int = 1  #: Processes that compute.
    net: str = ""  #: KataGo's network for estimates: a file or a name.
    device: str = "auto"  #: What it is computed on, as `yardstone.go.nets.load_network` takes it.
    gnubg: str = ""  #: The program GNU Backgammon; looked for in the usual places if empty.
    allowed_hosts: str = ""  #: Host names that are answered, with commas; all if empty.
    #: Addresses and networks that may read ``/metrics``, with commas.
    metrics_from: str = "127.0.0.1,::1"
    keep_days: float = 30.0  #: Days until a result expires.
    #: `keep_choice_hours`, `keep_retry_hours`: hours that uploads are kept for a player to be
    #: chosen, and for another try after a failure that was not the visitor's.
    keep_choice_hours: float = 24.0
    keep_retry_hours: float = 1.0
    lease: float = 30.0  #: Seconds without a sign of life after which a worker counts as dead.
    cores: int = 0  #: Processors that the workers share; all if 0.
    #: How far workers step back for other processes, the server above all: 0 to 19.
    niceness: int = 10
    title: str = "Yardstone"
    #: Model of strength from moves: a name or a file, as for `strength estimate --model`; the
    #: default one if empty.
    model: str = ""
    #: A file of `yardstone strength calibrate --save`: estimates are shown on its scale as well.
    calibration: str = ""
    #: Servers of Go, with commas, whose users can be named in place of files: ``ogs``, or none if
    #: empty.
    importer: str = ""
    importer_url: str = ""  #: Where OGS is, if not at its usual address.

    def __post_init__(self) -> None:
        SiteSettings.__post_init__(self)
        for name, most in (("niceness", 19), ("workers", None)):
            check_number(name, getattr(self, name), least=0, most=most, whole=True)
        check_choice("device", self.device, device_names())
        for name in ("keep_days", "keep_choice_hours", "keep_retry_hours", "lease"):
            check_number(name, getattr(self, name), above=0.0)
        if not self.title.strip() or len(self.title) > _LONGEST_TITLE:
            raise UsageError(f"title: give 1 to {_LONGEST_TITLE} characters")
        check_importers(self.importers)
        if self.importer_url:
            CarefulClient(self.importer_url)
        networks("metrics_from", self.metrics_from)

    @property
    def importers(self) -> tuple[str, ...]:
        """Servers of Go whose users can be named."""
        return tuple(words(self.importer.lower()))

    @property
    def uploads(self) -> Path:
        """Folder of files that arrive."""
        return self.data / "uploads"

    def as_plain(self) -> dict[str, Any]:
        """All settings as plain values, to hand to another process."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**plain, "data": str(self.data), "limits": self.limits.as_plain()}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Settings:
        """The settings that `as_plain` gave."""
        parts = {"data": Path(values["data"]), "limits": Limits.of_plain(values["limits"])}
        return cls(**{**values, **parts})


def _check_text(name: str, value: object) -> None:
    """Refuse text that no page can show and no system takes as the name of a file."""
    text = str(value) if isinstance(value, str | Path) else ""
    lines = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    kinds = {category(letter) for letter in (lines if name == "footer" else text)}
    if "Cc" in kinds or ("Cs" in kinds and name not in _FILES):
        raise UsageError(f"{name}: {text!r} holds what is no text")


def networks(name: str, text: str) -> list[IPv4Network | IPv6Network]:
    """The networks that a setting lists; raises UsageError where something else stands."""
    made = []
    for part in words(text):
        try:
            made.append(ip_network(part, strict=False))
        except ValueError:
            raise UsageError(f"{name}: {part!r} is not an address or network") from None
    return made


def load_settings(
    file: Path | None = None,
    options: Mapping[str, Any] | None = None,
    texts: Mapping[str, str] = {},
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Put the settings together.

    Args:
        file: A TOML file.
        options: Settings by name that go before all others; those of None do not count.
        texts: Settings and limits as they are typed, which go before what stands elsewhere.
        environment: Variables of the environment; those of this process by default.

    Raises:
        InputError: The file cannot be read, or holds what is no setting.
        UsageError: A value is out of range, or a name is unknown.
    """
    environment = os.environ if environment is None else environment
    values, bounds = _of_file(file) if file is not None else ({}, {})
    for target, types in ((values, _SETTINGS), (bounds, _LIMITS)):
        for name, kind in types.items():
            if (variable := ENVIRONMENT + name.upper()) in environment:
                target[name] = _converted(kind, environment[variable], variable)
            if name in texts:
                target[name] = _converted(kind, texts[name], name)
    if unknown := texts.keys() - (_SETTINGS | _LIMITS).keys():
        raise UsageError(f"there is no limit {min(unknown)!r}, only {', '.join(_LIMITS)}")
    values |= {name: value for name, value in (options or {}).items() if value is not None}
    for name, value in values.items():
        _check_text(name, value)
    for name, read in (("data", Path), ("database", _address), ("footer", footer_text)):
        if name in values:
            values[name] = read(values[name])
    settings = Settings(**values, limits=Limits.of_plain(bounds))
    if settings.model or settings.calibration:
        _check_model(settings)
    return settings


def _address(text: str) -> str:
    """The address of a database, or that in the file it names; it may hold a password."""
    if not text:
        return text  # none
    if "://" not in text:
        text = next(iter(_read(text).split()), "")
    if not text.startswith(_ADDRESSES):
        raise UsageError("database: write postgresql://USER:PASSWORD@HOST/NAME")
    return text


def _read(path: str, most: int | None = None) -> str:
    try:
        return Path(path).read_bytes()[:most].decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except UnicodeDecodeError:
        raise InputError("this is not text in UTF-8", file=path) from None


def footer_text(text: str) -> str:
    """The text of a footer, or that of the file it names."""
    named = len(text) < 1000 and not any(letter.isspace() for letter in text)
    if named and text.lower().endswith((".txt", ".md")):
        text = _read(text, _LONGEST_FOOTER + 1)
    if len(text) > _LONGEST_FOOTER:
        raise UsageError(f"footer: give at most {_LONGEST_FOOTER:,} characters")
    footer_html(text)
    return text


def _check_model(settings: Settings) -> None:
    """Refuse a model or a calibration that cannot be used, before anyone waits for it."""
    from yardstone.strength.calibration import Calibration
    from yardstone.strength.model import default_model
    from yardstone.strength.players import model_network
    from yardstone.strength.strengths import supported_scales

    model = default_model(settings.model or None, settings.net or None)
    if settings.model:
        supported_scales(model, 0.9)
        model_network(model, settings.net or None, threads=1)
    if settings.calibration:
        Calibration.load(settings.calibration).check_model(model)


def _converted(kind: type, text: str, name: str) -> Any:
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        raise UsageError(f"{name}: {text!r} is not a number") from None


#: Names and types of what can be set.
_SETTINGS = {each.name: type(each.default) for each in fields(Settings) if each.name != "limits"}
_LIMITS = {name: type(value) for name, value in Limits().as_plain().items()}


def _of_file(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    values = read_toml(file)
    bounds = values.pop("limits", {})
    if not isinstance(bounds, dict):
        raise InputError("limits must be a table", file=str(file), hint="write [limits]")
    for table, types in ((values, _SETTINGS), (bounds, _LIMITS)):
        for name, value in table.items():
            if name not in types:
                raise InputError(f"there is no setting {name!r}", file=str(file))
            kinds = {int: (int,), float: (int, float)}.get(types[name], (str,))
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise InputError(f"{name}: {value!r} is of the wrong kind", file=str(file))
    return values, bounds


#: ``[words](address)`` and ``**words**``.
_MARKUP = re.compile(r"\[([^\]\n]+)\]\(([^()\s]+)\)|\*\*([^*\n]+)\*\*")
#: Where links of a footer may lead: other sites, letters, and pages of this one.
_TARGET = re.compile(r"https?://[^\s\"'<>]+|mailto:[^\s\"'<>]+|/(?!/)[^\s\"'<>]*")


@cache
def footer_html(text: str) -> Markup:
    """A footer as HTML: paragraphs, links and bold words; all else stays text.

    Blank lines part paragraphs; ``[words](address)`` is a link to ``https:``, ``http:``,
    ``mailto:`` or a path of this site, ``**words**`` is bold.
    Raises UsageError if one leads elsewhere.

    Examples:
        >>> print(footer_html("Run by **Ann**. [Imprint](https://example.org/imprint)"))
        <p>Run by <strong>Ann</strong>. <a href="https://example.org/imprint">Imprint</a></p>
    """

    def inline(match: re.Match[str]) -> str:
        words, target, bold = match.groups()
        if bold:
            return f"<strong>{bold}</strong>"
        if not _TARGET.fullmatch(unescape(target)):
            raise UsageError(
                f"footer: a link to {unescape(target)!r}: write https://…, mailto:… or a path such "
                "as /terms"
            )
        return f'<a href="{target}">{words}</a>'

    paragraphs = [escape(part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    return Markup("\n".join(f"<p>{_MARKUP.sub(inline, str(part))}</p>" for part in paragraphs))


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **getattr(record, "values", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # The trace tells where; the message could hold what a visitor wrote.
            line["error"] = record.exc_info[0].__name__
            trace = extract_tb(record.exc_info[2])[-12:]
            line["trace"] = [f"{Path(e.filename).name}:{e.lineno} {e.name}" for e in trace]
        return json.dumps(line, ensure_ascii=True)


def configure_log(level: int = logging.INFO) -> None:
    """Have everything logged on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # What visitors send is told elsewhere.
    logging.getLogger("python_multipart").setLevel(logging.ERROR)


def log_event(logger: logging.Logger, name: str, **values: Any) -> None:
    """Log something that happened, with plain values; None values are left out."""
    known = {key: value for key, value in values.items() if value is not None}
    logger.info(name, extra={"values": known})
