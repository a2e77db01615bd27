"""A mark for who makes a request: not the address itself, which is kept nowhere."""

from __future__ import annotations

import hashlib
import hmac
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["visitor_mark"]


def visitor_mark(request: Request, secret: bytes) -> str:
    """A mark of 96 bits that only this server can make.

    Of IPv6 the network counts, since a visitor has many addresses.
    """
    host = request.client.host if request.client is not None else ""
    try:
        address = ip_address(host.partition("%")[0])
        if isinstance(address, IPv6Address):
            mapped = address.ipv4_mapped
            host = str(mapped) if mapped is not None else address.exploded[:19]
    except ValueError:
        pass
    return hmac.new(secret, host.encode(), hashlib.sha256).hexdigest()[:24]
