"""A player's own hours, reminders and vacations. A change reaches every clock that runs for them in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median_low
from typing import Any, Final

from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.models import Player
from emails.language import gettext as _
from emails.language import ngettext, spoken
from server import clocks
from server.hours import Clock, Stretch, away_as_json, away_from_json, hours_as_json, read_hours, read_zone, zone_of
from server.pace import pace_of
from server.reminders import read_thresholds
from server.vacations import back_early, read_vacation, vacation_used, without


@dataclass(frozen=True)
class Record:
    """How somebody has answered lately: of how many decisions, which share in time, and half of them within what."""

    decisions: int
    share: float
    median: timedelta | None

    @property
    def told(self) -> str:
        if not self.decisions:
            return _("No decisions yet.")
        share = spoken().percent(self.share)
        told = ngettext(
            "In time: %(share)s of the last decision.",
            "In time: %(share)s of the last %(number)s decisions.",
            self.decisions,
            share=share,
        )
        if self.median:
            told += " " + _("Half of them took no longer than %(span)s.", span=_about(self.median))
        return told


SETTLED_FOR: Final = timedelta(hours=20)
"""Hours that could be moved along with the clock would stop it for good."""
_KEPT_FOR: Final = timedelta(days=800)


@dataclass(frozen=True)
class _Holder:
    """What of a player's row counts for clocks."""

    zone: str | None
    hours: dict[str, Any] | None
    away: list[Any] | None
    reminders: str | None = None


def set_hours(
    store: Store, player_id: str, *, zone: str, night_from: str, night_to: str, off: Iterable[object], now: datetime
) -> None:
    """Time zone, night and days off. Raises ValueError with a sentence; then nothing is changed."""
    wanted = read_hours(read_zone(zone), night_from, night_to, off)

    def change(player: Player) -> None:
        old = clocks.hours_of(player)
        if wanted == old:
            return
        if player.hours:
            _must_be_settled(player.hours, now)
        player.zone = wanted.zone
        has_some = wanted.night is not None or wanted.off
        player.hours = hours_as_json(wanted) | {"since": now.isoformat()} if has_some or player.hours else None

    _change(store, player_id, change, now)


def set_zone(session: Session, player: Player, zone: str, now: datetime) -> None:
    """In the caller's transaction: another zone, and the same night on its clocks."""
    new = read_zone(zone)
    if new == player.zone:
        return
    before = _holder(player)
    if player.hours:
        _must_be_settled(player.hours, now)
        player.hours = player.hours | {"since": now.isoformat()}
    player.zone = new
    session.add(player)
    session.flush()
    _carry(session, player, before, now)


def set_reminders(store: Store, player_id: str, told: str, now: datetime) -> None:
    """Thresholds like "50% 12h"; empty for none. Raises ValueError with a sentence."""
    kept = " ".join(str(each) for each in read_thresholds(told))

    def change(player: Player) -> None:
        player.reminders = kept

    _change(store, player_id, change, now)


def go_away(store: Store, player_id: str, first: str, last: str, now: datetime) -> None:
    """A vacation from one day to another. Raises ValueError with a sentence: past, doubled, more than the budget."""

    def change(player: Player) -> None:
        away = tuple(each for each in away_from_json(player.away) if each.end > now - _KEPT_FOR)
        player.away = away_as_json(read_vacation(first, last, hours=clocks.hours_of(player), away=away, now=now))

    _change(store, player_id, change, now)


def come_back(store: Store, player_id: str, now: datetime) -> None:
    """End the present vacation; the days that are left stay in the budget. Doing it again does no harm."""

    def change(player: Player) -> None:
        player.away = away_as_json(back_early(away_from_json(player.away), now))

    _change(store, player_id, change, now)


def cancel(store: Store, player_id: str, start: str, now: datetime) -> None:
    """Give up a vacation that has not begun."""
    try:
        begins = datetime.fromisoformat(start).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(_("There is no vacation that begins then.")) from None

    def change(player: Player) -> None:
        player.away = away_as_json(without(away_from_json(player.away), begins, now))

    _change(store, player_id, change, now)


def vacations(player: Player, now: datetime) -> tuple[Stretch, ...]:
    """The present one and those to come."""
    return tuple(each for each in away_from_json(player.away) if each.end > now)


def budget_used(player: Player, now: datetime) -> timedelta:
    """Of the budget of the present year, booked days included."""
    zone = zone_of(player.zone)
    return vacation_used(away_from_json(player.away), now.astimezone(zone).year, zone)


def record(store: Store, player_id: str) -> Record:
    """For the player's page; lateness is the late player's alone."""
    with store.reading() as session:
        answers = queries.players.latest_answers(session, player_id)
    times = sorted(took for took, _ in answers if took is not None)
    in_time = sum(not late for _, late in answers)
    return Record(len(answers), in_time / len(answers) if answers else 1.0, median_low(times) if times else None)


def _about(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    if hours < 1:
        return ngettext("%(number)d minute", "%(number)d minutes", max(round(hours * 60), 1))
    if hours < 48:
        return ngettext("%(number)d hour", "%(number)d hours", round(hours))
    return ngettext("%(number)d day", "%(number)d days", round(hours / 24))


def _change(store: Store, player_id: str, change: Callable[[Player], None], now: datetime) -> None:
    with store.writing() as session:
        player = queries.players.locked(session, player_id)
        if player is None:
            return
        before = _holder(player)
        change(player)
        session.add(player)
        session.flush()
        _carry(session, player, before, now)


def _carry(session: Session, player: Player, before: _Holder, now: datetime) -> None:
    """What has run until now ran by the old hours; from now on the clocks run by the new ones."""
    if _holder(player) == before:
        return
    for match_id, number in sorted(table.seats_held(session, player.id)):
        match = table.match_row(session, match_id, locked=True)
        seat = table.seat_rows(session, match_id)[number - 1]
        if match is None or match.status != "running" or seat.player_id != player.id or seat.runs_since is None:
            continue
        agreed = pace_of(match.pace)
        old = Clock(seat.time_given, seat.time_left, seat.runs_since, clocks.calendar_of(before, agreed))
        clock = old.at(now, calendar=clocks.calendar_of(seat, agreed))
        if old.due > now:
            table.change_seat(session, match_id, number, **clocks.columns_of(clock, seat, now, again=True))
    queries.letters.look_again(session, player.id, now)


def _must_be_settled(kept: dict[str, Any], now: datetime) -> None:
    since = kept.get("since")
    if since and now < (until := datetime.fromisoformat(since) + SETTLED_FOR):
        raise ValueError(
            _(
                "Hours can be changed again in %(hours)s hours; until then they stay, so that nobody's clock "
                "stands still for longer than a night.",
                hours=round((until - now) / timedelta(hours=1)),
            )
        )


def _holder(player: Player) -> _Holder:
    return _Holder(player.zone, player.hours, player.away, player.reminders)
