"""The colours of all pictures: names, and what they are by day, by night and on paper.

Series are told apart by people who cannot tell red from green as well (after Okabe and
Ito); beyond seven of them dashes help.
"""

from __future__ import annotations

from importlib import resources

__all__ = ["DASHES", "LIGHT", "SERIES", "night", "series_style", "stylesheet"]

#: Name: (light, dark). The first are of the page, then those of series, then of boards.
_COLOURS = {
    "paper": ("#ffffff", "#12161a"),
    "ink": ("#1a2027", "#e7ebef"),
    "soft": ("#55606d", "#9fabb7"),
    "line": ("#9aa5b1", "#5a6672"),
    "grid": ("#e3e7ec", "#2b333b"),
    "c1": ("#1f6fb4", "#6cb4ee"),
    "c2": ("#d1560b", "#ff9a52"),
    "c3": ("#00876a", "#35c9a0"),
    "c4": ("#a8478a", "#e594c8"),
    "c5": ("#b38300", "#e8bd4a"),
    "c6": ("#3d9fd1", "#a6dcf7"),
    "c7": ("#6b7280", "#a9b2bd"),
    "wood": ("#e9c27c", "#c99f58"),
    "wood-line": ("#6d5122", "#5a421a"),
    "wood-text": ("#4a3512", "#35250a"),
    "point-dark": ("#9c6b3c", "#7d5228"),
    "point-light": ("#f7e6c6", "#e3c795"),
    "black": ("#16181b", "#0d0f11"),
    "white": ("#fdfdfb", "#f1f1ec"),
    "ring": ("#d1560b", "#d1560b"),
    "choice": ("#0b4f8a", "#082f54"),
}
LIGHT = {name: light for name, (light, _) in _COLOURS.items()}
#: Colours of series in the order in which they are used, and dashes when they are used up.
SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (2.0, 2.5), (8.0, 3.0, 2.0, 3.0))


def series_style(place: int) -> tuple[str, tuple[float, ...]]:
    """Colour and dashes of a series."""
    return SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]


def stylesheet() -> str:
    """What a page needs to show pictures, light and dark, on screens and on paper."""

    def variables(place: int) -> str:
        return " ".join(f"--chart-{name}: {both[place]};" for name, both in _COLOURS.items())

    classes = "\n".join(
        f".drawing .f-{name} {{ fill: var(--chart-{name}); }} "
        f".drawing .s-{name} {{ stroke: var(--chart-{name}); }}"
        for name in _COLOURS
    )
    rules = resources.files(__package__).joinpath("charts.css").read_text("utf-8")
    return (
        f":root {{ {variables(0)} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(1)} }} }}\n"
        f"{classes}\n{rules}"
    )


def night() -> str:
    """Rules that give a picture of a file, whose colours are fixed, those of dark screens."""
    rules = {
        f'[{of}="{light}"]{{{of}:{dark}}}'
        for light, dark in _COLOURS.values()
        for of in ("fill", "stroke")
        if light != dark
    }
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(sorted(rules))}}}"
