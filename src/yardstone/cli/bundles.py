"""Options that belong together, declared once and taken as one argument.

A bundle is a frozen dataclass whose fields are annotated as typer has parameters. A command
takes it as an argument without a default; the command line has its fields in its place. A field
that two bundles of a command have is one option. If a bundle has a `PANEL`, its options stand
together under that heading in the help.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints

from yardstone.cli.help import panelled

__all__ = ["expanded"]


def expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its bundles in their places."""
    hints = get_type_hints(function, include_extras=True)
    bundles: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    if not bundles:
        return function
    parameters: dict[str, Parameter] = {}
    for parameter in signature(function).parameters.values():
        bundle = bundles.get(parameter.name)
        if bundle is None:
            parameters[parameter.name] = parameter.replace(
                kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name]
            )
            continue
        options = get_type_hints(bundle, include_extras=True)
        panel = getattr(bundle, "PANEL", None)
        for field in fields(bundle):
            default = Parameter.empty if field.default is MISSING else field.default
            option = Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=default,
                annotation=panelled(options[field.name], panel),
            )
            parameters.setdefault(field.name, option)

    @wraps(function)
    def run(**values: Any) -> Any:
        made: dict[str, Any] = {}
        for name, bundle in bundles.items():
            made[name] = bundle(**{field.name: values[field.name] for field in fields(bundle)})
        own = {name: values[name] for name in hints.keys() & values.keys() - bundles.keys()}
        return function(**own, **made)

    declared = list(parameters.values())
    run.__signature__ = signature(function).replace(parameters=declared)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in declared}
    del run.__wrapped__
    return run
