"""A rating list as CSV: one row a player, the same columns as in Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList

__all__ = ["COLUMNS", "MATRIX_COLUMNS", "csv_list", "csv_matrix"]

#: Columns of the list, with their types in SQL.
COLUMNS = {
    "player": "VARCHAR",
    "rating": "DOUBLE",
    "deviation": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "games": "BIGINT",
    "wins": "BIGINT",
    "draws": "BIGINT",
    "losses": "BIGINT",
    "score": "DOUBLE",
    "component": "INTEGER",
    "status": "VARCHAR",
    "rank": "INTEGER",
    "rank_low": "INTEGER",
    "rank_high": "INTEGER",
}
#: Columns of the table of differences.
MATRIX_COLUMNS = {
    "player": "VARCHAR",
    "other": "VARCHAR",
    "difference": "DOUBLE",
    "deviation": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "superiority": "DOUBLE",
}


def csv_list(report: RatingList) -> str:
    """The list, with unknown values left empty; every number in full."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(report.records())
    return out.getvalue()


def csv_matrix(report: RatingList) -> str:
    """Each two listed players of a group once, the stronger first.

    The difference of their ratings, its deviation and interval, and the
    probability that the first is the stronger one. Perfect scorers are left out:
    they have no deviation.

    Raises ModelError if the covariance was not computed.
    """
    from yardstone.ratings.superiority import superiority

    ratings = report.ratings
    spread = ratings.deviation_of_difference()
    sure = superiority(ratings)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(MATRIX_COLUMNS)
    for group in report.groups:
        rows = [row for row in group.rows if np.isfinite(ratings.deviation[row])]
        for place, row in enumerate(rows):
            for other in rows[place + 1 :]:
                difference = float(ratings.rating[row] - ratings.rating[other])
                reach = report.deviations * float(spread[row, other])
                writer.writerow(
                    (
                        ratings.players[row],
                        ratings.players[other],
                        difference,
                        float(spread[row, other]),
                        difference - reach,
                        difference + reach,
                        float(sure[row, other]),
                    )
                )
    return out.getvalue()
