"""What OGS answers: who is meant, a list of games, the record of one."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from tests.fuzz.cases import bad_message
from tests.fuzz.targets import FUZZ, Target, Wrong
from yardstone.errors import YardstoneError
from yardstone.records import ogs

__all__ = ["TARGETS"]

_CORPUS = FUZZ / "corpus" / "ogs-answers"
_SOUND = {
    "players": (_CORPUS / "players.json").read_bytes(),
    "games": (_CORPUS / "games.json").read_bytes(),
    "sgf": (_CORPUS / "record.sgf").read_bytes(),
}


class _Client:
    """Answers each of the three questions with what is given."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self._answers = answers

    def get(self, path: str, *, most: int, seconds: float) -> bytes:
        """The answer."""
        return self._answers[path.partition("?")[0].rpartition("/")[2]][:most]


def read_answers(path: Path) -> None:
    """The input in place of each answer, the others as they should be."""
    for name in _SOUND:
        answers = {**_SOUND, name: path.read_bytes()}
        folder = path.with_name("fetched")
        selection = ogs.GameSelection(games=3, pause=0.0)
        try:
            with patch.object(ogs, "CarefulClient", lambda url, of=answers: _Client(of)):
                result = ogs.fetch_ogs_games("Ann", folder, selection=selection)
        except YardstoneError as error:
            if bad_message(str(error)) is not None:
                raise
            continue
        for file in result.files:
            if file.parent != folder or not file.is_file():
                raise Wrong("a game lies elsewhere")
            file.unlink()
        if any(not each.isprintable() for each in (result.user, *result.left_out)):
            raise Wrong("what is said of a game cannot be printed")


TARGETS = (
    Target(
        "ogs-answers",
        read_answers,
        ".json",
        words=('"results"', '"username"', '"id"', '"ended"', '"width"', '"next"', '"Ann"'),
    ),
)
