"""Options that the subcommands of `go` share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from yardstone.cli.options import Engine
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.strength.model import StrengthModel

__all__ = [
    "Device",
    "NetworkDevice",
    "GamePaths",
    "Komi",
    "Net",
    "NetworkOptions",
    "OutputFile",
    "Precision",
    "PrecisionName",
    "Quiet",
    "RecordRules",
    "Runtime",
    "RuntimeName",
    "Strict",
    "Threads",
    "Visits",
    "chosen_rules",
]

#: What `--rules` says if each game is to keep its own.
RECORD = "record"


class RuntimeName(StrEnum):
    """What computes a network."""

    auto = "auto"
    onnxruntime = "onnxruntime"
    openvino = "openvino"


class PrecisionName(StrEnum):
    """Numbers that a network is computed with."""

    fp32 = "fp32"
    bf16 = "bf16"


class NetworkDevice(StrEnum):
    """What a network is computed on."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"
    directml = "directml"


GamePaths = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="SGF files, folders, patterns, zip archives, or - for standard input.",
        show_default=False,
    ),
]
Net = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="FILE",
        help="KataGo network: a file, or a name shown by `yardstone go nets list`. [default: "
        "$YARDSTONE_NET, or the only one installed, or the included one]",
        show_default=False,
    ),
]
Runtime = Annotated[RuntimeName, typer.Option("--runtime", help="What runs the network.")]
Precision = Annotated[
    PrecisionName,
    typer.Option("--precision", help="Precision of the numbers; bf16 is faster and less exact."),
]
Device = Annotated[
    NetworkDevice,
    typer.Option("--device", help="What to compute on; auto: a graphics card if one works."),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="NUMBER", min=1, help="Processors to use; all by default."),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Ask the network anew about positions it was asked about before, and keep nothing.",
    ),
]
Visits = Annotated[
    int | None,
    typer.Option(
        "--visits",
        metavar="NUMBER",
        min=0,
        help="Positions to search on either side of a move that seems to lose points; 0: none.",
    ),
]
RecordRules = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="Rules to tell the network, such as chinese; record: those of each game.",
    ),
]
Komi = Annotated[
    float | None,
    typer.Option("--komi", metavar="POINTS", help="Komi for all games, instead of their own."),
]
OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first record that cannot be used.")
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show no progress, and do not report what was skipped."),
]


@dataclass(frozen=True)
class NetworkOptions:
    """Options of a command that asks a network."""

    PANEL: ClassVar[str] = "Network"

    net: Net = None
    runtime: Runtime = RuntimeName.auto
    precision: Precision = PrecisionName.fp32
    device: Device = NetworkDevice.auto
    threads: Threads = None
    no_cache: NoCache = False
    engine: Engine = None

    def as_arguments(self) -> dict[str, Any]:
        """The same as arguments of a function of the library."""
        return {
            "net": self.net,
            "engine": self.runtime.value,
            "precision": self.precision.value,
            "threads": self.threads,
            "cache": not self.no_cache,
            "device": self.device.value,
        }

    def load(self, default: str | None = None) -> Network:
        """The network; `default` is its name where none is given."""
        from yardstone.go.nets.network import load_network

        arguments = self.as_arguments()
        net = arguments.pop("net")
        return load_network(net or default, **arguments)

    def load_for(self, model: StrengthModel) -> Network:
        """The network that a rank model was made for, or the one named, if it is that."""
        from yardstone.strength.estimate.games import model_network

        return model_network(model, **self.as_arguments())


def chosen_rules(text: str) -> Rules | None:
    """The rules that are named; None for those of each game."""
    from yardstone.errors import InputError
    from yardstone.go.rules import parse_rules

    if text.strip().lower() == RECORD:
        return None
    try:
        return parse_rules(text)
    except InputError as error:
        raise UsageError(f"--rules: {error.message} ({error.hint}, {RECORD})") from None
