"""Odd PGN files, made: what is tried on the shared ones is tried on these where they are missing.

Each holds the same oddity as the shared file of its name, among as many games.
"""

from __future__ import annotations

#: Who plays in a file of many games, in the order in which they appear.
PLAYERS = ("Delta", "Echo", "Alpha 1.0", "Fox Trot", "Charlie", "Bravo", "Golf", "Alpha 2.0")
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
_HEAD = '[Event "t"]\n[Site "?"]\n[Date "2024.01.01"]\n[Round "1"]\n'


def _game(white: str = "A", black: str = "B", result: str = "1-0") -> str:
    """A game of ten lines."""
    return (
        f'{_HEAD}[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n1. e4 e5 {result}\n\n'
    )


def _games(number: int) -> list[str]:
    """So many games: in the first four everyone appears."""
    pairs = [(2 * i, 2 * i + 1) for i in range(4)]
    pairs += [(i % 8, (i + 1 + i // 8 % 7) % 8) for i in range(number - 4)]
    results = ("1-0", "1/2-1/2", "0-1")
    return [_game(PLAYERS[a], PLAYERS[b], results[i % 3]) for i, (a, b) in enumerate(pairs)]


def _lower(text: str) -> str:
    for tag in _TAGS:
        text = text.replace(f"[{tag} ", f"[{tag.lower()} ")
    return text


def dialects() -> dict[str, bytes]:
    """One file of 400 games in the ways in which programs write it."""
    base = "".join(_games(400))
    return {
        "base": base.encode(),
        "bom": base.encode("utf-8-sig"),
        "cr": base.replace("\n", "\r").encode(),
        "crlf": base.replace("\n", "\r\n").encode(),
        "lower": _lower(base).encode(),
        "noblank": base.replace("\n\n", "\n").encode(),
        "oneline": base.replace("]\n[", "] [").encode(),
        "spacetag": base.replace("[White ", "[ White   ").encode(),
        "trail": base.replace('"Bravo"', '"Bravo "', 20).encode(),
        "utf16": base.encode("utf-16"),
    }


def odd_files() -> dict[str, bytes]:
    """Files with one thing that a reader can stumble over, and files that hold no game."""
    sound = _games(400)
    no_black = sound[5].replace("[Black ", "[Ignored ").splitlines(keepends=True)
    rook = 'The \\"Rook\\"'
    comment = '{see [White "Ghost"] and [Black "Ghost"]\n[Result "0-1"] }\n1. e4 e5 1-0\n\n'
    texts = {
        "comment": [
            *sound[:60],
            _game("Echo", "Delta").partition("1. e4")[0],
            comment,
            *sound[60:120],
        ],
        "dupTag": [
            '[White "A"]\n',
            _game("C").removeprefix(_HEAD),
            _game("B", "A"),
            _game(),
            _game("C", "B", "0-1"),
        ],
        "emptyresult": [_game(), _game(result="")],
        "escaped": [*sound[:60], _game(rook, "Golf"), _game("Golf", rook)],
        "halfeq": [_game(result="=-="), _game(result="=-="), _game("B", "A"), _game()],
        "longname": [_game("A" * 3000), _game("B", "A" * 3000)],
        "noblack": [*sound[:5], *no_black[:5], *no_black[6:], *sound[6:]],
        "noresult": [_game(), '[White "X"]\n[Black "Y"]\n\n1. e4 1-0\n\n', _game(), _game()],
        "nowhite": [_game(), '[Black "Y"]\n[Result "1-0"]\n\n1. e4 1-0\n\n', _game(), _game()],
        "onlystar": [_game(result="*")] * 3,
        "selfgame": [*sound, _game("Bravo", "Bravo")],
        "star": [*sound[:50], _game("Delta", "Echo", "*")],
        "unterminated": [*sound[:30], '[White "Foo]\n[Black "Bravo"]\n[Result "1-0"]\n\n1-0\n'],
        "utf8": [each.replace("Bravo", "Brävo 碁") for each in sound],
        "weird": [_game(), _game(result="1:0")],
        "weird2": [_game(), _game(result="½-½")],
        "weird4": [_game(), _game(result="1-0 ")],
        "empty": [],
        "blank": ["\n\n\n"],
        "garbage": ["hello world\n"],
        "z": [],
    }
    made = {name: "".join(text).encode() for name, text in texts.items()}
    return made | {"latin1": "".join(sound).replace("Bravo", "Brävo").encode("latin-1")}
