"""What OGS answers: who is meant, a list of games, the record of one."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.cases import bad_message
from tests.fuzz.targets import FUZZ, Target, Wrong
from tests.records.ogs_server import ogs_server
from yardstone.errors import YardstoneError
from yardstone.records.ogs import GameSelection, fetch_ogs_games

_CORPUS = FUZZ / "corpus" / "ogs-answers"
#: The paths of the three answers that are sound in these files.
_PATHS = {
    "/api/v1/players": "players.json",
    "/api/v1/players/77/games": "games.json",
    "/api/v1/games/106/sgf": "record.sgf",
}
_WORDS = ('"results"', '"username"', '"id"', '"ended"', '"width"', '"next"', '"Ann"')


def read_answers(path: Path) -> None:
    """The input in place of each answer, the others as they should be."""
    folder = path.with_name("fetched")
    sound: dict[str, tuple[int, dict[str, str], bytes]]
    sound = {place: (200, {}, (_CORPUS / name).read_bytes()) for place, name in _PATHS.items()}
    with ogs_server() as server:
        for place in _PATHS:
            server.answers = {**sound, place: (200, {}, path.read_bytes())}
            selection = GameSelection(games=3, pause=0.0)
            try:
                result = fetch_ogs_games("Ann", folder, selection=selection, url=server.url)
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


TARGETS = (Target("ogs-answers", read_answers, ".json", words=_WORDS),)
