"""What players mean to answer and keep for later, for nobody else; it is played by nobody but them."""

from __future__ import annotations

from datetime import datetime

from db.engine import Store
from db.models import Draft
from server.links import MoveLink
from server.matches import Matches, NotYours, Stale


def keep(matches: Matches, link: MoveLink, text: str, *, stamp: str, now: datetime) -> None:
    """A legal answer to the link's open decision, instead of any kept before; empty: none.

    Raises Refused, Stale when the decision is another than `stamp` says, NotYours.
    """
    player_id, tenure = matches.holder(link.match, link.seat)
    if player_id is None or tenure != link.tenure:
        raise NotYours
    if text:
        view, preview = matches.preview(link, text)
        if view.decision is None or view.decision.stamp != stamp:
            raise Stale
        text = preview.submission
    with matches.store.writing() as session:
        if text:
            session.merge(Draft(match_id=link.match, player_id=player_id, stamp=stamp, text=text, at=now))
        elif found := session.get(Draft, (link.match, player_id)):
            session.delete(found)


def kept(store: Store, match_id: str, player_id: str, stamp: str) -> str | None:
    """The answer to this decision that its player has kept for later."""
    with store.reading() as session:
        found = session.get(Draft, (match_id, player_id))
        return found.text if found is not None and found.stamp == stamp else None
