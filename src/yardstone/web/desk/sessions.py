"""Who is a helper: one password for all, a signed cookie for each browser.

The cookie says who somebody is, signed with a key made of the password: the server keeps
nothing, so helpers stay signed in when it starts again with the same password, and a new
password ends all sessions. Every form carries a key made of the cookie, which no other site
can know.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.web.problems import RequestProblem
from yardstone.web.rate_limit import RateLimit
from yardstone.web.settings import Limits

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["COOKIE", "Helper", "Sessions"]

COOKIE = "yardstone_desk"
#: Seconds for which a helper stays signed in.
LASTING = 5 * 86_400
#: Guesses a minute, of one visitor and of all.
_GUESSES, _ALL_GUESSES = 10, 60
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Helper:
    """Somebody who may change the tournament: the name given, perhaps empty, and the cookie."""

    name: str
    token: str


class Sessions:
    """Signs helpers in, and knows them again.

    Parameters
    ----------
    password : str
        Empty where everybody is a helper.
    place : str
        What the desk is of, so that two desks with one password have different keys.
    clock : callable
        Seconds since 1970.
    """

    def __init__(self, password: str, place: str, clock: Callable[[], float] = time.time) -> None:
        self.guarded = bool(password)
        self._clock = clock
        self._mark = secrets.token_bytes(32)
        self._password = self._marked(password)
        self._secret = (
            hashlib.scrypt(password.encode(), salt=place.encode(), n=1 << 14, r=8, p=1)
            if password
            else secrets.token_bytes(32)
        )
        self._guesses = _rate(_GUESSES)
        self._all_guesses = _rate(_ALL_GUESSES)

    def sign_in(self, password: str, name: str, client: str) -> Helper:
        """A helper who knows the password.

        Raises
        ------
        RequestProblem
            It is not the password, or there were too many guesses.
        """
        self._guesses.check(client, "POST")
        self._all_guesses.check("everybody", "POST")
        if not hmac.compare_digest(self._marked(password.strip()), self._password):
            raise RequestProblem(
                403,
                "wrong_password",
                "That is not the password.",
                "It was printed where the desk was started; ask whoever started it.",
            )
        return self.new_helper(name)

    def new_helper(self, name: str = "") -> Helper:
        """A helper with a new cookie."""
        short = " ".join(name.split())[:_LONGEST_NAME]
        plain = [short, int(self._clock()), secrets.token_hex(8)]
        body = base64.urlsafe_b64encode(json.dumps(plain, ensure_ascii=False).encode()).decode()
        return Helper(short, f"{body}.{self._sign('cookie', body)}")

    def helper(self, request: Request) -> Helper | None:
        """Who asks, if it is a helper."""
        token = request.cookies.get(COOKIE, "")
        body, _, sign = token.partition(".")
        if not sign or not hmac.compare_digest(sign.encode(), self._sign("cookie", body).encode()):
            return None
        name, since, _ = json.loads(base64.urlsafe_b64decode(body))
        if not 0 <= self._clock() - since <= LASTING:
            return None
        return Helper(name, token)

    def form_key(self, helper: Helper) -> str:
        """What every form of this helper must carry."""
        return self._sign("form", helper.token)

    def check_form(self, request: Request, helper: Helper, key: str) -> None:
        """Refuse a form that did not come from a page of this desk.

        Raises
        ------
        RequestProblem
            Another site may have made it, or the page is older than the server.
        """
        elsewhere = request.headers.get("sec-fetch-site", "same-origin") not in (
            "same-origin",
            "none",
        )
        if elsewhere or not hmac.compare_digest(key.encode(), self.form_key(helper).encode()):
            raise self.old_page()

    def old_page(self) -> RequestProblem:
        """The refusal of a form from a page that the desk did not make, or not since it started."""
        return RequestProblem(
            403,
            "old_page",
            "The page was older than the desk: nothing was changed.",
            "Load the page again, and do it once more.",
        )

    def remember(self, response: Response, helper: Helper, path: str, *, secure: bool) -> None:
        """Leave the cookie with the browser."""
        response.set_cookie(
            COOKIE,
            helper.token,
            max_age=LASTING,
            path=path or "/",
            secure=secure,
            httponly=True,
            samesite="lax",
        )

    def _marked(self, password: str) -> bytes:
        """A text of one length for each password, to compare in equal time."""
        return hmac.new(self._mark, password.encode(), hashlib.sha256).digest()

    def _sign(self, purpose: str, text: str) -> str:
        whole = f"{purpose}:{text}".encode()
        return hmac.new(self._secret, whole, hashlib.sha256).hexdigest()


def _rate(minute: int) -> RateLimit:
    return RateLimit(Limits(requests_minute=minute, posts_minute=minute))
