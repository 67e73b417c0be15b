"""What waits for a person, for their calendar (iCalendar) and their feed reader (Atom), behind a secret address.

Calendars and feeds are passed on to other services, so nothing in them lets anybody play: they link to the public page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from xml.etree import ElementTree

from db import queries, table
from db.models import Player
from emails.language import Tongue, tongue
from server.links import BadLink, FeedLink
from server.rules import GAMES
from server.service import Service

LOOK_EVERY: Final = timedelta(minutes=30)
"""How often programs are asked to look."""

_FINISHED_FOR: Final = timedelta(days=30)
_ATOM: Final = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class Item:
    """Something in a match: an open decision (with `due`, if its time ends), a beginning to come, an end."""

    key: str
    title: str
    says: str
    url: str
    updated: datetime
    due: datetime | None = None


def reader_of(service: Service, token: str) -> Player:
    """Whose feed an address is. Raises BadLink when it was made invalid."""
    link = service.links.read_feed(token)
    with service.store.reading() as session:
        player = queries.players.by_id(session, link.player)
    if player is None or not player.email or player.links_epoch != link.epoch:
        raise BadLink("This address is not valid any more. The account's page has the new one.")
    return player


def address_of(service: Service, player: Player) -> str:
    """The secret address of a person's feeds; "make all my links invalid" ends it."""
    return service.links.feed_url(FeedLink(player.id, player.links_epoch))


def items(service: Service, player: Player, now: datetime) -> list[Item]:
    """The open decisions, the most urgent first; matches that begin on a date; what ended lately."""
    speech = tongue(player.language)
    with service.store.reading() as session:
        waits = table.next_waiting(session, player.id)
        held = [match for match, _ in queries.matches.of_player(session, player.id)]
    decisions = [
        Item(
            f"{row.match_id}-{row.number}-{row.asked}",
            speech.say("%(game)s: your decision", game=GAMES[row.game].title),
            _until(speech, row.due_at, player.zone),
            service.links.url(f"g/{row.match_id}"),
            row.asked_at,
            row.due_at,
        )
        for row in waits
    ]
    begins = [
        Item(
            f"{match.id}-begins",
            speech.say("%(game)s: the match begins", game=GAMES[match.game].title),
            _until(speech, match.starts_at, player.zone),
            service.links.url(f"g/{match.id}"),
            match.created_at,
            match.starts_at,
        )
        for match in held
        if match.status == "open" and match.starts_at
    ]
    ended = [
        Item(
            f"{match.id}-ended",
            speech.say("%(game)s: the match is over", game=GAMES[match.game].title),
            speech.say("Its page has the result."),
            service.links.url(f"g/{match.id}"),
            match.finished_at,
        )
        for match in held
        if match.status == "finished" and match.finished_at and match.finished_at > now - _FINISHED_FOR
    ]
    return decisions + begins + ended


def calendar(service: Service, player: Player, now: datetime) -> bytes:
    """An event at each moment when time is up, or when a match begins."""
    from icalendar import Calendar, Event

    found = Calendar()
    found.add("prodid", "-//Estafette//deadlines//")
    found.add("version", "2.0")
    found.add("method", "PUBLISH")
    found.add("x-wr-calname", "Estafette")
    found.add("refresh-interval", LOOK_EVERY, parameters={"VALUE": "DURATION"})
    found.add("x-published-ttl", "PT30M")
    for item in items(service, player, now):
        if item.due is None:
            continue
        event = Event()
        event.add("uid", f"{item.key}@{_host(service)}")
        event.add("dtstamp", item.updated)
        event.add("dtstart", item.due)
        event.add("summary", item.title)
        event.add("description", f"{item.says}\n{item.url}")
        event.add("url", item.url)
        event.add("transp", "TRANSPARENT")
        found.add_component(event)
    return bytes(found.to_ical())


def atom(service: Service, player: Player, now: datetime) -> bytes:
    """An entry for each open decision and each match that ended lately."""
    ElementTree.register_namespace("", _ATOM)
    found = items(service, player, now)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    _say(feed, "id", f"tag:{_host(service)},2026:{player.id}")
    _say(feed, "title", tongue(player.language).say("Estafette: what waits for %(name)s", name=player.name))
    _say(feed, "updated", _newest(found, player).isoformat())
    _say(_say(feed, "author"), "name", "Estafette")
    _say(feed, "link", rel="alternate", href=service.links.url("games"))
    _say(feed, "link", rel="self", href=f"{address_of(service, player)}/news.atom")
    for item in found:
        entry = _say(feed, "entry")
        _say(entry, "id", f"tag:{_host(service)},2026:{item.key}")
        _say(entry, "title", item.title)
        _say(entry, "updated", item.updated.isoformat())
        _say(entry, "link", rel="alternate", href=item.url)
        _say(entry, "summary", item.says)
    return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))


def _until(speech: Tongue, due: datetime | None, zone: str | None) -> str:
    return speech.moment(due, zone) if due else speech.say("There is no time limit.")


def _newest(found: Sequence[Item], player: Player) -> datetime:
    return max((item.updated for item in found), default=player.created_at)


def _host(service: Service) -> str:
    return service.settings.reply_domain


def _say(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes)
    element.text = text or None
    return element
