"""A decision's clock through any story of nights, vacations, pauses, stops and outages, against a count by quarters.

Whatever happens, the page, the mail and the worker name the same instant, and it is the one that the count comes to.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from db import queries
from emails.language import tongue
from server import absence, fresh_links, overtime, standstill, upkeep
from server.matches import Matches
from server.service import SEEN_KEY, Service
from tests.server.browsing import Browser
from tests.server.builders import HOUR, a_match, address_of, link_of, mails, text_of, worker_of
from tests.server.test_half_a_year import DAY, STEP, Person, _midnight

ZONES = ("Pacific/Kiritimati", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Brussels", "America/St_Johns", "UTC")
GIVEN = 60 * HOUR
MORE = 7 * HOUR
_NUMBERS = itertools.count()

quarters = st.integers(1, 200).map(lambda number: number * STEP)
deeds = st.sampled_from(("hours", "away", "back", "pause", "resume", "stop", "start", "down", "more", "nothing"))
weeks = st.tuples(
    st.sampled_from(ZONES),
    st.one_of(st.none(), st.tuples(st.integers(80, 95), st.integers(16, 32))),  # evening and morning, in quarters
    st.sets(st.integers(0, 6), max_size=3),
)
# the clocks change in the autumn in some of these zones, in the spring in others
beginnings = st.integers(0, 40 * 96).map(lambda number: datetime(2026, 10, 1, tzinfo=UTC) + number * STEP)


class Story:
    """A decision of somebody, what happens to its clock, and the count of how much of it has run."""

    def __init__(self, service: Service, start: datetime) -> None:
        self.service, self.now = service, start
        self.name = f"Clara{next(_NUMBERS)}"
        self.match_id = a_match(
            service.matches, start, people=(self.name, "Ben"),
            pace={"hours": GIVEN / HOUR, "night": 12, "days": 3, "vacation": True},
        )  # fmt: skip
        player_id, _ = service.matches.holder(self.match_id, 1)
        assert player_id is not None
        self.person = Person(self.name, player_id, [(start, "UTC", None, frozenset())])
        self.paused = self.stopped = False
        self.used, self.all = timedelta(), GIVEN

    def let_pass(self, span: timedelta, *, down: bool = False) -> None:
        """Time goes by; the count goes on by quarters of an hour, read off the clocks on the wall."""
        while span > timedelta():
            if not (down or self.paused or self.stopped or self.person.quiet(self.now)):
                self.used += STEP
            self.now, span = self.now + STEP, span - STEP

    @property
    def up(self) -> datetime:
        """When the count comes to its end, if nothing else happens."""
        at, left = self.now, self.all - self.used
        while left > timedelta():
            left -= timedelta() if self.person.quiet(at) else STEP
            at += STEP
        return at

    @property
    def is_over(self) -> bool:
        return self.used >= self.all

    @property
    def due(self) -> datetime | None:
        return self.service.matches.view(self.match_id, None).seats[0].due_at

    # -- what happens ----------------------------------------------------------------------------------------

    def hours(self, week: tuple[str, tuple[int, int] | None, set[int]]) -> None:
        zone, night, off = week
        told = ["", ""] if night is None else [f"{each // 4:02}:{each % 4 * 15:02}" for each in night]
        absence.set_hours(
            self.service.store, self.person.id,
            zone=zone, night_from=told[0], night_to=told[1], off=tuple(off), now=self.now,
        )  # fmt: skip
        minutes = None if night is None else (night[0] * 15, night[1] * 15)
        self.person.hours.append((self.now, zone, minutes, frozenset(off)))

    def away(self, days: int) -> None:
        zone = ZoneInfo(self.person.hours[-1][1])
        today = self.now.astimezone(zone).date()
        absence.go_away(self.service.store, self.person.id, str(today), str(today + days * DAY), self.now)
        self.person.away.append((self.now, _midnight(today + (days + 1) * DAY, zone)))

    def back(self) -> None:
        absence.come_back(self.service.store, self.person.id, self.now)
        self.person.away = [(start, min(end, self.now)) for start, end in self.person.away]

    def pause(self) -> None:
        upkeep.pause(self.service.matches, self.match_id, "", now=self.now, who="host")
        self.paused = True

    def resume(self) -> None:
        upkeep.resume(self.service.matches, self.match_id, now=self.now, who="host")
        self.paused = False

    def stop(self) -> None:
        standstill.stop_world(self.service.store, "", self.now)
        self.stopped = True

    def start(self) -> None:
        standstill.start_world(self.service.store, self.now)
        self.stopped = False

    def more(self) -> None:
        upkeep.extend(self.service.matches, self.match_id, 1, MORE, now=self.now, who="host")
        self.all += MORE

    def down(self, span: timedelta) -> None:
        with self.service.store.writing() as session:
            queries.world.put(session, SEEN_KEY, self.now.isoformat())
            queries.world.drop(session, f"downtime since {self.now.isoformat()}")  # another story's
        self.let_pass(span, down=True)
        standstill.after_downtime(self.service.store, self.now)

    def do(self, deed: str, week: tuple[str, tuple[int, int] | None, set[int]], span: timedelta) -> None:
        done: dict[str, Callable[[], None]] = {
            "hours": lambda: self.hours(week),
            "away": lambda: self.away(span // STEP % 7),
            "down": lambda: self.down(span),
            "nothing": lambda: None,
        }
        try:
            done.get(deed, lambda: getattr(self, deed)())()
        except ValueError:  # refused with a sentence; then nothing is changed, and the count is as before
            return

    def goes_on(self) -> None:
        """All that holds the clock up comes to its end, but for nights and vacations."""
        if self.stopped:
            self.start()
        if self.paused:
            self.resume()


@settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(start=beginnings, events=st.lists(st.tuples(quarters, deeds, weeks, quarters), max_size=7))
def test_whatever_happens_the_page_the_mail_and_the_worker_name_the_instant_of_the_count(
    service: Service, site: Flask, start: datetime, events: list[tuple[timedelta, str, object, timedelta]]
) -> None:
    story = Story(service, start)
    for gap, deed, week, span in events:
        before = story.used
        if story.up - story.now < gap and not (story.paused or story.stopped):
            break  # the time would be up before
        story.let_pass(gap)
        story.do(deed, week, span)  # type: ignore[arg-type]
        assert story.used >= before
        if story.paused or story.stopped:
            assert story.due is None
        else:
            assert story.due == story.up
    story.goes_on()
    up = story.up
    assert story.due == up
    _is_told(service, site, story, up)
    matches: Matches = service.matches
    overtime.expire(matches, up - timedelta(seconds=1))
    assert matches.view(story.match_id, None).version == 0
    overtime.expire(matches, up)
    assert matches.view(story.match_id, None).version > 0
    upkeep.abort(matches, story.match_id, "enough", now=up, who="test")


def _is_told(service: Service, site: Flask, story: Story, up: datetime) -> None:
    zone = story.person.hours[-1][1]
    told = tongue("en").moment(up, None if zone == "UTC" else zone)
    link = link_of(service.matches, story.match_id)
    page = Browser(site).get(service.links.move_url(link))
    assert told in page.text
    fresh_links.send(service.matches, link, now=story.now)
    awake = up - STEP
    while story.person.quiet(awake):
        awake -= STEP
    worker_of(service).tick(max(awake, story.now))
    mail = [mail for mail in mails(service, kind="turn") if address_of(story.name) in str(mail["To"])][-1]
    assert told in " ".join(text_of(mail).split())
