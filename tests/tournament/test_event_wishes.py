"""Wishes are kept, beside the file, until they are dropped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.tournament.made_events import entered, entry
from yardstone.errors import InputError
from yardstone.tournament import Constraints, System, Tournament
from yardstone.tournament.event import enter_players, give_bye, take_bye_back, withdraw
from yardstone.tournament.event.rounds import pair_event, unpair_round
from yardstone.tournament.event.settings import (
    EventWishes,
    Wish,
    change_wishes,
    read_wishes,
    wishes_of,
    with_wishes,
)

CLUBS = ("Oslo", "Oslo", "Oslo", "Graz", "Graz", "Graz", "Nis", "Nis")
COUNTRIES = ("NO", "NO", "NO", "NO", "NO", "AT", "AT", "AT")
event = partial(entered, ("1k",) * 8, CLUBS, COUNTRIES)
pair = partial(pair_event, costs=False, constraints=Constraints(open_results=True))


def never(*names: str, first: int = 1) -> Wish:
    return Wish(kind="never", players=names, first=first)


def boards(tournament: Tournament, number: int) -> set[frozenset[int]]:
    return {frozenset(game.players) for game in tournament.round_games(number)}


def test_wishes_hold_in_their_rounds() -> None:
    tournament = event()
    local = Wish(kind="local", country="NO", first=1, last=1)
    kept = EventWishes(wishes=(Wish(kind="club"), never("F0 G", "F3 G"), local))
    for number in (1, 2, 3):
        made = pair(tournament, number, wishes=kept)
        tournament = made.tournament
        met = boards(tournament, number)
        assert len(met) == 4
        assert frozenset((0, 3)) not in met
        assert all(len({CLUBS[row] for row in board}) == 2 for board in met)
        assert len(made.notes) == (3 if number == 1 else 2)
        if number == 1:
            assert sum(len({COUNTRIES[row] for row in board}) == 2 for board in met) == 3
    # A board by hand comes before a wish, and who is gone has none.
    by_hand, notes = with_wishes(Constraints(fixed=((0, 1),)), event(), [Wish(kind="club")], 1)
    assert by_hand.forbidden == ((0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (6, 7))
    assert notes == ["Kept: no game within a club."]
    without, notes = with_wishes(Constraints(), event(), [never("F0 G", "Gone X")], 1)
    assert without.forbidden == ()
    assert notes == ["Not kept: never F0 G - Gone X; Gone X is not entered."]


def test_the_file_beside(tmp_path: Path) -> None:
    path = tmp_path / "open.xml"
    assert read_wishes(path) == EventWishes()
    local = Wish(kind="local", country="NO", first=1, last=3)
    wishes = (never("Åse Öl", "B C", first=2), local)
    kept = EventWishes(wishes=wishes, system=System.round_robin)
    change_wishes(path, lambda _: kept)
    assert read_wishes(path) == kept
    change_wishes(path, lambda _: EventWishes())
    assert not wishes_of(path).exists()

    def add(number: int) -> None:
        wish = never(f"F{number} G", "F99 G")
        change_wishes(path, lambda kept: replace(kept, wishes=(*kept.wishes, wish)))

    with ThreadPoolExecutor(4) as pool:  # who wish at once lose nothing
        list(pool.map(add, range(12)))
    assert {wish.players[0] for wish in read_wishes(path).wishes} == {f"F{n} G" for n in range(12)}
    for text in ("", "[]", "{}", '{"version": 2, "wishes": []}',
                 '{"version": 1, "wishes": [{"kind": "x"}]}'):  # fmt: skip
        wishes_of(path).write_text(text)
        with pytest.raises(InputError, match=r"open\.xml\.wishes: this is not a file of wishes"):
            read_wishes(path)


@pytest.mark.parametrize(
    ("wish", "said", "rounds"),
    [
        (Wish(kind="club"), "no game within a club", [1, 2, 3, 4]),
        (Wish(kind="country", first=2), "no game within a country (from round 2 on)", [2, 3, 4]),
        (Wish(kind="local", country="NO", last=1), "NO against the others (round 1)", [1]),
        (Wish(kind="never", players=("A", "B"), first=2, last=3),
         "never A - B (rounds 2 to 3)", [2, 3]),
    ],
)  # fmt: skip
def test_words_and_rounds(wish: Wish, said: str, rounds: list[int]) -> None:
    assert wish.sentence() == said
    assert [number for number in (1, 2, 3, 4) if wish.holds(number)] == rounds


def test_a_round_has_one_bye() -> None:
    tournament = give_bye(event(), 3).tournament
    with pytest.raises(InputError, match=r"F3 G has the bye, and 7 players are to be paired"):
        pair(tournament, 1)
    made = pair(withdraw(tournament, 4, only=True).tournament, 1).tournament
    assert [bye.player for bye in made.byes] == [3]
    late = enter_players(made, [entry()], first_round=1).tournament
    with pytest.raises(InputError, match="1 player is to be paired"):
        pair(late, 1)
    both = pair(take_bye_back(late, 3, 1).tournament, 1).tournament
    assert frozenset((3, 8)) in boards(both, 1)
    assert both.byes == ()
    robin = withdraw(withdraw(event(), 0, only=True).tournament, 2, only=True).tournament
    notes = pair_event(robin, 1, wishes=EventWishes(system=System.round_robin)).notes
    assert notes[0].startswith("OpenGotha keeps one bye a round")


def test_wishes_that_cannot_be_and_taking_boards_back() -> None:
    names = [player.full_name for player in event().players]
    kept = EventWishes(wishes=(never(*names[:5]),))
    with pytest.raises(InputError, match=r"with the wishes .*never F0 G - F1 G.*take a wish back"):
        pair_event(event(), 1, wishes=kept)
    with pytest.raises(InputError, match=r"9 cannot be paired") as caught:
        pair_event(event(), 9, wishes=kept)
    assert "wishes" not in str(caught.value)
    assert unpair_round(pair(event(), 1).tournament).tournament.games == ()
    with pytest.raises(InputError, match="round 1 is not paired"):
        unpair_round(event())
