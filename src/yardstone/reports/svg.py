"""Pictures as SVG text that obeys a page's style sheet, light or dark.

Everything that is not `Markup` is escaped. There is no style attribute anywhere, so
the strictest content security policy lets the pictures pass; a page gives colours to
their classes.
"""

from __future__ import annotations

from markupsafe import Markup, escape

__all__ = ["number", "percent", "picture", "tag"]


def number(value: float) -> str:
    """A coordinate with at most two decimals.

    Examples
    --------
    >>> number(12.50001), number(3.0), number(-0.001)
    ('12.5', '3', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def percent(share: float) -> str:
    """A place across the picture, 0 to 1, that holds at any width."""
    return number(100.0 * share) + "%"


def tag(name: str, *children: str | Markup, **attributes: str | float | None) -> Markup:
    """An element.

    Parameters
    ----------
    name : str
    *children : str or Markup
        Text is escaped.
    **attributes : str, float or None
        ``class_`` stands for ``class``, an underscore for a hyphen; those that are
        None are left out.

    Examples
    --------
    >>> str(tag("text", "1 < 2", x=3.0, text_anchor="end"))
    '<text x="3" text-anchor="end">1 &lt; 2</text>'
    """
    parts = ["<", name]
    for key, value in attributes.items():
        if value is not None:
            text = escape(value) if isinstance(value, str) else number(value)
            parts += [" ", key.rstrip("_").replace("_", "-"), '="', text, '"']
    if not children:
        return Markup("".join([*parts, "/>"]))
    inner = [child if isinstance(child, Markup) else escape(child) for child in children]
    return Markup("".join([*parts, ">", *inner, "</", name, ">"]))


def picture(
    label: str,
    *children: str | Markup,
    class_: str,
    height: float | None = None,
    view: str | None = None,
) -> Markup:
    """A whole picture, with the words that stand for it where it cannot be seen.

    Parameters
    ----------
    label : str
    *children : Markup
    class_ : str
    height : float, optional
        In pixels, of a picture that is as wide as there is room and whose parts stand
        at percentages of it.
    view : str, optional
        The ``viewBox`` of a picture that grows as a whole.
    """
    return tag(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=class_,
        role="img",
        aria_label=label,
        width="100%",
        height=height,
        viewBox=view,
    )
