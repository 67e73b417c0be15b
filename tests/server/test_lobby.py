"""How a match gets its people: free seats, links that are passed on, a date, the same again, and who has to wait."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from flask import Flask

from db import queries, table
from emails.language import speaking, tongue
from server import beginning, lobby, upkeep
from server.beginning import SeatWish, Wish
from server.links import JoinLink, OpenLink
from server.matches import Matches
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    id_of,
    letters,
    mails,
    play_to_the_end,
    text_of,
    worker_of,
)


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


@pytest.fixture
def known(service: Service, now: datetime) -> None:
    """Ann, Ben and Cat have an account."""
    a_match(service.matches, now, game="crusade", people=("Ann", "Ben", "Cat"), pace="week")


def an_open_match(
    service: Service, now: datetime, *, free: int = 1, public: bool = True, host: str = "Ann", **wish: object
) -> str:
    """A match in which its host sits, with free seats."""
    seats = [SeatWish(host, address_of(host)), *[SeatWish(free=True)] * free]
    return beginning.create(
        service.matches,
        Wish("regions", seats, public=public, **wish),  # type: ignore[arg-type]
        host=id_of(service, host),
        now=now,
    )


def status_of(service: Service, match_id: str) -> str:
    return str(service.matches.status(match_id).status)


def as_(service: Service, site: Flask, name: str) -> Browser:
    browser = Browser(site)
    sign_in(service, browser, name)
    return browser


# Matches for everybody


def test_a_public_match_is_set_up_listed_joined_and_begins_when_full(
    service: Service, site: Flask, known: None
) -> None:
    ann, ben = as_(service, site, "Ann"), as_(service, site, "Ben")
    page = ann.get("/games/new?game=regions")
    page = ann.press(page, "Send the invitations", free1="1", public="1", pace="day")
    match_id = page.address.rpartition("/")[2]
    assert "It begins when the last seat is taken." in page.text

    page = ben.get("/")
    assert "1 seat is free. These are there: Ann ." in page.text
    assert "for each decision" in page.text
    page = ben.get(page.link("Look at it"))
    page = ben.press(page, "Yes, I play", name="Benno")
    assert status_of(service, match_id) == "running"
    assert service.matches.view(match_id, None).names == ("Ann", "Benno")
    assert "Matches with free seats" not in Browser(site).get("/").text
    worker_of(service).tick()
    for name in ("Ann", "Ben"):
        assert f"#{match_id}" in str(mails(service, name, "started")[-1]["Subject"])


def test_a_match_that_is_not_public_is_neither_listed_nor_joined(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, public=False)
    ben = as_(service, site, "Ben")
    assert f"#{match_id}" not in ben.get("/").text
    assert "Yes, I play" not in ben.get(f"/g/{match_id}").text
    assert ben.post(f"/g/{match_id}/join").headings == ["This link is over"]
    assert status_of(service, match_id) == "open"


def test_nobody_sits_down_twice_and_the_last_seat_is_one_persons(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, free=2)
    ben = as_(service, site, "Ben")
    ben.post(f"/g/{match_id}/join")
    page = ben.post(f"/g/{match_id}/join")
    assert page.status == 422
    assert "You have a seat in this match already." in page.text
    lobby.take(service.matches, match_id, id_of(service, "Cat"), name="", now=now)
    assert status_of(service, match_id) == "running"
    a_match(service.matches, now, people=("Dan", "Eve"))
    with pytest.raises(ValueError, match="has begun"):
        lobby.take(service.matches, match_id, id_of(service, "Dan"), name="", now=now)


def test_joining_takes_a_form_of_somebody_signed_in(service: Service, browser: Browser, known: None) -> None:
    match_id = an_open_match(service, service.now())
    page = browser.press(browser.get(f"/g/{match_id}"), "Yes, I play")
    assert page.status == 401
    assert "Sign in to join the match." in page.text
    assert status_of(service, match_id) == "open"


def test_opening_pages_of_an_open_match_changes_nothing(
    service: Service, browser: Browser, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now)
    token = service.links.join_url(OpenLink(match_id, 1))
    before = service.matches.status(match_id).revision
    for address in ("/", f"/g/{match_id}", token, f"{token}/decline"):
        browser.get(address)
    assert service.matches.status(match_id).revision == before


# Links that are passed on


def shared(page: Page) -> str:
    return page.source.partition('id="share" value="')[2].partition('"')[0]


def test_a_link_that_is_passed_on_brings_somebody_without_account_in(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, public=False)
    link = shared(as_(service, site, "Ann").get(f"/g/{match_id}"))
    zoe = Browser(site)
    page = zoe.press(zoe.get(link), "Send me the invitation", name="Zoe", email=address_of("Zoe"))
    assert page.headings == ["Look into your mail"]
    assert status_of(service, match_id) == "open", "nobody is in before the mail is answered"
    worker_of(service).tick()
    page = zoe.get(url_in(mails(service, "Zoe", "invitation")[0], "/join/"))
    assert "Ann invites you to a match." in page.text
    assert "You are in." in zoe.press(page, "Yes, I play").text
    assert status_of(service, match_id) == "running"


def test_whoever_is_signed_in_takes_the_seat_at_once(service: Service, site: Flask, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, public=False)
    ben = as_(service, site, "Ben")
    ben.press(ben.get(service.links.join_url(OpenLink(match_id, 1))), "Yes, I play")
    assert status_of(service, match_id) == "running"


def test_the_link_tells_nobody_whether_an_address_is_in(
    service: Service, browser: Browser, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, free=2, public=False)
    link = service.links.join_url(OpenLink(match_id, 1))
    told = [browser.post(link, {"email": address_of(name), "name": "X"}) for name in ("Zoe", "Ann", " ZOE")]
    assert {page.status for page in told} == {200}
    assert told[0].source.replace("zoe", "ann") == told[1].source
    with service.store.reading() as session:
        held = [seat.player_id for seat in queries.seats.of(session, match_id)]
    assert held[:2] == [id_of(service, "Ann"), id_of(service, "Zoe")]
    assert held[2] is None, "one seat is enough for one person, however the address is written"


def test_a_link_of_before_is_over_when_the_host_made_a_new_one(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, public=False)
    ann = as_(service, site, "Ann")
    old = shared(ann.get(f"/g/{match_id}"))
    page = ann.press(ann.get(f"/g/{match_id}"), "Make this link invalid")
    assert shared(page) != old
    zoe = Browser(site)
    assert zoe.get(old).headings == ["This link is over"]
    assert zoe.post(old, {"email": address_of("Zoe"), "name": "Zoe"}).headings == ["This link is over"]
    assert zoe.get(shared(page)).headings[0] == "Richelieu (2003)"


@pytest.mark.parametrize("address", ["", "zoe", "zoe@x.example\r\nBcc: a@b.example", "z" * 250 + "@x.example"])
def test_what_is_no_address_is_said_and_keeps_no_seat(
    service: Service, browser: Browser, known: None, address: str
) -> None:
    match_id = an_open_match(service, service.now(), public=False)
    page = browser.post(service.links.join_url(OpenLink(match_id, 1)), {"email": address, "name": "Zoe"})
    assert page.status == 422
    with service.store.reading() as session:
        assert queries.seats.of(session, match_id)[1].player_id is None


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\u202eevil\u202c", "evil"),
        ("Z" * 300, "Z" * 40),
        (" \u200b\t ", "Ben"),
        ("ann", "ann 2"),
    ],
)
def test_a_name_is_made_fit_to_be_read_by_others(
    service: Service, site: Flask, known: None, typed: str, shown: str
) -> None:
    match_id = an_open_match(service, service.now(), free=2)
    ben = as_(service, site, "Ben")
    page = ben.post(f"/g/{match_id}/join", {"name": typed})
    assert f"<bdi>{shown}</bdi>" in page.source
    assert "<script>alert" not in page.source


# Turning down, getting up, and the host


def test_an_invitation_can_be_turned_down_and_the_host_hears_of_it(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = a_match(service.matches, now, start=False, host=id_of(service, "Ann"))
    worker_of(service).tick()
    ben = Browser(site)
    url = url_in(mails(service, "Ben", "invitation")[-1], "/join/")
    assert ben.press(ben.get(url), "No, not this time").headings == ["You do not play"]
    assert ben.get(url).headings == ["This invitation is over"]
    worker_of(service).tick()
    assert f"Ben does not play in match #{match_id}" in text_of(mails(service, "Ann", "notice")[-1])

    ann = as_(service, site, "Ann")
    page = ann.press(ann.get(f"/g/{match_id}"), "Invite", email=address_of("Cat"), name="Cat")
    assert "The invitation is on its way." in page.text
    worker_of(service).tick()
    url = url_in(mails(service, "Cat", "invitation")[-1], "/join/")
    assert "You are in." in Browser(site).press(Browser(site).get(url), "Yes, I play").text
    assert status_of(service, match_id) == "running"


def test_a_free_seat_is_called_so_in_the_language_of_each_reader(service: Service, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now)
    assert service.matches.view(match_id, None).names == ("Ann", "Free seat 2")
    with speaking(tongue("nl")):
        assert service.matches.view(match_id, None).names == ("Ann", "Vrije plaats 2")


def test_whoever_gets_up_frees_the_seat(service: Service, site: Flask, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, free=2)
    ben = as_(service, site, "Ben")
    ben.post(f"/g/{match_id}/join")
    page = ben.press(ben.get(f"/g/{match_id}"), "Give up my seat")
    assert "You have given up your seat." in page.text
    assert "Ben" not in page.text
    assert ben.post(f"/g/{match_id}/leave").status == 422


def test_the_host_lets_the_house_play_takes_back_and_begins(service: Service, site: Flask, now: datetime) -> None:
    a_match(service.matches, now)
    match_id = beginning.create(
        service.matches,
        Wish(
            "crusade",
            [
                *(SeatWish("Ann", address_of("Ann")), SeatWish("Ben", address_of("Ben"))),
                *(SeatWish(free=True), SeatWish(free=True)),
            ],
        ),
        host=id_of(service, "Ann"),
        now=now,
    )
    ann = as_(service, site, "Ann")
    worker_of(service).tick()
    url = url_in(mails(service, "Ben", "invitation")[-1], "/join/")
    page = ann.press(ann.get(f"/g/{match_id}"), "Take the invitation back")
    assert "The seat is free." in page.text
    assert Browser(site).get(url).headings == ["This invitation is over"]
    page = ann.press(page, "The house plays here")
    assert page.text.count(": the house") == 1
    ann.press(page, "Begin now")
    assert status_of(service, match_id) == "running"
    assert [seat.house for seat in service.matches.view(match_id, None).seats] == [False, True, True, True]


def test_nobody_but_the_host_changes_the_match(service: Service, site: Flask, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, free=2)
    ben = as_(service, site, "Ben")
    for do in ("begin", "off", "house", "free", "round", "invite"):
        assert ben.post(f"/g/{match_id}/host", {"do": do, "seat": "2"}).status == 403
        assert Browser(site).post(f"/g/{match_id}/host", {"do": do, "seat": "2"}).status == 401
    assert status_of(service, match_id) == "open"


@pytest.mark.parametrize("fields", [{}, {"do": "x"}, {"do": "house"}, {"do": "house", "seat": "99"},
                                    {"do": "house", "seat": "²"}, {"do": "free", "seat": "1"}])  # fmt: skip
def test_deeds_and_seats_that_are_none_change_nothing(
    service: Service, site: Flask, known: None, fields: dict[str, str]
) -> None:
    match_id = an_open_match(service, service.now(), free=1)
    ann = as_(service, site, "Ann")
    assert ann.post(f"/g/{match_id}/host", fields).status in (404, 422)
    assert status_of(service, match_id) == "open"


def test_a_match_is_called_off(service: Service, site: Flask, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now)
    ann = as_(service, site, "Ann")
    ann.press(ann.get(f"/g/{match_id}"), "Call it off")
    assert status_of(service, match_id) == "aborted"
    assert Browser(site).get(service.links.join_url(OpenLink(match_id, 1))).headings == ["This link is over"]


# A date


def test_a_match_begins_on_its_date_and_the_house_fills_up(service: Service, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, free=2, starts_at=now + 5 * HOUR)
    lobby.take(service.matches, match_id, id_of(service, "Ben"), name="", now=now)
    worker = worker_of(service)
    service.clock.forward(4 * HOUR)
    worker.tick()
    assert status_of(service, match_id) == "open"
    service.clock.forward(2 * HOUR)
    worker.tick()
    assert status_of(service, match_id) == "running"
    assert [seat.house for seat in service.matches.view(match_id, None).seats] == [False, False, True]


def test_with_a_date_a_full_match_waits_for_it(service: Service, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, starts_at=now + 5 * HOUR)
    lobby.take(service.matches, match_id, id_of(service, "Ben"), name="", now=now)
    assert status_of(service, match_id) == "open"
    assert lobby.begin_due(service.matches, now + 6 * HOUR) == 1
    assert status_of(service, match_id) == "running"
    assert lobby.begin_due(service.matches, now + 7 * HOUR) == 0


def test_a_match_to_which_nobody_came_is_called_off(service: Service, known: None, now: datetime) -> None:
    match_id = an_open_match(service, now, free=2, starts_at=now + HOUR)
    service.clock.forward(2 * HOUR)
    lobby.begin_due(service.matches, service.now())
    assert status_of(service, match_id) == "aborted"
    worker_of(service).tick()
    assert "Too few people had come by its date." in text_of(mails(service, "Ann", "notice")[-1])


def test_who_was_invited_and_is_too_late_hears_of_it(service: Service, known: None, now: datetime) -> None:
    seats = [SeatWish(name, address_of(name)) for name in ("Ann", "Ben", "Cat")]
    wish = Wish("regions", seats, starts_at=now + HOUR)
    match_id = beginning.create(service.matches, wish, host=id_of(service, "Ann"), now=now)
    beginning.accept(service.matches, JoinLink(match_id, 2, 1), name=None, now=now)
    service.clock.forward(2 * HOUR)
    lobby.begin_due(service.matches, service.now())
    assert status_of(service, match_id) == "running"
    worker_of(service).tick()
    assert f"Match #{match_id} has begun without you" in text_of(mails(service, "Cat", "notice")[-1])


@pytest.mark.parametrize("begins", ["yesterday", "2026-13-45T25:00", "2020-01-01T00:00", "9999-12-31T23:59", "0"])
def test_a_date_that_is_none_is_said(service: Service, site: Flask, known: None, begins: str) -> None:
    ann = as_(service, site, "Ann")
    page = ann.press(ann.get("/games/new?game=regions"), "Send the invitations", free1="1", begins=begins)
    assert page.status == 422
    assert page.form(field="begins").fields["begins"] == begins


def test_a_date_is_read_on_the_clock_of_its_host() -> None:
    now = datetime.fromisoformat("2026-11-30T09:00:00+00:00")
    begins = lobby.read_begin("2026-12-01T18:00", "Europe/Brussels", now)
    assert begins == datetime.fromisoformat("2026-12-01T17:00:00+00:00")


# The same people again


def test_the_same_people_play_again_once_whoever_presses_first(service: Service, site: Flask, now: datetime) -> None:
    match_id = a_match(service.matches, now, options={"short": True}, pace="day")
    play_to_the_end(service.matches, match_id, now)
    ann, ben = as_(service, site, "Ann"), as_(service, site, "Ben")
    page = ann.press(ann.get(f"/g/{match_id}"), "Play again with the same people")
    again = page.address.rpartition("/")[2]
    assert again != match_id
    assert "ben@" not in page.source
    assert ben.press(ben.get(f"/g/{match_id}"), "Play again").address == page.address
    worker_of(service).tick()
    url = url_in(mails(service, "Ben", "invitation")[-1], "/join/")
    assert "You are in." in ben.press(ben.get(url), "Yes, I play").text
    view = service.matches.view(again, None)
    assert view.status == "running"
    assert view.options["short"] is True
    assert view.pace["name"] == "day"
    assert sorted(seat.name for seat in view.seats) == sorted(
        seat.name for seat in service.matches.view(match_id, None).seats
    )


def test_only_who_has_played_can_ask_for_another_one(service: Service, site: Flask, known: None, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    assert as_(service, site, "Ann").post(f"/g/{match_id}/again").status == 422, "it is not over yet"
    play_to_the_end(service.matches, match_id, now)
    assert as_(service, site, "Cat").post(f"/g/{match_id}/again").status == 403
    assert Browser(site).post(f"/g/{match_id}/again").status == 401


def test_after_one_that_was_called_off_another_can_be_had(service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    play_to_the_end(service.matches, match_id, now)
    ann = id_of(service, "Ann")
    first = lobby.again(service.matches, match_id, ann, now=now)
    assert lobby.again(service.matches, match_id, id_of(service, "Ben"), now=now) == first
    lobby.leave(service.matches, first, ann, now=now)
    upkeep.abort(service.matches, first, "", now=now, who="host")
    assert lobby.again(service.matches, match_id, ann, now=now) != first


# Who lets others wait


def late(service: Service, matches: Matches, name: str, now: datetime, *, decisions: int, in_time: int) -> None:
    """Somebody has answered so many decisions, and so many of them in time."""
    match_id = a_match(matches, now, people=(name, "Hal"))
    with service.store.writing() as session:
        for number in range(decisions):
            table.put_move(
                session, match_id=match_id, question=1000 + number, seat=1, text="end", once=None, at=now,
                by="player", shows=False, digest=None, player_id=id_of(service, name), took=timedelta(hours=1),
                late=number >= in_time,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("decisions", "in_time", "live", "refused"),
    [(20, 10, 3, True), (20, 10, 2, False), (20, 16, 5, False), (9, 0, 5, False)],
)
def test_who_lets_others_wait_has_a_limit_of_matches(
    service: Service, now: datetime, decisions: int, in_time: int, live: int, refused: bool
) -> None:
    for _ in range(live - 1):
        a_match(service.matches, now)
    late(service, service.matches, "Ann", now, decisions=decisions, in_time=in_time)
    assert bool(lobby.refusal(service.store, id_of(service, "Ann"))) is refused


def test_the_limit_is_said_where_a_match_is_begun_or_joined(
    service: Service, site: Flask, known: None, now: datetime
) -> None:
    match_id = an_open_match(service, now, host="Cat")
    late(service, service.matches, "Ann", now, decisions=20, in_time=5)
    for _ in range(2):
        a_match(service.matches, now)
    ann = as_(service, site, "Ann")
    for page in (
        ann.post(f"/g/{match_id}/join"),
        ann.press(ann.get("/games/new?game=regions"), "Send the invitations", free1="1"),
    ):
        assert page.status == 422
        assert "Others had to wait for you. In time: 25% of the last 20 decisions" in page.text
    assert status_of(service, match_id) == "open"


def test_what_waits_for_somebody_stands_on_the_start_page_by_the_time_left(
    service: Service, site: Flask, now: datetime
) -> None:
    slow = a_match(service.matches, now, pace="week")
    none = a_match(service.matches, now, pace="none")
    fast = a_match(service.matches, now, pace="day")
    page = as_(service, site, "Ann").get("/")
    order = [heading.rpartition("#")[2] for heading in page.headings if "#" in heading]
    assert order == [fast, slow, none]
    assert letters(service, kind="turn")
