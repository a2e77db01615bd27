"""Makes the example `football.csv` from a copy of openfootball/football.json.

python tools/make_football.py FOLDER, with the folder of that collection.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

SEASONS = ("2022-23", "2023-24")
TARGET = Path(__file__).parent.parent / "src" / "yardstone" / "examples" / "football.csv"


def main() -> None:
    """Write the results of the seasons, in order of their dates."""
    rows: list[tuple[str, str, str, int, int, str]] = []
    for season in SEASONS:
        text = (Path(sys.argv[1]) / season / "en.1.json").read_text("utf-8")
        for game in json.loads(text)["matches"]:
            home, away = game["score"]["ft"]
            result = "H" if home > away else "A" if home < away else "D"
            rows.append((game["date"], game["team1"], game["team2"], home, away, result))
    rows.sort(key=lambda row: row[0])
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["date", "home", "away", "home_goals", "away_goals", "FTR"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
