"""The words and arrays of a model file, one after the other, within its bounds."""

from __future__ import annotations

import re
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError

__all__ = ["Tokens"]

_SPACE = b" \t\r\n\v\f"
_WORD = re.compile(rb"[ \t\r\n\v\f]*([^ \t\r\n\v\f]+)")
_LETTERS = re.compile(rb"[^ \t\r\n\v\f]+")
_BINARY = b"@BIN@"
_LONGEST_WORD = 200
_LONGEST_GAP = 100


class Tokens:
    """Reads a model file from its beginning to its end.

    Parameters
    ----------
    data : bytes
        The file, unpacked.
    file : str
        What errors call it.

    Attributes
    ----------
    numbers : int
        How many weights have been read.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._place = 0
        self.file = file
        self.numbers = 0

    def fail(self, message: str) -> InputError:
        """An error about this file."""
        return InputError(
            message, file=self.file, hint="take a whole network file of KataGo (.bin.gz)"
        )

    def word(self, what: str) -> str:
        """The next word."""
        match = _WORD.match(self._data, self._place, self._place + _LONGEST_GAP + _LONGEST_WORD)
        if match is None:
            raise self.fail(f"ends before {what}")
        if len(match[1]) >= _LONGEST_WORD:
            raise self.fail(f"{what} is not a word: not a network file, or a damaged one")
        self._place = match.end()
        try:
            return match[1].decode("ascii")
        except UnicodeDecodeError:
            raise self.fail(f"{what} is not a word: not a network file, or a damaged one") from None

    def whole(self, what: str, least: int, most: int) -> int:
        """The next word, a whole number within bounds."""
        word = self.word(what)
        try:
            number = int(word)
        except ValueError:
            raise self.fail(f"{what} is {word!r}, not a whole number") from None
        if not least <= number <= most:
            raise self.fail(f"{what} is {number}, not {least} to {most}")
        return number

    def real(self, what: str) -> float:
        """The next word, a positive finite number."""
        word = self.word(what)
        try:
            number = float(word)
        except ValueError:
            raise self.fail(f"{what} is {word!r}, not a number") from None
        if not 0.0 < number < 3.4e38:
            raise self.fail(f"{what} is {word}, not a positive number")
        return number

    def array(self, what: str, *shape: int) -> NDArray[np.float32]:
        """The next array: in binary after a mark, or as words."""
        count = 1
        for side in shape:
            count *= side
        if count > len(self._data) - self._place:
            raise self.fail(f"ends within the {count:,} weights of {what}")
        start = self._place
        gap = self._data[start : start + _LONGEST_GAP]
        begin = start + len(gap) - len(gap.lstrip(_SPACE))
        if self._data.startswith(_BINARY, begin):
            values = self._binary(what, begin + len(_BINARY), count)
        else:
            values = self._text(what, count)
        if not np.isfinite(values).all():
            raise self.fail(f"a weight of {what} is not finite")
        self.numbers += count
        return values.reshape(shape)

    def _binary(self, what: str, begin: int, count: int) -> NDArray[np.float32]:
        end = begin + 4 * count
        if end > len(self._data):
            raise self.fail(f"ends within the {count:,} weights of {what}")
        self._place = end
        return np.frombuffer(self._data, "<f4", count, begin).astype(np.float32, copy=False)

    def _text(self, what: str, count: int) -> NDArray[np.float32]:
        values = np.empty(count, np.float32)
        filled = 0
        words = _LETTERS.finditer(self._data, self._place)
        try:
            with np.errstate(over="ignore"):
                for begin in range(0, count, 1 << 16):
                    block = list(islice(words, min(1 << 16, count - begin)))
                    values[begin : begin + len(block)] = [float(word[0]) for word in block]
                    filled += len(block)
                    self._place = block[-1].end() if block else self._place
        except ValueError:
            raise self.fail(f"a weight of {what} is not a number") from None
        if filled < count:
            raise self.fail(f"ends within the {count:,} weights of {what}")
        return values

    def end(self) -> None:
        """Nothing but space may follow."""
        if self._data[self._place :].strip(_SPACE):
            raise self.fail("more data follow the network")
