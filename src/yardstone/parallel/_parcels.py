"""What goes to a worker and comes back from it: pickled, and errors with their tracebacks."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from yardstone.errors import UsageError, WorkerError

if TYPE_CHECKING:
    from yardstone.parallel._work import Chunk

__all__ = ["Failure", "failed", "failure_parcel", "packed", "work_on"]

#: Makes bytes of anything that can be sent.
Dumps = Callable[[Any, int], bytes]


class Failure(NamedTuple):
    """What a worker sends when the function raised."""

    place: int | None  # in the chunk; None before its first item
    error: Exception | None  # None if it cannot be sent
    text: str  # the traceback, as text


def packed(thing: Any, name: str, dumps: Dumps = pickle.dumps) -> bytes:
    """The thing as bytes; where it cannot be sent, an error that says so by this name."""
    try:
        return dumps(thing, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise UsageError(
            f"{name} cannot go to another process ({error}): "
            "use threads=True, workers=1, or what is defined at the top level of a module"
        ) from error


def work_on(function: Callable[[Any], Any], data: bytes, dumps: Dumps = pickle.dumps) -> bytes:
    """Results of the items in a parcel, or what went wrong, as a parcel."""
    place = None
    try:
        results = []
        for place, item in enumerate(pickle.loads(data)):  # noqa: B007
            results.append(function(item))
        return packed(results, "a result", dumps)
    except Exception as error:
        return failure_parcel(place, error)


def failure_parcel(place: int | None, error: Exception) -> bytes:
    """What is sent when the function raised, or could not be taken."""
    text = "".join(traceback.format_exception(error))
    try:
        data = pickle.dumps(Failure(place, error, text))
        pickle.loads(data)  # some errors go in but do not come out
    except Exception:
        return pickle.dumps(Failure(place, None, text))
    return data


def failed(failure: Failure, chunk: Chunk | None) -> Exception:
    """The error of a worker as it is raised here."""
    if chunk is None or failure.place is None:
        where = "while starting"
    else:
        where = f"while working on {chunk.name(failure.place)}"
    if failure.error is None:
        return WorkerError(f"a worker failed {where}\n{failure.text}")
    failure.error.add_note(f"{where}, in a worker:\n{failure.text}")
    return failure.error
