"""How commands declare their options: bundles, values, panels of the help.

A command says what it takes in its signature: ``top: int = option("Show this many.", default=20)``,
or with an `Annotated` that several commands share. A bundle is a class of options that belong
together; a command takes it as an argument without a default, and the command line has its fields
in its place. A field that two bundles of a command have is one option. If a bundle has a `PANEL`,
its options stand together under that heading in the help. A bundle's `check` is called before the
command, and the one with `emit` shows the report that the command returns.

``--help`` shows the options that most people need, ``--help-all`` every one: what is `advanced`,
or has `ADVANCED` in its `Annotated`, is left to the latter; so are all of a bundle in an
`Annotated` with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial, wraps
from inspect import Parameter, signature
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.core import TyperArgument, TyperCommand

from yardstone.choices import check_choice, one_of
from yardstone.cli import be_quiet
from yardstone.cli.table import UNTRUSTED, Command, Family, about_of
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.ratings.joint import Prior, Relation

#: Marks what ``--help`` leaves to ``--help-all``.
ADVANCED = "advanced"
#: Where a context keeps that ``--help-all`` was asked for.
_SHOWS_ALL = "yardstone.help_all"


def _show_all(context: typer.Context, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[_SHOWS_ALL] = True
        print(context.get_help())
        raise typer.Exit


HelpAll = Annotated[bool, typer.Option("--help-all", is_eager=True, callback=_show_all)]


Value = TypeVar("Value")


class _Writes(NamedTuple):
    """What an option names to be written, if anything: see `option`."""

    what: str


@dataclass(frozen=True)
class _Declared:
    """An option or argument of a command: its default, and what typer is to know of it."""

    kind: Callable[..., Any]
    default: Any
    names: tuple[str, ...]
    more: Mapping[str, Any]
    advanced: bool = False
    is_flag: bool = False
    writes: str = ""  #: "file", "folder", or "beside" where other files beside it are written too

    def made(self, name: str, panel: str | None) -> tuple[Any, ...]:
        """What stands in the annotation of the parameter of this name."""
        names, more = self.names, {"rich_help_panel": panel, **self.more}
        full = next((each for each in names if each.startswith("--")), "")
        usual = f"--{name.replace('_', '-')}"
        if self.is_flag and not full:
            names = (usual, *names)
        if (read := more.pop("read", None)) is not None:
            more["callback"] = lambda value: _read(read, full or usual, value)
        part = self.kind(*names, **more)
        return (part, _Writes(self.writes), *([ADVANCED] if self.advanced else []))


def option(about: str, *names: str, default: Any = None, **more: Any) -> Any:
    """Declare an option of a command or bundle, in place of its default or in its `Annotated`.

    Args:
        about: What ``--help`` says of it.
        *names: Such as ``"--output", "-o"``; by default the name of the parameter.
        default: ``...`` where it must be given.
        **more: What `typer.Option` takes besides: `metavar`, where another word than ``NUMBER``,
            ``TEXT`` or ``FILE`` says more, `min`, `max`, `show_default`; `read`, which makes
            the value of the text and the name of the option; and `writes`, what it names to be
            written, by default a file if it is ``--output``: ``file``, ``folder`` or ``beside``.
    """
    writes = more.pop("writes", "file" if "--output" in names else "")
    return _Declared(typer.Option, default, names, {"help": about, **more}, writes=writes)


def advanced(about: str, *names: str, default: Any = None, **more: Any) -> Any:
    """Declare an option as `option` does, which only ``--help-all`` shows."""
    return replace(option(about, *names, default=default, **more), advanced=True)


def flag(about: str, *names: str, advanced: bool = False) -> Any:
    """Declare an option that is off unless it is given."""
    return replace(option(about, *names, default=False), is_flag=True, advanced=advanced)


def target(
    about: str,
    *names: str,
    endings: Collection[str] = (),
    advanced: bool = False,
    **more: Any,
) -> Any:
    """Declare a file to write: what is no place for it is refused before any work is done."""

    def checked(parameter: typer.CallbackParam, value: Path | None) -> Path | None:
        check_folder(value)
        check_ending(parameter.opts[0], value, endings)
        return value

    whole = {"callback": checked, "writes": "file", **more}
    return replace(option(about, *names, **whole), advanced=advanced)


def check_ending(
    option: str, path: Path | None, endings: Collection[str], *, hint: str = ""
) -> None:
    """Refuse a file whose ending is not one of those its option writes."""
    if path is not None and endings and path.suffix.lower() not in endings:
        known = one_of(endings).replace("'", "")
        raise UsageError(f"{option} {path}: the file must end in {known}{hint}")


def check_folder(path: Path | None) -> None:
    """Refuse what is no place for a file before any work is done."""
    if path is not None and not path.parent.is_dir():
        raise InputError("there is no such folder", file=str(path.parent))
    if path is not None and path.is_dir():
        raise InputError("this is a folder", file=str(path), hint="name a file")


def round_option(about: str, default: str = "the first without boards") -> Any:
    """Declare the option that names a round of a tournament; `default` says which else it is."""
    return option(f"{about} [default: {default}]", "--round", min=1)


def argument(about: str, *, default: Any = ..., **more: Any) -> Any:
    """Declare an argument as `option` does an option; it must be given unless it has a default."""
    writes = more.pop("writes", "")
    return _Declared(typer.Argument, default, (), {"help": about, **more}, writes=writes)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def bundle(kind: type[Value]) -> type[Value]:
    """Make a class of options a bundle: a frozen dataclass, made by keywords."""
    declared = {name: each for name, each in vars(kind).items() if isinstance(each, _Declared)}
    for name, each in declared.items():
        if each.default is ...:
            delattr(kind, name)
        else:
            setattr(kind, name, each.default)
    made = dataclass(frozen=True, kw_only=True)(kind)
    made._declared = {**getattr(made, "_declared", {}), **declared}  # type: ignore[attr-defined]
    return made


def given(options: Any) -> dict[str, Any]:
    """Return what is given of a bundle, by the names of its fields."""
    return {name: value for name, value in vars(options).items() if value is not None}


def _read(read: Callable[[str, str], Any], option: str, value: Any) -> Any:
    """Make the value of what was typed, of each part if it is a list."""
    if isinstance(value, list):
        return [read(text, option) for text in value]
    return None if value is None else read(value, option)


def _is_advanced(annotation: Any) -> bool:
    return ADVANCED in getattr(annotation, "__metadata__", ())


def _bare(annotation: Any) -> Any:
    return annotation.__origin__ if get_origin(annotation) is Annotated else annotation


def _parameter(name: str, annotation: Any, default: Any, panel: str | None = None) -> Parameter:
    """Return the parameter as typer has it: all that is declared in its annotation."""
    parts = getattr(annotation, "__metadata__", ())
    if isinstance(default, _Declared):
        parts, default = (default, *parts), default.default
    if default in (MISSING, ...):
        default = Parameter.empty
    kind = _bare(annotation)
    if any(isinstance(part, _Declared) and "read" in part.more for part in parts):
        many = any(get_origin(each) is list for each in (kind, *get_args(kind)))
        kind = list[str] | None if many else str | None
        default = str(default) if isinstance(default, int) else default
    for part in parts:
        made = part.made(name, panel) if isinstance(part, _Declared) else (part,)
        kind = Annotated[kind, *made]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def expanded(function: Callable[..., Any]) -> tuple[Callable[..., Any], frozenset[str]]:
    """Return the function with the fields of its bundles in their places, and what is advanced.

    The latter are names of parameters.
    """
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    bundles: dict[str, Any] = {n: _bare(hint) for n, hint in hints.items()}
    bundles = {name: kind for name, kind in bundles.items() if is_dataclass(kind)}
    parameters: dict[str, Parameter] = {}
    for name, parameter in signature(function).parameters.items():
        if name not in bundles:
            parameters[name] = _parameter(name, hints[name], parameter.default)
            continue
        taken = bundles[name]
        options = get_type_hints(taken, include_extras=True)
        for field in fields(taken):
            default = taken._declared.get(field.name, field.default)
            panel = getattr(taken, "PANEL", None)
            each = _parameter(field.name, options[field.name], default, panel)
            if _is_advanced(hints[name]):
                each = each.replace(annotation=Annotated[each.annotation, ADVANCED])
            parameters.pop(field.name, None)  # the last of two is listed in its place
            parameters[field.name] = each
    if "host" not in parameters and any(map(_names_files, parameters.values())):
        parameters[_UNTRUSTED] = _parameter(_UNTRUSTED, bool, _READS_IN_CELL, "Input")
    untrusted = _UNTRUSTED in parameters

    @wraps(function)
    def run(**values: Any) -> Any:
        if untrusted and values.pop(_UNTRUSTED):
            _enter_cell(values, parameters)
        made: dict[str, Any] = {}
        for name, kind in bundles.items():
            made[name] = kind(**{field.name: values[field.name] for field in fields(kind)})
        own = {name: values[name] for name in hints.keys() & values.keys() - bundles.keys()}
        for each in made.values():
            if hasattr(each, "check"):
                each.check()
        be_quiet(values.get("quiet", False))
        result = function(**own, **made)
        for each in made.values():
            if hasattr(each, "emit") and result is not None and not isinstance(result, int):
                return each.emit(result)
        return result

    help_all = Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll)
    declared = [*parameters.values(), help_all]
    run.__signature__ = signature(function).replace(parameters=declared)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in declared}
    del run.__wrapped__
    return run, frozenset(each.name for each in declared if _is_advanced(each.annotation))


#: The name of the parameter behind `UNTRUSTED`, and what it says.
_UNTRUSTED = UNTRUSTED.lstrip("-")
_READS_IN_CELL = flag(
    "Read files of strangers: the command can open no other file than those named, reach no "
    "network, and use no more than half of the memory and an hour of processor time.",
    advanced=True,
)
#: Arguments that are no files, as the help calls them.
_NO_FILES = ("GRADES", "ID", "NAME", "NAME...", "NETWORK", "SERVER")


def _names_files(parameter: Parameter) -> bool:
    """Whether this is an argument for files."""
    parts = getattr(parameter.annotation, "__metadata__", ())
    return any(
        isinstance(part, typer.models.ArgumentInfo) and part.metavar not in _NO_FILES
        for part in parts
    )


def _enter_cell(values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> None:
    """Confine the process to the files of a command."""
    from yardstone.cell import CellLimits, confine
    from yardstone.memory import usable_memory

    if values.get("engine") not in (None, "local"):
        raise UsageError(f"{UNTRUSTED} keeps the work on this machine: leave out --engine")
    targets = [
        path
        for name, value in values.items()
        for part in getattr(getattr(parameters.get(name), "annotation", None), "__metadata__", ())
        if isinstance(part, _Writes) and part.what and value is not None
        for path in _targets(part.what, value if isinstance(value, list) else [value])
    ]
    confine(values.values(), targets, CellLimits(memory=usable_memory()))


def _targets(what: str, paths: Iterable[Path]) -> Iterator[Path]:
    """The files that may be written, and the folders in which everything may."""
    for path in paths:
        if what == "folder" and path.suffix.lower() not in (".html", ".htm"):
            path.mkdir(parents=True, exist_ok=True)
            yield path
        elif what == "beside":
            yield path.absolute().parent
        elif not path.is_dir():  # which the command refuses
            yield path


def shows_all(context: Any) -> bool:
    """Return whether help is to show everything."""
    return _SHOWS_ALL in context.meta


#: A command with no more options than this shows them in one panel.
_FEW_OPTIONS = 12
#: The panel of options that have none.
_OWN = "Options"
#: The panel that stands last, for the few who need it.
LAST = "Memory and machines"
_TYPES = {
    **dict.fromkeys(("int", "int range", "float", "float range"), "NUMBER"),
    "str": "TEXT",
    "path": "FILE",
}
_TYPE = re.compile(r"<(?:list\[)?([A-Za-z ]+?)\]?>")
_RANGE = re.compile(r"(; |\[)[0-9.]*(?:<=?)?x[<>]=?[0-9.]+(?=\])")


#: Numbers as most people write them.
_NUMBERS = {int: r"-?(?:0|[1-9][0-9]{0,17})", float: r"-?[0-9]{1,17}(?:\.[0-9]{1,17})?"}


class Sparing:
    """A command that lets pydantic convert only what it is needed for.

    Typer makes a schema of each option with it, which takes longer than most commands. What is
    not plainly right is left to typer, and so are all messages.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, ``--help`` among them."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for each in parameters:
            typers = getattr(each, "get_runtime_param", None)
            if typers is not None and "get_runtime_param" not in vars(each):
                ours = SimpleNamespace(coerce=partial(_converted, typers))
                each.get_runtime_param = lambda ours=ours: ours
        return list(parameters)


def _converted(typers: Callable[[], Any], value: Any, param: Any, ctx: Any) -> Any:
    kind, about = param.type_descriptor.annotation, param.type_descriptor.parameter_info
    many = param.multiple or param.nargs == -1
    if value is None:
        return () if many else None
    if many and get_origin(kind) is list and isinstance(value, list | tuple):
        kind = get_args(kind)[0]
        with suppress(ValueError):
            return [_simple(kind, about, each) for each in value]
    elif not many:
        with suppress(ValueError):
            return _simple(kind, about, value)
    return typers().coerce(value, param=param, ctx=ctx)


def _simple(kind: Any, about: Any, value: Any) -> Any:
    """The value of a text, or of a default; raises ValueError where typer is to look at it."""
    if about.parser is None and kind in _NUMBERS and not about.clamp:
        if type(value) in (int, kind) or re.fullmatch(_NUMBERS[kind], str(value)):
            least, most = about.min, about.max
            if (least is None or kind(value) >= least) and (most is None or kind(value) <= most):
                return kind(value)
    elif about.parser is None and isinstance(value, str):
        if kind is str or (get_origin(kind) is Literal and value in get_args(kind)):
            return value
        checks = about.exists or about.writable or about.resolve_path or about.allow_dash
        if (
            kind is Path
            and about.file_okay
            and about.dir_okay
            and not checks
            and (os.access(value, os.R_OK) or not os.path.lexists(value))
        ):
            return Path(value)
    raise ValueError


class PanelledCommand(Sparing, TyperCommand):
    """A command whose help has its options in panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command, as people write them: ``FILES...``, ``[PATHS]...``."""
        pieces = super().collect_usage_pieces(ctx)
        return [str(piece).replace("{", "").replace("}", "") for piece in pieces]

    advanced: frozenset[str] = frozenset()

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what the command takes, each panel under its name."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], _OWN: []}
        parameters = sorted(self.get_params(ctx), key=_place)
        if not shows_all(ctx):
            parameters = [each for each in parameters if each.name not in self.advanced]
        few = sum(each.name != "help_all" for each in parameters) <= _FEW_OPTIONS
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if isinstance(parameter, TyperArgument):
                panels["Arguments"].append(_argument(record))
            elif parameter.name == "help_all":
                if self.advanced:
                    more = "" if shows_all(ctx) else f", {len(self.advanced)} more"
                    panels[_OWN].append(("--help-all", f"Show all options{more}."))
            else:
                panel = getattr(parameter, "rich_help_panel", None)
                panels.setdefault(panel if panel and not few else _OWN, []).append(_option(record))
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def _place(parameter: Any) -> int:
    """Order of the options: what few need after the rest, and ``--help`` at the end."""
    last = getattr(parameter, "rich_help_panel", None) == LAST
    return {"help": 2, "help_all": 3}.get(parameter.name, int(last))


def _argument(record: tuple[str, str]) -> tuple[str, str]:
    name, about = record
    name = re.sub(r" <[^>]*>$", "", name).replace("[", "").replace("]", "").replace("...", "")
    return name, about.replace("  [required]", "").strip()


def _option(record: tuple[str, str]) -> tuple[str, str]:
    name, about = record
    name = _TYPE.sub(lambda match: _TYPES.get(match[1].lower(), match[0]), name)
    name = name.replace("<", "").replace(">", "") if "|" in name else name
    about = _RANGE.sub(lambda match: "" if match[1] == "; " else "[", about)
    return name, about.replace("  []", "").strip()


def write_commands(
    formatter: Any,
    entries: Mapping[str, Command | Family],
    panels: Mapping[str, tuple[str, ...]],
) -> None:
    """Write the commands, each panel under its name."""
    width = max(map(len, entries))
    for panel, names in panels.items():
        with formatter.section(panel):
            formatter.write_dl([(name.ljust(width), about_of(entries[name])) for name in names])


def epilog(lines: Iterable[str]) -> str:
    """The examples at the end of a command's help, as they are typed."""
    return "\b\nExamples:" + "".join(f"\n  {line}" for line in lines)


#: What `--engine` once said of networks, and `--runtime` says now.
_RUNTIMES = ("auto", "onnxruntime", "openvino")


def _work_there(command: typer.Context, name: str | None) -> str | None:
    """Have all work of the command done by this engine, until the command ends."""
    if name in _RUNTIMES:
        raise UsageError(f"--engine {name}: what runs a network is named by --runtime")
    if name is not None and not command.resilient_parsing:
        from yardstone.parallel import context

        command.with_resource(context(engine=name))
    return name


def work_in(command: typer.Context, number: int | None) -> int | None:
    """Have all work of the command done by so many processes."""
    if number is not None and not command.resilient_parsing:
        from yardstone.parallel import context

        command.with_resource(context(workers=number))
    return number


Engine = Annotated[
    str | None,
    advanced(
        "Where to work: local, ray (all machines of the Ray that runs here, or one of its "
        "own), or ray://HOST:PORT. [default: local]",
        metavar="NAME",
        callback=_work_there,
        rich_help_panel=LAST,
    ),
]


@bundle
class WorkOptions:
    """Options of a command that works in several processes.

    Both hold for all that the command calls, which need not look at them.
    """

    PANEL: ClassVar[str] = LAST

    workers: int | None = advanced(
        "Processes to use; one per core by default.", min=1, callback=work_in
    )
    engine: Engine = None


def confidence(text: str, option: str = "--confidence") -> float:
    """A level in per cent (95, 95%) or below 1 (0.95), as a number from 0 to 1."""
    value = _number(text, option)
    level = value / 100.0 if value >= 1.0 else value
    if not 0.0 < level < 1.0:
        raise UsageError(f"{option}: a level lies between 0 and 100 %, {text} does not")
    return level


Confidence = Annotated[
    float,
    option("Confidence level of all intervals, in per cent.", read=confidence, metavar="LEVEL"),
]

Memory = Annotated[
    str | None,
    advanced(
        "Memory to work in, such as 2GB: more games than fit are read piece by piece. "
        "[default: half of what there is]",
        metavar="SIZE",
        rich_help_panel=LAST,
    ),
]

Seed = Annotated[int, advanced("Seed of all random choices.", min=0)]

Strict = Annotated[bool, flag("Stop at the first record that cannot be used.", advanced=True)]

Win = Annotated[
    str,
    option(
        "Model of winning: fitted (real tournaments), kaniuk, egf, goldis, elo (points), or "
        "a file from yardstone winprob fit --save.",
        metavar="NAME|FILE",
    ),
]


def named_values(texts: list[str] | None, *names: str) -> dict[str, str]:
    """What ``--set NAME=VALUE`` says; only of these `names`, if any are given."""
    values = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--set {text}: write NAME=VALUE")
        values[name.strip().replace("-", "_")] = value.strip()
    for name in values if names else ():
        check_choice("--set", name, names)
    return values


def plain_value(text: str) -> object:
    """A number, true, false, none, or the text itself."""
    words = {"none": None, "": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


#: Between a mean and its deviation.
_PLUS_MINUS = re.compile(r"±|\+/-|\+-|,|;")


def _number(text: str, what: str) -> float:
    try:
        value = float(text.strip().removesuffix("%").replace("−", "-"))
    except ValueError:
        raise UsageError(f"{what}: {text.strip()!r} is not a number") from None
    if not isfinite(value):
        raise UsageError(f"{what}: {text.strip()!r} is not a finite number")
    return value / 100.0 if text.strip().endswith("%") else value


def name_and_value(text: str, option: str, example: str) -> tuple[str, str]:
    """Split at the last equals sign: names may hold others."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} {text!r}: write it as {example}")
    return name.strip(), value


def _prior(text: str, what: str) -> Prior:
    from yardstone.ratings.joint import Prior

    parts = _PLUS_MINUS.split(text)
    if len(parts) != 2:
        raise UsageError(f"{what}: write a mean and a deviation, as in 2500±30 or 2500,30")
    return Prior(_number(parts[0], what), _number(parts[1], what))


def anchors(texts: Iterable[str]) -> tuple[dict[str, float], dict[str, Prior]]:
    """Fixed ratings, NAME=RATING, and those that are roughly known, NAME=RATING±DEVIATION."""
    fixed, loose = {}, {}
    for text in texts:
        name, value = name_and_value(text, "--anchor", "NAME=RATING or NAME=RATING±DEVIATION")
        if _PLUS_MINUS.search(value.strip()):
            loose[name] = _prior(value, f"--anchor {name}")
        else:
            fixed[name] = _number(value, f"--anchor {name}")
    return fixed, loose


def relations(texts: Iterable[str], players: Collection[str]) -> tuple[Relation, ...]:
    """Priors of differences: A>B=POINTS±DEVIATION. Names may hold a > themselves."""
    from yardstone.ratings.joint import Relation

    between = []
    for text in texts:
        names, value = name_and_value(text, "--relation", "A>B=POINTS±DEVIATION")
        places = [place for place, letter in enumerate(names) if letter == ">"]
        if not places:
            raise UsageError(f"--relation {text!r}: write it as A>B=POINTS±DEVIATION")
        splits = [(names[:place].strip(), names[place + 1 :].strip()) for place in places]
        known = [pair for pair in splits if pair[0] in players and pair[1] in players]
        player, other = (known or splits)[0]
        prior = _prior(value, f"--relation {names}")
        between.append(Relation(player, other, prior.mean, prior.deviation))
    return tuple(between)


def parameter(text: str, option: str) -> float | Literal["auto"] | Prior:
    """``auto``, a number, or a number with a deviation."""
    if text.strip().lower() in ("auto", "free"):
        return "auto"
    if _PLUS_MINUS.search(text.strip()):
        return _prior(text, option)
    return _number(text, option)


def stone(text: str, option: str) -> dict[str, Any]:
    """Parameters of `BradleyTerry` for handicaps: ``fit``, or the points of a stone."""
    from yardstone.ratings.egf import Handicap

    if text.strip().lower() == "fit":
        return {"handicap": Handicap(required=False), "fit_handicap": True}
    return {"handicap": Handicap(points=_number(text, option), required=False)}


def covariates(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Columns of covariates by name: COLUMN, NAME=COLUMN, or NAME=COLUMN,COLUMN."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, _, made_of = text.rpartition("=")
        parts = tuple(part.strip() for part in made_of.split(","))
        name = name.strip() or " - ".join(parts)
        if not all(parts) or len(parts) > 2 or len(set(parts)) < len(parts):
            raise UsageError(
                f"--covariate {text!r}: write it as COLUMN, or as NAME=COLUMN,COLUMN with one for "
                "each player"
            )
        if name in found:
            raise UsageError(f"--covariate: {name!r} is named twice")
        found[name] = parts
    return found


def columns(texts: Sequence[str]) -> dict[str, str] | None:
    """Columns of tables: first=White,second=Black,score=Result."""
    names = {}
    for part in (part for text in texts for part in text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--columns {part!r}: write it as first=NAME,second=NAME,score=NAME")
        if name.strip() in names:
            raise UsageError(f"--columns: {name.strip()!r} is named twice")
        names[name.strip()] = value.strip()
    return names or None
