"""Who may change a job: whoever has the owner's key, which the address does not tell.

The address of a job is for reading and can be shared. Whoever sends the files gets a key
beside it: programs in the answer, browsers as a cookie for that one address. The table
keeps only a hash of it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from yardstone.web.jobs import Job

__all__ = [
    "OWNER_COOKIE",
    "check_owner",
    "is_owner",
    "key_mark",
    "new_key",
    "remember_key",
    "sent_key",
]

OWNER_COOKIE = "yardstone_owner"
_KEY_BYTES = 18
_SCHEME = "bearer "


def new_key(secret: bytes, request: str | None = None) -> str:
    """A key of 144 bits: random, or always the same for a request that may come again.

    Parameters
    ----------
    secret : bytes
        Of the server.
    request : str, optional
        What the request is known by: its sender and ``Idempotency-Key``.
    """
    if request is None:
        return secrets.token_urlsafe(_KEY_BYTES)
    return hmac.new(secret, b"owner:" + request.encode(), hashlib.sha256).hexdigest()[:36]


def key_mark(key: str) -> str:
    """What the table keeps of a key; it cannot be turned back."""
    return hashlib.sha256(b"owner:" + key.encode()).hexdigest()


def sent_key(request: Request) -> str:
    """The key that comes with a request: ``Authorization: Bearer KEY``, or the cookie."""
    header = request.headers.get("authorization", "")
    if header.lower().startswith(_SCHEME):
        return header[len(_SCHEME) :].strip()
    return request.cookies.get(OWNER_COOKIE, "")


def remember_key(response: Response, key: str, path: str, seconds: float, *, secure: bool) -> None:
    """Leave the key with a browser, which sends it to this path only."""
    response.set_cookie(
        OWNER_COOKIE,
        key,
        max_age=max(int(seconds), 1),
        path=path,
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def is_owner(job: Job, key: str) -> bool:
    """Whether this is the key of the job."""
    return job.owner is not None and hmac.compare_digest(job.owner, key_mark(key))


def check_owner(job: Job, key: str, *, ownerless: bool = False) -> None:
    """Refuse to change a job without its owner's key.

    Parameters
    ----------
    job : Job
    key : str
    ownerless : bool
        Let pass a job that was made before jobs had owners.

    Raises
    ------
    RequestProblem
        The key is missing or wrong, or the job has none.
    """
    if is_owner(job, key) or (ownerless and job.owner is None):
        return
    if job.owner is None:
        raise RequestProblem(
            403,
            "no_owner",
            "This job was made before jobs had owners; nobody can delete it.",
            "It is deleted when it expires.",
        )
    raise RequestProblem(
        403,
        "not_owner",
        "Only who sent the files can do that.",
        "Programs send the owner's key: Authorization: Bearer KEY. People use the owner's link, "
        "or the browser that sent the files.",
    )
