"""When time is up, and when somebody is gone: what was agreed on happens, to the late seat alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from db import queries
from db.models import Player
from server import beginning, overtime, upkeep
from server.links import JoinLink, OfferLink
from server.matches import Matches, NotYours
from server.service import Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    asked_together,
    link_of,
    mails,
    play_first,
    play_turn,
    text_of,
    worker_of,
)

DAY = timedelta(days=1)


def player(service: Service, name: str, now: datetime) -> Player:
    """The person of this name, known from now on."""
    with service.store.writing() as session:
        found = queries.players.for_address(session, address_of(name), name=name, now=now)
        session.expunge(found)
    return found


def answers_of(service: Service, name: str, now: datetime) -> list[tuple[timedelta | None, bool]]:
    with service.store.reading() as session:
        found = queries.players.by_address(session, address_of(name))
        assert found is not None
        return queries.players.latest_answers(session, found.id)


def waits_for_a_seat(service: Service, name: str, now: datetime) -> None:
    person = player(service, name, now)
    with service.store.writing() as session:
        assert queries.standby.wait(session, person.id, "regions", now)


def names(matches: Matches, match_id: str) -> tuple[str, ...]:
    return matches.view(match_id, None).names


def test_after_the_time_there_is_the_grace_that_was_agreed_on(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10, "grace": 5})
    worker = worker_of(service)
    worker.tick(now + 10 * HOUR)
    seat = matches.view(match_id, None).seats[0]
    assert (seat.overdue_at, seat.due_at) == (now + 10 * HOUR, now + 15 * HOUR)
    last = mails(service, "Ann", "reminder")[-1]
    assert "in about 5 hours" in text_of(last)
    play_turn(matches, match_id, now + 14 * HOUR)
    assert matches.view(match_id, None).seats[0].overdue_at is None
    assert answers_of(service, "Ann", now) == [(14 * HOUR, True)]


def test_after_the_grace_the_house_moves_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10, "grace": 5})
    worker = worker_of(service)
    for hours in (10, 12, 15, 15):
        worker.tick(now + hours * HOUR)
    view = matches.view(match_id, None)
    assert view.names == ("Ann", "Ben")
    assert [seat.name for seat in view.waiting_for] == ["Ben"]
    assert answers_of(service, "Ann", now) == [(15 * HOUR, True)]
    assert answers_of(service, "Ben", now) == []


def test_whoever_is_late_loses_the_seat_to_the_house_where_that_was_agreed_on(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10, "late": "on"})
    link = link_of(matches, match_id)
    worker_of(service).tick(now + 10 * HOUR)
    assert matches.standing(link) == "gone"
    seat = matches.view(match_id, None).seats[0]
    assert seat.house
    assert seat.name != "Ann"
    (told,) = mails(service, "Ann", "notice")
    assert "the house plays your seat on" in text_of(told).replace("\n", " ")
    assert answers_of(service, "Ann", now) == [(10 * HOUR, True)]
    play_turn(matches, match_id, now + 11 * HOUR, 2)
    while overtime.expire(matches, now + 11 * HOUR):
        pass
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Ben"]


def test_the_match_is_ended_for_lateness_only_where_that_was_agreed_on(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10, "late": "end"})
    worker_of(service).tick(now + 10 * HOUR)
    view = matches.view(match_id, None)
    assert (view.status, view.version, view.waiting_for) == ("aborted", 0, ())
    assert "The time of Ann was up." in text_of(mails(service, "Ben", "notice")[0])
    assert answers_of(service, "Ann", now) == [(None, True)], "it is booked on the late seat"
    assert answers_of(service, "Ben", now) == []


def test_an_end_for_lateness_is_booked_on_all_who_were_late_and_on_nobody_else(
    service: Service, matches: Matches, browser: Browser, now: datetime
) -> None:
    match_id = asked_together(matches, now, pace={"hours": 10, "late": "end"})
    play_first(matches, match_id, now + HOUR, 1)
    worker_of(service).tick(now + 10 * HOUR)
    assert matches.view(match_id, None).status == "aborted"
    assert "The time of Ben and Cat was up." in text_of(mails(service, "Ann", "notice")[0]).replace("\n", " ")
    assert not any(late for _, late in answers_of(service, "Ann", now))
    assert answers_of(service, "Ben", now)[0] == answers_of(service, "Cat", now)[0] == (None, True)
    assert "In time: 75% of the last 4 decisions" in browser.get(f"/p/{player(service, 'Ben', now).id}").text


def test_whoever_waits_longest_is_offered_the_seat_and_takes_it_by_the_link(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    waits_for_a_seat(service, "Cat", now - DAY)
    waits_for_a_seat(service, "Dan", now)
    match_id = a_match(matches, now - 10 * HOUR, pace={"hours": 10, "late": "substitute"})
    old = link_of(matches, match_id)
    worker_of(service).tick(now)
    assert mails(service, "Dan") == []
    (invitation,) = mails(service, "Cat", "invitation")
    page = browser.get(url_in(invitation, "/join/"))
    assert "under way" in page.text
    assert names(matches, match_id)[0] != "Cat"
    done = browser.press(page, "Yes, I play")
    assert "The seat is yours" in done.text
    assert names(matches, match_id) == ("Cat", "Ben")
    play_turn(matches, match_id, now, 2)
    worker_of(service).tick(now)
    assert len(mails(service, "Cat", "turn")) == 1
    assert matches.standing(old) == "gone"
    with service.store.reading() as session:
        assert queries.standby.longest_waiting(session, "regions", not_in=match_id) is not None


def test_a_seat_that_was_offered_is_taken_by_nobody_else_and_only_once(
    service: Service, matches: Matches, browser: Browser, now: datetime
) -> None:
    match_id = a_match(matches, now)
    upkeep.offer(matches, match_id, 1, name="Cat", email=address_of("Cat"), now=now, who="operator")
    _, tenure = matches.holder(match_id, 1)
    link = OfferLink(match_id, 1, tenure, player(service, "Cat", now).id, 0)
    of_the_invitation = JoinLink(match_id, 1, tenure)  # from before the match began
    beginning.accept(matches, of_the_invitation, name="Dan", now=now)
    to_dan = OfferLink(match_id, 1, tenure, player(service, "Dan", now).id, 0)
    assert "This invitation is over" in browser.post(service.links.join_url(to_dan), {"name": "Dan"}).text
    assert names(matches, match_id) == ("Ann", "Ben")
    play_first(matches, match_id, now, 1, "take")
    beginning.accept(matches, link, name=None, now=now)
    with pytest.raises(NotYours):
        beginning.accept(matches, link, name="Dan", now=now)
    assert names(matches, match_id) == ("Cat", "Ben")
    with pytest.raises(ValueError, match="holds a seat of the match already"):
        upkeep.offer(matches, match_id, 1, name="Ben", email=address_of("Ben"), now=now, who="operator")


def test_whoever_resigns_leaves_the_seat_to_the_house_and_the_others_are_told(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, people=("Ann", "Ben", "Cat"))
    link = link_of(matches, match_id)
    upkeep.leave(matches, match_id, 1, link.tenure, now=now)
    worker_of(service).tick(now)
    assert matches.standing(link) == "gone"
    assert matches.view(match_id, None).seats[0].house
    assert "Ann has left the match." in text_of(mails(service, "Cat", "notice")[0])
    assert mails(service, "Ann", "turn") == []
    with pytest.raises(NotYours):
        upkeep.leave(matches, match_id, 1, link.tenure, now=now)


def test_a_seat_lent_for_a_vacation_comes_back_and_each_sees_only_what_is_theirs(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    own = link_of(matches, match_id)
    upkeep.offer(matches, match_id, 1, name="Cat", email=address_of("Cat"), now=now, who="seat 1", until=now + 7 * DAY)
    assert matches.standing(own) == "open", "whoever lends it keeps it until somebody takes it"
    beginning.accept(matches, OfferLink(match_id, 1, own.tenure, player(service, "Cat", now).id, 0), name=None, now=now)
    lent = link_of(matches, match_id)
    assert (matches.standing(own), matches.standing(lent)) == ("gone", "open")
    assert upkeep.give_back(matches, now + 6 * DAY) == 0
    assert upkeep.give_back(matches, now + 7 * DAY) == 1
    assert upkeep.give_back(matches, now + 7 * DAY) == 0
    assert names(matches, match_id) == ("Ann", "Ben")
    assert matches.standing(lent) == "gone"
    assert matches.holder(match_id, 1)[0] == player(service, "Ann", now).id


def test_the_house_keeps_a_seat_for_a_vacation_and_its_holder_can_have_it_back_early(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    upkeep.lend_to_the_house(matches, match_id, 1, 1, now + 7 * DAY, now=now)
    while overtime.expire(matches, now):
        pass
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Ben"]
    assert upkeep.give_back(matches, now + DAY, player_id=player(service, "Ann", now).id) == 1
    assert names(matches, match_id) == ("Ann", "Ben")
    with pytest.raises(ValueError, match="still to come"):
        upkeep.lend_to_the_house(matches, match_id, 1, 3, now, now=now)


def test_a_bank_lasts_for_the_match_and_fills_up(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace="20+4/24")
    at = now + 6 * HOUR
    play_turn(matches, match_id, at)
    play_turn(matches, match_id, at + HOUR, 2)
    assert matches.view(match_id, None).seats[0].due_at == at + HOUR + 18 * HOUR
    play_turn(matches, match_id, at + 2 * HOUR, 1)
    assert matches.view(match_id, None).seats[1].due_at == at + 2 * HOUR + 23 * HOUR


def test_a_bank_is_not_charged_for_the_others_time_at_a_decision_of_several(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = asked_together(matches, now, pace="20+4")
    first = matches.view(match_id, None).waiting_for[0].number
    bank = matches.view(match_id, None).seats[first - 1].due_at
    assert bank is not None
    play_first(matches, match_id, now + HOUR, first)
    assert matches.view(match_id, None).seats[first - 1].due_at is None
    matches.undo(link_of(matches, match_id, first), now=now + 15 * HOUR)
    assert matches.view(match_id, None).seats[first - 1].due_at == bank + 14 * HOUR


def test_what_was_agreed_on_stands_on_the_invitation_and_on_the_page(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    pace = {"bank": 72, "increment": 12, "cap": 120, "grace": 6, "late": "substitute"}
    match_id = a_match(matches, now, start=False, pace=pace)
    worker_of(service).tick(now)
    (invitation,) = mails(service, "Ann", "invitation")
    said = " ".join(text_of(invitation).split())
    pages = [browser.get(url_in(invitation, "/join/")).text, browser.get(f"/g/{match_id}").text]
    for told in (said, *pages):
        assert "3 days for the whole match, and 12 hours more with each decision" in told
        assert "The bank never holds more than 5 days." in told
        assert "The clock stands still for each player's night, up to 10 hours" in told
        assert "a grace period of 6 hours. Then: The house plays the seat on until a substitute takes it." in told


def test_lateness_is_the_late_players_alone_and_stands_on_their_page(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    match_id = a_match(matches, now - 30 * HOUR, pace={"hours": 10})
    play_turn(matches, match_id, now - 26 * HOUR)
    overtime.expire(matches, now - 16 * HOUR)
    play_turn(matches, match_id, now - 14 * HOUR)
    page = browser.get(f"/g/{match_id}")
    assert (
        "In time: 100% of the last 2 decisions. Half of them took no longer than 2 hours."
        in browser.get(page.link("How Ann answers")).text
    )
    assert "In time: 0% of the last decision." in browser.get(page.link("How Ben answers")).text
    assert browser.get("/p/nobody").status == 404


def test_whoever_would_take_over_a_seat_says_so_on_their_account(
    service: Service, matches: Matches, browser: Browser
) -> None:
    a_match(matches, service.now())
    sign_in(service, browser, "Ann")
    browser.press(browser.get("/me"), "Save", name="Ann")
    browser.post("/me/standby", {"standby": "regions"})
    ann = player(service, "Ann", service.now())
    with service.store.reading() as session:
        assert queries.standby.games_of(session, ann.id) == {"regions"}
    browser.post("/me/standby", {})
    with service.store.reading() as session:
        assert queries.standby.games_of(session, ann.id) == set()


def test_case_B42_after_a_rewind_nobodys_bank_is_empty_and_a_match_ended_for_lateness_goes_on(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace="20+0")
    old = link_of(matches, match_id)
    overtime.expire(matches, now + 20 * HOUR)
    play_turn(matches, match_id, now + 21 * HOUR, 2)
    assert matches.view(match_id, None).seats[0].due_at == now + 21 * HOUR, "nothing is left in the bank"
    upkeep.rewind(matches, match_id, 0, "a mistake of ours", now=now + 22 * HOUR, who="operator")
    assert matches.view(match_id, None).seats[0].due_at == now + 42 * HOUR
    assert overtime.expire(matches, now + 22 * HOUR) == 0
    assert matches.standing(old) == "over"
    assert answers_of(service, "Ann", now) == []
    ended = a_match(matches, now, pace={"hours": 10, "late": "end"})
    overtime.expire(matches, now + 10 * HOUR)
    assert answers_of(service, "Ann", now) == [(None, True)]
    old = matches.holder(ended, 1)
    upkeep.rewind(matches, ended, 0, "a mistake of ours", now=now + 30 * HOUR, who="operator")
    view = matches.view(ended, None)
    assert (view.status, [seat.name for seat in view.waiting_for]) == ("running", ["Ann"])
    assert view.seats[0].due_at == now + 40 * HOUR
    assert answers_of(service, "Ann", now) == [], "she was not late after all"
    assert overtime.expire(matches, now + 30 * HOUR) == 0
    worker_of(service).tick(now + 30 * HOUR)
    assert mails(service, "Ann", "turn")
    assert matches.holder(ended, 1) == old
    never = a_match(matches, now, start=False)
    upkeep.abort(matches, never, "", now=now, who="operator")
    with pytest.raises(ValueError, match="had not begun"):
        upkeep.rewind(matches, never, 0, "", now=now, who="operator")


def test_the_host_gives_the_seat_of_somebody_who_is_gone_to_the_house_and_nobody_elses(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    ann = player(service, "Ann", now).id
    match_id = a_match(matches, now - 8 * DAY, people=("Ben", "Ann", "Cat"), pace="none", host=ann)
    sign_in(service, browser, "Ann")
    old = link_of(matches, match_id)
    page = browser.get(f"/g/{match_id}")
    assert "Give the seat of Ben to the house" in page.text, "he has let the others wait for eight days"
    assert "Give the seat of Cat" not in page.text
    assert browser.post(f"/g/{match_id}/remove", {"seat": "3"}).status == 422
    unsure = browser.press(page, "Give the seat of Ben to the house")
    assert unsure.status == 422
    assert "Tick the box if you are sure" in unsure.text
    assert matches.standing(old) == "open"
    browser.press(page, "Give the seat of Ben to the house", sure="1")
    worker_of(service).tick()
    assert matches.standing(old) == "gone", "his links are void"
    assert matches.view(match_id, None).seats[0].house
    (told,) = mails(service, "Ben", "notice")
    assert "Whoever set up match" in text_of(told)
    assert "has left the match" in text_of(mails(service, "Cat", "notice")[0])


def test_nobody_but_the_host_takes_a_seat_away_and_the_clock_sees_to_the_slow(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    ann, ben = (player(service, name, now).id for name in ("Ann", "Ben"))
    slow = a_match(matches, now - 8 * DAY, people=("Ben", "Ann"), pace={"hours": 400}, host=ann)
    assert upkeep.removable(matches, slow, ann, now) == ()
    with service.store.writing() as session:
        queries.players.pause(session, ben, why="the address does not exist", now=now)
    assert upkeep.removable(matches, slow, ann, now) == (1,)
    assert upkeep.removable(matches, slow, ben, now) == ()
    assert browser.post(f"/g/{slow}/remove", {"seat": "1"}).status == 401
    with pytest.raises(NotYours):
        upkeep.remove(matches, slow, 2, ben, now=now)
    others = a_match(matches, now, people=("Ben", "Cat"), host=ann)
    assert upkeep.removable(matches, others, ann, now) == (1, 2), "who does not play may always"
