"""The same work by public packages, as their users write it; run by their Python.

    python benchmarks/peers.py JOB ... GAMES OUT

GAMES is a table with the columns date, white, black and result. `benchmarks.speed` runs
each job in a process of its own, and compares what it writes.
"""

import csv
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def counts(games: str, out: str) -> None:
    """Games and points of each player, by DuckDB."""
    import duckdb

    points = "CASE result WHEN '1-0' THEN 1.0 WHEN '0-1' THEN 0.0 ELSE 0.5 END"
    duckdb.sql(
        f"COPY (SELECT player, count(*) AS games, sum(points) AS points FROM ("
        f"SELECT white AS player, {points} AS points FROM '{games}' UNION ALL "
        f"SELECT black, 1.0 - {points} FROM '{games}') GROUP BY player) TO '{out}' (HEADER)"
    )


def read_for_riix(games: str) -> Any:
    """A data set of riix with a time step a day.

    From arrays, since its own way from a table joins without keeping the order of games.
    """
    np: Any = import_module("numpy")
    pd: Any = import_module("pandas")
    table = pd.read_csv(games)
    index, players = pd.factorize(pd.concat([table["white"], table["black"]]), sort=True)
    return import_module("riix.utils.data_utils").MatchupDataset.init_from_arrays(
        time_steps=pd.factorize(table["date"])[0],
        matchups=np.ascontiguousarray(index.reshape(2, -1).T),
        outcomes=table["result"].map(POINTS).to_numpy(),
        competitors=players.tolist(),
    )


def riix_model(name: str, players: list[str]) -> Any:
    """A system of riix, with the settings of ours."""
    if name == "elo":
        return import_module("riix.models.elo").Elo(players, k=20.0)
    return import_module("riix.models.glicko2").Glicko2(players)


def history(system: str, games: str, out: str) -> None:
    """Ratings after all games, by riix."""
    data = read_for_riix(games)
    model = riix_model(system, data.competitors)
    model.fit_dataset(data)
    write(out, zip(data.competitors, model.ratings if system == "elo" else model.mus, strict=True))


def evaluate(learned: str, games: str, out: str) -> None:
    """Mean log-likelihood of the games after the first `learned`, by riix."""
    data = read_for_riix(games)
    rows = []
    for system in ("elo", "glicko2"):
        model = riix_model(system, data.competitors)
        probs = model.fit_dataset(data, return_pre_match_probs=True)[int(learned) :]
        pairs = zip(data.outcomes[int(learned) :], probs, strict=True)
        rows.append((system, sum(y * math.log(p) + (1 - y) * math.log(1 - p) for y, p in pairs)))
    write(out, [(system, total / (len(data) - int(learned))) for system, total in rows])


def bradley_terry(games: str, out: str) -> None:
    """Ratings and intervals, by arena-rank."""
    pd: Any = import_module("pandas")
    data = import_module("arena_rank.utils.data_utils").PairDataset.from_pandas(
        pd.read_csv(games),
        competitor_cols=["white", "black"],
        outcome_col="result",
        outcome_map=POINTS.__getitem__,
    )
    model = import_module("arena_rank.models.bradley_terry").BradleyTerry(len(data.competitors))
    result = model.compute_ratings_and_cis(data)
    write(out, zip(result["competitors"], result["ratings"], strict=True))


def whole_history(games: str, out: str) -> None:
    """Latest ratings, by whole-history-rating to its own convergence."""
    from datetime import date

    model = import_module("whr").WHR()
    winner = {"1-0": "W", "1/2-1/2": "D", "0-1": "B"}
    with Path(games).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            day = date.fromisoformat(row["date"]).toordinal()
            model.create_game(row["black"], row["white"], winner[row["result"]], day, 0)
    model.auto_iterate()
    write(out, model.get_ordered_ratings(current=True))


def write(out: str, rows: Any) -> None:
    """Write a name and a number a row."""
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("player", "rating"), *((n, float(x)) for n, x in rows)])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
