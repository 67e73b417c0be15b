"""How often somebody may do something: counted in the database, so that all processes count together."""

from __future__ import annotations

import hmac
import ipaddress
from datetime import datetime, timedelta
from typing import Final

from db import queries
from server.service import Service


class Often:
    """At most `most` times in so many minutes for each one."""

    def __init__(self, what: str, most: int, *, minutes: int) -> None:
        self._what = what
        self._most = most
        self._span = timedelta(minutes=minutes)

    def may(self, service: Service, who: str, now: datetime) -> bool:
        mark = hmac.digest(service.settings.secret_keys[0].encode(), f"{self._what}/{_network(who)}".encode(), "sha256")
        with service.store.writing() as session:
            return queries.tallies.count_once_more(session, mark.hex()[:32], now, until=now + self._span) <= self._most


BEGUN: Final = Often("new matches", 30, minutes=60)
"""Of one person: each sends invitations to whoever is named in it."""


def _network(who: str) -> str:
    """One home has a whole network of IPv6 addresses."""
    try:
        address = ipaddress.ip_address(who)
    except ValueError:
        return who
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return who
