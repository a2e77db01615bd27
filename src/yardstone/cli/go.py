"""`yardstone go`: games and positions as networks see them, and the networks themselves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from yardstone.cli.declare import (
    Engine,
    Strict,
    WorkOptions,
    advanced,
    argument,
    bundle,
    flag,
    option,
    target,
)
from yardstone.cli.output import (
    Document,
    Output,
    TableOutput,
    report_skipped,
    write_pieces,
)
from yardstone.errors import InputError, NoGamesError, UsageError

if TYPE_CHECKING:
    from yardstone.go.feature_store import FeatureStore
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.strength.model import StrengthModel

#: What `--rules` says if each game is to keep its own.
RECORD = "record"


def chosen_rules(text: str, option: str) -> Rules | None:
    """The rules that are named; None for those of each game."""
    from yardstone.go.rules import parse_rules

    if text.strip().lower() == RECORD:
        return None
    try:
        return parse_rules(text)
    except InputError as error:
        raise UsageError(f"{option}: {error.message} ({error.hint}, {RECORD})") from None


GamePaths = Annotated[
    list[str],
    argument(
        "SGF files, folders, patterns, zip archives, or - for standard input.", metavar="FILES"
    ),
]
Visits = Annotated[
    int | None,
    advanced(
        "Positions to search on either side of a move that seems to lose points; 0: none.", min=0
    ),
]
RecordRules = Annotated[
    Any,
    option(
        "Rules to tell the network, such as chinese; record: those of each game.",
        "--rules",
        read=chosen_rules,
        metavar="RULES",
    ),
]
Komi = Annotated[
    float | None, option("Komi for all games, instead of their own.", metavar="POINTS")
]
OutputFile = Annotated[Path | None, target("Write to this file.", "--output", "-o")]
Quiet = Annotated[
    bool, flag("Show no progress, and do not report what was skipped.", "-q", advanced=True)
]


@bundle
class _NetworkChoice:
    """Options that name a network, and how it is computed."""

    PANEL: ClassVar[str] = "Network"

    net: str | None = option(
        "KataGo network: a file, or a name shown by `yardstone go nets list`. [default: "
        "$YARDSTONE_NET, or the only one installed, or the included one]",
        metavar="FILE",
    )
    runtime: Literal["auto", "onnxruntime", "openvino"] = advanced(
        "What runs the network.", default="auto"
    )
    precision: Literal["fp32", "bf16"] = advanced(
        "Precision of the numbers; bf16 is faster and less exact.", default="fp32"
    )
    device: Literal["auto", "cpu", "cuda", "directml"] = option(
        "What to compute on; auto: a graphics card if one works.", default="auto"
    )


@bundle
class NetworkOptions(_NetworkChoice):
    """Options of a command that asks a network."""

    threads: int | None = advanced("Processors to use; all by default.", min=1)
    no_cache: bool = flag(
        "Ask the network anew about positions it was asked about before, and keep nothing.",
        advanced=True,
    )
    engine: Engine = None

    def as_arguments(self) -> dict[str, Any]:
        """The same as arguments of a function of the library."""
        return {
            "net": self.net,
            "engine": self.runtime,
            "precision": self.precision,
            "threads": self.threads,
            "cache": not self.no_cache,
            "device": self.device,
        }

    def load(self, default: str | None = None) -> Network:
        """The network; `default` is its name where none is given."""
        from yardstone.go.nets.network import load_network

        arguments = self.as_arguments()
        net = arguments.pop("net")
        return load_network(net or default, **arguments)

    def load_for(self, model: StrengthModel) -> Network:
        """The network that a rank model was made for, or the one named, if it is that."""
        from yardstone.strength.players import model_network

        return model_network(model, **self.as_arguments())


def evaluate(
    network: NetworkOptions,
    path: str = argument(
        "Positions as JSON lines, also compressed; - for standard input.",
        default="-",
        metavar="FILE",
    ),
    strict: Strict = False,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate positions, given as JSON lines, without searching.

    Each line is an object with the moves of a game: {"moves": [["b", "Q16"]],
    "to_play": "w", "rules": "japanese", "komi": 6.5}. It comes back with White's
    chances and lead, and the policy; a line that cannot be used with an error.

    Examples:
        yardstone go evaluate positions.jsonl -o evaluated.jsonl.gz
    """
    from yardstone.pool import SkipReport

    loaded = network.load()
    from yardstone.go.positions import evaluate_file

    skipped = SkipReport()
    rows = evaluate_file(path, loaded, skipped=skipped, strict=strict)
    try:
        write_pieces((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), output)
    except NoGamesError:
        report_skipped(skipped)
        raise
    report_skipped(skipped)


def _phases(text: str, option: str) -> tuple[int, int]:
    first, _, second = text.partition(",")
    try:
        return int(first), int(second)
    except ValueError:
        raise UsageError(f"{option} {text}: write two numbers of moves, as in 50,150") from None


def analyse(
    paths: GamePaths,
    network: NetworkOptions,
    output: Output,
    *,
    game: list[int] | None = option(
        "Analyse only this game, counted over all files. Repeatable.", min=1
    ),
    variations: bool = flag("Analyse every variation as a game of its own.", advanced=True),
    rules: RecordRules = "record",
    komi: Komi = None,
    phases: Any = advanced(
        "Last moves of the opening and of the middle game on 19x19.",
        default="50,150",
        read=_phases,
        metavar="MOVE,MOVE",
    ),
    mistake: float = advanced(
        "Points lost that count as a mistake.", default=3.0, metavar="POINTS"
    ),
    visits: Visits = None,
    top: int = option("Mistakes to list for each game.", default=10, min=0),
    moves: bool | None = option("List every move. [default: for a single game]"),
    strict: Strict = False,
) -> None:
    """Analyse games: winrate, lead, and the points each move lost.

    The network looks at each position once, and searches where a move seems to have cost
    something. Totals are by player and phase; CSV and JSON have every move.

    Examples:
        yardstone go analyse professional.sgf -o game.svg
        yardstone go analyse professional.sgf -o moves.csv
    """
    if not mistake > 0.0:
        raise UsageError(f"--mistake {mistake:g}: it must be more than 0")
    loaded = network.load()
    from yardstone.go.analysis import Phases, analyse_files
    from yardstone.go.losses import LossEffort
    from yardstone.reports.go import analysis_document

    result = analyse_files(
        paths,
        loaded,
        numbers=game or (),
        variations=variations,
        rules=rules,
        komi=komi,
        phases=Phases(*phases),
        mistake=mistake,
        effort=None if visits is None else LossEffort(visits),
        strict=strict,
    )
    every = len(result.games) == 1 if moves is None else moves
    output.emit(analysis_document(result, moves=every, top=top), skipped=result.skipped)


def judge(
    paths: GamePaths,
    network: NetworkOptions,
    output: TableOutput,
    *,
    sure: float = advanced(
        "Winrate from which a game is decided, 50 to 100.", default=60.0, metavar="PERCENT"
    ),
    rules: RecordRules = "record",
    komi: Komi = None,
    top: int = option("Number of games to list whose record disagrees.", default=20, min=0),
    strict: Strict = False,
) -> None:
    """Judge who won each game, and compare with the recorded result.

    The network looks at the last position, before the passes that end the game. A
    winner needs a winrate of 60 per cent: else the game is undecided. CSV and JSON
    have every game.

    Examples:
        yardstone go judge professional.sgf -o winners.csv
    """
    if not 50.0 <= sure <= 100.0:
        raise UsageError(f"--sure {sure:g}: it must be 50 to 100")
    loaded = network.load()
    from yardstone.go.analysis import judge_files
    from yardstone.reports.go import judgement_document

    result = judge_files(
        paths,
        loaded,
        sure=sure / 100.0,
        rules=rules,
        komi=komi,
        strict=strict,
    )
    output.emit(judgement_document(result, top=top), skipped=result.skipped)


_WHOLE_TRUNK_SIZE = 19


def features(
    paths: GamePaths,
    store: Path = option(
        "Folder of the store; created if need be.",
        "--output",
        "-o",
        default=...,
        metavar="STORE",
        writes="folder",
    ),
    *,
    network: _NetworkChoice,
    kinds: str = advanced(
        "What to keep besides the head features: pick, after, candidates, mean, trunk, or only "
        "head.",
        "--features",
        default="head,pick",
        metavar="KINDS",
    ),
    rules: Any = advanced(
        "Rules to tell the network for all games; record: those of each game.",
        default="tromp-taylor",
        read=chosen_rules,
        metavar="RULES",
    ),
    komi: Komi = None,
    size: int | None = advanced("Use only boards of this size.", metavar="LINES", min=2, max=19),
    symmetries: int = advanced(
        "Show the network each position in so many ways, turned, and average; takes that many "
        "times as long.",
        default=1,
        min=1,
        max=8,
    ),
    work: WorkOptions,
    batch: int = advanced(
        "Games per batch: a stopped run repeats at most one.", default=16, metavar="GAMES", min=1
    ),
    quiet: Quiet = False,
) -> None:
    """Extract the features of every move of many games.

    The same command goes on where it was stopped or killed, and gives the same bytes
    in the end. Games with illegal moves are left out and listed in skipped.csv.

    Examples:
        yardstone go features professional.sgf -o store --features head,pick
    """
    from yardstone.go.features import ExtractionSettings

    if "-" in paths:
        raise UsageError("the games are read twice: name files, not standard input")
    trunk = tuple(kind.strip() for kind in kinds.split(",") if kind.strip() not in ("head", ""))
    if "trunk" in trunk and size is None:
        size = _WHOLE_TRUNK_SIZE
    settings = ExtractionSettings(
        net=network.net,
        engine=network.runtime,
        precision=network.precision,
        trunk=trunk,
        rules=None if rules is None else str(rules),
        komi=komi,
        size=size,
        batch=batch,
        device=network.device,
        symmetries=symmetries,
    )
    if store.exists() and not store.is_dir():
        raise InputError("this is a file", file=str(store), hint="name a folder")
    from yardstone.go.features import extract_features
    from yardstone.records.sgf import SgfReader

    features_store = extract_features(lambda: SgfReader(*paths), store, settings)
    if not quiet:
        _report(features_store)


def _report(store: FeatureStore) -> None:
    from yardstone.go.rules import KNOWLEDGE
    from yardstone.reports.words import plural

    about = store.settings
    kinds = ", ".join(store.kinds)
    print(
        f"{plural(len(store), 'game')}, {plural(about['moves'], 'move')}: {kinds} "
        f"({about['channels']} channels of {about['network']}) in {store.path}"
    )
    if known := KNOWLEDGE.get(about["sha256"]):
        print(f"yardstone: {known.network} knows {known}: asked under no others", file=sys.stderr)
    if about["skipped"]:
        skipped = plural(about["skipped"], "record was", "records were")
        print(f"yardstone: {skipped} skipped: see {store.path / 'skipped.csv'}", file=sys.stderr)


def fetch(
    server: str = argument("Where the user plays: ogs.", metavar="SERVER"),
    user: str = argument("The user's name there.", metavar="NAME"),
    folder: Path = option(
        "Where to put the games.", "--output", "-o", default=Path("games"), metavar="FOLDER"
    ),
    games: int = option("How many of the latest games.", default=20),
    all_kinds: bool = flag("Handicap games and other boards as well.", advanced=True),
    url: str | None = advanced("Where OGS is. [default: https://online-go.com]", metavar="URL"),
) -> None:
    """Fetch the latest public games of a user of OGS as SGF files.

    Finished even games on 19x19, as `strength estimate` takes them. Two requests a
    second at most are made, and no account is needed.

    Examples:
        yardstone go fetch ogs NAME
        yardstone go fetch ogs NAME --games 50 -o games
    """
    from yardstone.records.ogs import OGS, GameSelection, check_importers, fetch_ogs_games
    from yardstone.reports.words import plural

    check_importers([server.lower()])
    selection = GameSelection(
        games=games,
        size=None if all_kinds else 19,
        even=not all_kinds,
        seconds=60.0 + 5.0 * games,
    )
    fetched = fetch_ogs_games(user, folder, selection=selection, url=url or OGS)
    for words in fetched.left_out:
        print(f"Left out: {words}", file=sys.stderr)
    print(f"{plural(len(fetched.files), 'game')} of {fetched.user} in {folder}")


Name = Annotated[str | None, option("Name to give it; by default the file's.", metavar="NAME")]
_Replace = Annotated[bool, flag("Replace another network of that name.", advanced=True)]


def list_(
    output: TableOutput,
    known: bool = flag("List the networks that `download` knows by name."),
) -> Document:
    """List the installed networks.

    Examples:
        yardstone go nets list
        yardstone go nets list --known
        yardstone go nets list --format json
    """
    from yardstone.go.nets.store import list_networks, networks_folder
    from yardstone.reports import go

    if known:
        return go.known_networks_document()
    return go.networks_document(list_networks(), networks_folder())


def add(
    file: Path = argument("KataGo network file.", metavar="FILE"),
    name: Name = None,
    replace: _Replace = False,
) -> None:
    """Install a network from a file.

    Examples:
        yardstone go nets add kata1-b18c384nbt-s9996604416-d4316597426.bin.gz --name b18
    """
    from yardstone.go.nets.store import add_network

    added = add_network(file, name=name, replace=replace)
    print(f"Added {added.name}: {added.path}")


def download(
    network: str = argument(
        "A name from `go nets list --known`, or an address.", metavar="NETWORK"
    ),
    name: Name = None,
    sha256: str | None = advanced("The SHA-256 of the file at an address.", metavar="SUM"),
    replace: _Replace = False,
    quiet: bool = flag("Show no progress.", "-q", advanced=True),
) -> None:
    """Download a network and verify it.

    An interrupted download is continued by the next call.

    Examples:
        yardstone go nets download b6c96
        yardstone go nets download https://host/net.bin.gz --sha256 3f2a...
    """
    from yardstone.go.nets.store import download_network

    kept = download_network(network, sha256=sha256, name=name, replace=replace)
    print(f"Downloaded {kept.name}: {kept.path}\nSHA-256 {kept.sha256}")


def show(
    output: TableOutput,
    network: str | None = argument(
        "A file, or the name of an installed network.", default=None, metavar="NETWORK"
    ),
) -> Document:
    """Describe a network.

    Without NETWORK it is the one that other commands would take.

    Examples:
        yardstone go nets show b6c96
        yardstone go nets show b6c96 --format json
    """
    from yardstone.go.nets.store import describe_file
    from yardstone.reports.go import network_document

    return network_document(describe_file(network))


def remove(
    names: list[str] = argument("Names of installed networks.", metavar="NAME..."),
) -> None:
    """Remove installed networks.

    Examples:
        yardstone go nets remove b18
    """
    from yardstone.go.nets.store import remove_network, stored_network

    for name in names:
        stored_network(name)  # all of them are there, or none is deleted
    for name in names:
        print(f"Removed {remove_network(name)}")
