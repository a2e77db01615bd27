"""Scales of playing strength in Go, and conversions between them.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.scales.conversion import ConvertedRating, convert_rating
    from yardstone.scales.egf_list import GradeFit, fit_grades, read_egf_list
    from yardstone.scales.relations import (
        SCALES,
        Scale,
        convert,
        egf_of_grade,
        egf_of_pro,
        fox_of_grade,
        grade_of_egf,
        grade_of_fox,
        kaniuk_elo,
    )
    from yardstone.scales.table_column import ConvertedColumn, convert_column

__all__ = [
    "SCALES",
    "ConvertedColumn",
    "ConvertedRating",
    "GradeFit",
    "Scale",
    "convert",
    "convert_column",
    "convert_rating",
    "egf_of_grade",
    "egf_of_pro",
    "fit_grades",
    "fox_of_grade",
    "grade_of_egf",
    "grade_of_fox",
    "kaniuk_elo",
    "read_egf_list",
]

__getattr__ = lazy_names(
    __name__,
    {
        "conversion": ("ConvertedRating", "convert_rating"),
        "egf_list": ("GradeFit", "fit_grades", "read_egf_list"),
        "relations": (
            "SCALES",
            "Scale",
            "convert",
            "egf_of_grade",
            "egf_of_pro",
            "fox_of_grade",
            "grade_of_egf",
            "grade_of_fox",
            "kaniuk_elo",
        ),
        "table_column": ("ConvertedColumn", "convert_column"),
    },
)
