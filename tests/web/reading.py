"""Pages as browsers without scripts take them apart, and what no page may hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

_VOID = {"meta", "link", "input", "br", "img", "hr"}
_NAMED = ("input", "select", "textarea")


@dataclass
class Element:
    """An element with its text and those within it."""

    name: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text within, blanks made single."""
        return " ".join("".join(self.pieces).split())

    def within(self) -> list[Element]:
        """This and all elements within, in order."""
        return [self, *(each for child in self.children for each in child.within())]

    def all(self, name: str, /, **wanted: str) -> list[Element]:
        """All elements of a name within, in order."""
        result = [each for each in self.within()[1:] if each.name == name]
        for key, value in wanted.items():
            named = {id(each): each.attributes.get(key.rstrip("_"), "") for each in result}
            result = [e for e in result if value in (named[id(e)], *named[id(e)].split())]
        return result

    def one(self, name: str, /, **wanted: str) -> Element:
        """The only such element."""
        result = self.all(name, **wanted)
        assert len(result) == 1, f"{len(result)} of {name} {wanted}"
        return result[0]


class PageReader(HTMLParser):
    """Builds the tree, and complains of what is not closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag}: an attribute twice"
        made = Element(tag, {name: value or "" for name, value in attrs}, self.open[-1])
        self.open[-1].children.append(made)
        if tag not in _VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for each in self.open:
            each.pieces.append(data)


def check_page(text: str) -> Element:
    """Read a page and check what holds for every one: nothing inline, all named and closed."""
    reader = PageReader()
    reader.feed(text)
    reader.close()
    assert [each.name for each in reader.open] == ["document"]
    page = reader.root
    everything = page.within()
    ids = Counter(each.attributes["id"] for each in everything if "id" in each.attributes)
    assert [name for name, number in ids.items() if number > 1] == []
    labelled = {each.attributes.get("for") for each in page.all("label")}
    assert page.all("style") == []
    for each in everything:
        named = each.attributes
        assert not [name for name in named if name == "style" or name.startswith("on")], each
        for name in ("href", "src", "action"):
            target = named.get(name, "/")
            assert target.startswith(("/", "#")), f"{each.name} leads to {target}"
            assert not target.startswith("//")
            assert each.name != "a" or target[:1] != "#" or target[1:] in ids, target
        for name in ("aria-labelledby", "aria-describedby"):
            for wanted in named.get(name, "").split():
                assert wanted in ids, f"{name} of {each.name} names no element: {wanted}"
        if each.name == "script":
            assert (bool(named["src"]), each.text) == (True, "")
        if each.name in _NAMED and named.get("type") != "hidden":
            assert named.get("id") in labelled or "aria-label" in named, each
        if each.name == "button" or (each.name == "svg" and named.get("role") == "img"):
            assert each.text or named["aria-label"].strip()
    assert len(page.all("h1")) == 1
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("head").one("title").text
    levels = [int(each.name[1]) for each in everything if each.name in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    return page
