"""Make the example files from the headers of the games of the TCEC.

``python tools/make_examples.py tcec_headers.pgn.gz`` reads the headers of
every game in the archive and writes, into the package, only the facts of each:
event, date, round, players and result, as they stand.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
from pathlib import Path

TAGS = ("Event", "Date", "Round", "White", "Black", "Result")
TAG_LINE = re.compile(r'^\[(\w+) "(.*)"\]$', re.MULTILINE)
#: Eight engines, each pair four times: small enough to follow by eye.
LEAGUE = "TCEC Season 14 - Division 1"
#: A match of two engines.
MATCH = "TCEC Season 13 - Superfinal"

EXAMPLES = Path(__file__).resolve().parents[1] / "src" / "yardstone" / "examples"


def read_games(headers: Path) -> list[dict[str, str]]:
    """The tags of each game; a block of tag lines begins at each Event tag."""
    text = gzip.decompress(headers.read_bytes()).decode()
    blocks = re.split(r"^(?=\[Event )", text, flags=re.MULTILINE)[1:]
    return [dict(TAG_LINE.findall(block)) for block in blocks]


def pgn(games: list[dict[str, str]]) -> bytes:
    """The facts of the games as PGN without moves."""
    text = "".join(
        "".join(f'[{tag} "{game[tag]}"]\n' for tag in TAGS) + f"\n{game['Result']}\n\n"
        for game in games
    )
    return text.encode()


def write_csv(games: list[dict[str, str]], path: Path) -> None:
    """Write the facts of the games as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([tag.lower() for tag in TAGS])
        table.writerows([game[tag] for tag in TAGS] for game in games)


def main() -> None:
    """Read the archive's headers and write the example files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("headers", type=Path, help="tcec_headers.pgn.gz")
    parser.add_argument("--into", type=Path, default=EXAMPLES, help="folder")
    arguments = parser.parse_args()
    games = read_games(arguments.headers)
    league = [game for game in games if game["Event"] == LEAGUE]
    (arguments.into / "tcec.pgn.gz").write_bytes(gzip.compress(pgn(games), 9, mtime=0))
    match = [game for game in games if game["Event"] == MATCH]
    (arguments.into / "match.pgn").write_bytes(pgn(match))
    write_csv(league, arguments.into / "league.csv")
    print(f"tcec.pgn.gz: {len(games)} games; league.csv: {len(league)}; match.pgn: {len(match)}")


if __name__ == "__main__":
    main()
