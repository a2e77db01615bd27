"""The words of a condition on games: from text to a tree of comparisons.

A small part of SQL, and nothing that could do anything: names of tags or columns,
numbers, texts, comparisons, AND, OR, NOT. What it means is in `meaning`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from yardstone.errors import UsageError

__all__ = [
    "And",
    "Compare",
    "Condition",
    "Like",
    "Literal",
    "Missing",
    "Name",
    "Not",
    "Operand",
    "Or",
    "exact_number",
    "names_in",
    "parse_condition",
]

_LONGEST = 10_000
_DEEPEST = 100
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<date>\d{4}([-./])\d{1,2}\2\d{1,2}(?![\w.]))
    |(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><>|!=|<=|>=|==|[=<>(),+-])
    )""",
    re.VERBOSE,
)
_KEYWORDS = {
    "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE",
}  # fmt: skip
_COMPARISONS = {"=": "=", "==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_UNEQUAL = ("<>", "!=")


@dataclass(frozen=True, slots=True)
class Name:
    """A tag or column."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text or TRUE or FALSE."""

    value: float | str | bool


Operand: TypeAlias = "Name | Literal"


@dataclass(frozen=True, slots=True)
class Compare:
    """``left sign right``; the sign is one of = < <= > >=."""

    left: Operand
    sign: str
    right: Operand


@dataclass(frozen=True, slots=True)
class Like:
    """``name LIKE pattern``; `%` stands for any characters and `_` for one."""

    name: Name
    pattern: str
    capitals: bool = True


@dataclass(frozen=True, slots=True)
class Missing:
    """``name IS NULL``."""

    name: Name


@dataclass(frozen=True, slots=True)
class Not:
    """What does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class And:
    """What holds altogether."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Of which one at least holds."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = "Compare | Like | Missing | Not | And | Or"


def parse_condition(text: str) -> Condition:
    """The condition that a text states.

    Raises
    ------
    UsageError
        It cannot be understood; the message says where.

    Examples
    --------
    >>> parse_condition("WhiteElo >= 2400 AND Event IS NOT NULL").parts[0]
    Compare(left=Name(name='WhiteElo'), sign='>=', right=Literal(value=2400))
    """
    if len(text) > _LONGEST:
        raise UsageError(f"where: the condition is longer than {_LONGEST:,} characters")
    parser = _Parser(text)
    condition = parser.either()
    if parser.kind != "end":
        parser.refuse("AND, OR or the end was expected")
    return condition


def names_in(condition: Condition) -> list[str]:
    """The names of a condition, each once, as it has them first."""
    names: dict[str, str] = {}
    for name in _names(condition):
        names.setdefault(name.casefold(), name)
    return list(names.values())


def _names(condition: Condition) -> Iterator[str]:
    if isinstance(condition, And | Or):
        for part in condition.parts:
            yield from _names(part)
    elif isinstance(condition, Not):
        yield from _names(condition.part)
    elif isinstance(condition, Compare):
        for side in (condition.left, condition.right):
            if isinstance(side, Name):
                yield side.name
    else:
        yield condition.name.name


class _Parser:
    """Reads a condition word by word; `kind` and `value` are of the next word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.start = self.end = self.depth = 0
        self.kind, self.value = "", ""
        self.step()

    def step(self) -> str:
        """Go on to the next word; the one before it."""
        before = self.value
        rest = self.text[self.end :]
        self.start = self.end + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind, self.value = "end", ""
            return before
        token = _TOKEN.match(self.text, self.end)
        if token is None:
            self.kind = ""
            stray = self.text[self.start]
            if stray in "'\"":
                self.refuse(f"the quotation mark {stray} is not closed")
            self.refuse(f"{stray!r} has no meaning here")
        self.kind = token.lastgroup or ""
        self.value = token[self.kind]
        self.end = token.end()
        if self.kind == "word" and self.value.upper() in _KEYWORDS:
            self.kind, self.value = "keyword", self.value.upper()
        return before

    def take(self, *words: str) -> bool:
        """Go on if the next word is one of these keywords or signs."""
        if self.kind in ("keyword", "sign") and self.value in words:
            self.step()
            return True
        return False

    def refuse(self, what: str) -> NoReturn:
        """Raise the error for what stands here."""
        before = self.text[: self.start].strip()
        place = f"after {before[-40:]!r}" if before else "at the beginning"
        here = f", not {self.value!r}" if self.kind not in ("", "end") else ""
        raise UsageError(
            f"where: {what}{here}, {place} (character {self.start + 1}); an example: "
            "\"Termination <> 'time forfeit' AND WhiteElo >= 2400\""
        )

    def either(self) -> Condition:
        parts = [self.both()]
        while self.take("OR"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def both(self) -> Condition:
        parts = [self.negated()]
        while self.take("AND"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def negated(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UsageError(f"where: more than {_DEEPEST} brackets or NOTs within each other")
        try:
            if self.take("NOT"):
                return Not(self.negated())
            if self.take("("):
                inside = self.either()
                if not self.take(")"):
                    self.refuse("a closing bracket was expected")
                return inside
            return self.comparison()
        finally:
            self.depth -= 1

    def comparison(self) -> Condition:
        left = self.operand()
        if self.kind == "sign" and self.value in _COMPARISONS:
            sign = _COMPARISONS[self.step()]
            return Compare(left, sign, self.operand())
        if self.kind == "sign" and self.value in _UNEQUAL:
            self.step()
            return Not(Compare(left, "=", self.operand()))
        if not isinstance(left, Name):
            self.refuse("a comparison such as = or < was expected")
        if self.take("IS"):
            unlike = self.take("NOT")
            if not self.take("NULL"):
                self.refuse("NULL was expected")
            missing = Missing(left)
            return Not(missing) if unlike else missing
        unlike = self.take("NOT")
        condition = self.range_or_list(left)
        if condition is not None:
            return Not(condition) if unlike else condition
        if unlike:
            self.refuse("LIKE, IN or BETWEEN was expected")
        return Compare(left, "=", Literal(True))

    def range_or_list(self, name: Name) -> Condition | None:
        if self.kind == "keyword" and self.value in ("LIKE", "ILIKE"):
            word = self.step()
            if self.kind != "text":
                self.refuse("a pattern in quotation marks, such as '%forfeit%', was expected")
            return Like(name, _unquoted(self.step()), word == "LIKE")
        if self.take("BETWEEN"):
            low = self.literal()
            if not self.take("AND"):
                self.refuse("AND was expected")
            return And((Compare(name, ">=", low), Compare(name, "<=", self.literal())))
        if self.take("IN"):
            if not self.take("("):
                self.refuse("an opening bracket was expected")
            values = [self.literal()]
            while self.take(","):
                values.append(self.literal())
            if not self.take(")"):
                self.refuse("a comma or a closing bracket was expected")
            return Or(tuple(Compare(name, "=", value) for value in values))
        return None

    def operand(self) -> Operand:
        if self.kind == "word":
            name = self.step()
            if self.kind == "sign" and self.value == "(":
                self.refuse(f"there are no functions, so {name} cannot be called")
            return Name(name)
        if self.kind == "quoted":
            return Name(_unquoted(self.step()))
        return self.literal()

    def literal(self) -> Literal:
        if self.kind == "text":
            return Literal(_unquoted(self.step()))
        if self.kind == "date":  # there is no arithmetic that it could be instead
            return Literal(self.step())
        if self.kind == "keyword" and self.value in ("TRUE", "FALSE"):
            return Literal(self.step() == "TRUE")
        sign = self.step() if self.kind == "sign" and self.value in "+-" else ""
        if self.kind == "number":
            return Literal(exact_number(sign + self.step()))
        if self.kind == "keyword" and self.value == "NULL":
            self.refuse("write IS NULL or IS NOT NULL")
        self.refuse("a name, a number or a 'text' was expected")


def exact_number(text: str) -> float:
    """The number that a text writes, whole ones of a sensible length exactly."""
    whole = len(text) < 300 and text.lstrip("+-").isdigit()
    return int(text) if whole else float(text)


def _unquoted(text: str) -> str:
    mark = text[0]
    return text[1:-1].replace(2 * mark, mark)
