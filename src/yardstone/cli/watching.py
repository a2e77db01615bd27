"""Watching files that grow: `--watch`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.errors import NoGamesError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import Skipped, SkipReport
    from yardstone.records.sources import Source

__all__ = ["News", "Watching"]

#: Exit status of a watch that was ended by hand; the same as of anything interrupted.
_INTERRUPTED = 130
#: So many records that were left out are named at a time.
_PLACES = 5


@dataclass(frozen=True)
class Watching:
    """Options of a command that can look at its files again and again."""

    watch: Annotated[
        bool,
        typer.Option("--watch", help="Look again whenever the files grow, until Ctrl-C."),
    ] = False
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", help="With --watch: how often.")
    ] = 2.0

    def follow(
        self,
        paths: Sequence[str],
        look: Callable[[Sequence[Source], bool], bool],
        *,
        query: str | None = None,
    ) -> int:
        """Call `look` whenever there are new whole games, until it is satisfied or Ctrl-C.

        Parameters
        ----------
        paths : sequence of str
        look : callable
            Takes the files as far as they are written, and whether this is the last look;
            says whether it has seen enough. Before the last look there may be no games yet.
        query : str, optional
            What was asked for in place of files, which cannot be followed.

        Returns
        -------
        int
            Exit status: 0, or 130 after Ctrl-C.
        """
        from yardstone.records.growing import growing_sources

        if query is not None:
            raise UsageError("--watch needs files that grow, not a query")
        if "-" in paths or not paths:
            raise UsageError("--watch needs files that grow")
        if not self.interval > 0.0:
            raise UsageError("--interval must be above 0 seconds")
        before: object = None
        try:
            while True:
                sources = growing_sources(paths)
                now = [_state(source) for source in sources]
                if sources and now != before:
                    before = now
                    with suppress(NoGamesError):  # there will be some
                        if look(sources, False):
                            return 0
                elif before is None:
                    self._wait(paths)
                    before = []
                time.sleep(self.interval)
        except KeyboardInterrupt:
            pass
        for source in (sources := growing_sources(paths)):
            source.limit = None
        if sources:
            look(sources, True)
        return _INTERRUPTED

    @staticmethod
    def _wait(paths: Sequence[str]) -> None:
        print(f"yardstone: waiting for {', '.join(paths)}", file=sys.stderr)


def _state(source: Source) -> tuple[object, ...]:
    """What changes when there is something new to read."""
    if source.limit is not None or source.path is None:
        return source.name, source.limit
    status = source.path.stat()
    return source.name, status.st_size, status.st_mtime_ns


class News:
    """Says what was left out, each record once."""

    def __init__(self) -> None:
        self._known: set[Skipped] = set()

    def tell(self, skipped: SkipReport) -> None:
        """Name the records that were not named before, on standard error."""
        fresh = [record for record in skipped.details if record not in self._known]
        self._known.update(fresh)
        for record in fresh[:_PLACES]:
            print(f"yardstone: skipped: {record}", file=sys.stderr)
        if (more := len(fresh) - _PLACES) > 0:
            print(f"yardstone: … and {more:,} other{'' if more == 1 else 's'}", file=sys.stderr)
