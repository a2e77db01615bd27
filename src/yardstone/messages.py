"""What messages show of the input: short, and harmless to a terminal."""

from __future__ import annotations

__all__ = ["shown"]

_LONGEST = 400
#: So much stays of the end of what is cut: there a sentence says what it is about.
_END = 150
#: Characters of these kinds steer a terminal, turn the direction of writing or are not seen.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text: str, longest: int = _LONGEST) -> str:
    r"""Text as a message shows it: cut in the middle if it is long, and without control characters.

    Lines stay lines.

    Examples
    --------
    >>> print(shown("no player \x1b[2J"))
    no player \x1b[2J
    """
    if text.isprintable() and len(text) <= longest:
        return text
    if len(text) > longest:  # twice: what is escaped is longer
        text = _cut(text, longest)
    return _cut("".join(_readable(letter) for letter in text), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest - _END - 3]} … {text[-_END:]}"


def _readable(letter: str) -> str:
    from unicodedata import category

    if letter == "\n" or category(letter) not in _HARMFUL:
        return letter
    return ascii(letter)[1:-1]
