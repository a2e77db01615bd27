"""`yardstone go nets train`: a small network from games between people."""

from __future__ import annotations

from pathlib import Path

from yardstone.cli.declare import check_folder, named_values, option
from yardstone.cli.go import GamePaths
from yardstone.cli.output import Output
from yardstone.errors import UsageError

_ENDING = ".bin.gz"


def train(
    paths: GamePaths,
    network: Path = option("Write the network to this file (.bin.gz).", "--save", default=...),
    *,
    ranks: Path | None = option(
        "Table of the players' ranks: file, colour, rank, scale. Of a game in it only the sides "
        "named are learnt from."
    ),
    teacher: str | None = option(
        "A network, file or name, whose view of the positions is learnt as well: far fewer of "
        "them are needed then.",
        metavar="NET",
    ),
    folder: Path | None = option(
        "Folder of the training. [default: beside FILE]", metavar="FOLDER"
    ),
    settings: list[str] | None = option(
        "Change a setting. Repeatable.", "--set", metavar="NAME=VALUE"
    ),
    minutes: float | None = option("Stop after this time; the same command goes on.", min=0.0),
    threads: int | None = option("Processors to use.", min=1),
    output: Output,
) -> None:
    """Train a small network on games between people.

    It learns what players of each rank choose, who wins and by how much. The file is one of
    KataGo's format, for all commands that take a network; `go features` and `strength train`
    then make a model of strength for it. The same command goes on where it was stopped or
    killed. One game in fifty is kept apart to judge the network by.

    Examples:
        yardstone go nets train games.zip --ranks ranks.csv --save club.bin.gz
        yardstone go nets train games.zip --teacher b6c96 --save club.bin.gz --minutes 30
    """
    from yardstone.cli.output import report_skipped
    from yardstone.pool import SkipReport
    from yardstone_lab.imitation.games import ImitationSettings, read_imitation_games

    if not network.name.endswith(_ENDING):
        raise UsageError(f"--save {network}: the file must end in {_ENDING}")
    check_folder(network)
    chosen = ImitationSettings().changed(named_values(settings))
    skipped = SkipReport()
    games = read_imitation_games(paths, ranks, skipped)
    report_skipped(skipped)
    from yardstone.go.nets import load_network
    from yardstone_lab.imitation.network import write_model
    from yardstone_lab.imitation.training import judge_network, read_losses, train_network
    from yardstone_lab.reports.imitation import imitation_document

    stem = network.name.removesuffix(_ENDING)
    apart = games.apart()
    home = folder or network.with_name(f"{stem}.training")
    trained, done = train_network(
        games.select(~apart),
        chosen,
        home,
        threads=threads,
        minutes=minutes,
        teacher=None if teacher is None else load_network(teacher, threads=threads),
    )
    if done < chosen.steps:
        print(f"{done:,} of {chosen.steps:,} steps are done: the same command goes on.")
        return
    write_model(network, trained.model(stem))
    judged = judge_network(trained, games.select(apart), bfloat16=chosen.bfloat16)
    output.emit(imitation_document(judged, trained, network, read_losses(home)))
