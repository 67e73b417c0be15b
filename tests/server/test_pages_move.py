"""The move page: a GET shows, a POST previews, a confirmed POST plays, once."""

from __future__ import annotations

import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from urllib.parse import quote

import pytest
from flask import Flask

from db import queries, table
from server import upkeep
from server.links import MoveLink
from server.service import Service
from tests.server.browsing import Browser, Page
from tests.server.builders import HOUR, a_match, answers, link_of, play_first, play_turn


def address_of_move(service: Service, match_id: str, seat: int = 1) -> str:
    return service.links.move_url(link_of(service.matches, match_id, seat))


def version(service: Service, match_id: str) -> int:
    return service.matches.view(match_id, None).version


def revision(service: Service, match_id: str) -> int:
    return int(service.matches.status(match_id).revision)


def confirm(browser: Browser, page: Page) -> Page:
    return browser.press(page, "Yes, ")


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


@pytest.fixture
def match_id(service: Service, now: datetime) -> str:
    return a_match(service.matches, now)


@pytest.fixture
def address(service: Service, match_id: str) -> str:
    return address_of_move(service, match_id)


def test_the_page_names_the_seat_in_large_type_and_says_what_is_wanted(browser: Browser, address: str) -> None:
    page = browser.get(address)
    assert page.status == 200
    assert page.headings[0] == "Ann"
    assert "Take one card from the end of a row" in page.text
    assert "UTC, in about 72 hours" in page.text
    assert page.headings[1:] == ["Since your last decision", "The table", "Your choices"]


def test_the_table_stands_on_the_page_in_words(service: Service, browser: Browser, match_id: str, address: str) -> None:
    words = service.matches.view(match_id, 1).words
    assert "\n".join(words) in browser.get(address).source


def test_a_get_changes_nothing_however_often(service: Service, browser: Browser, match_id: str, address: str) -> None:
    before = revision(service, match_id)
    once = browser.get(address).form(field="once").fields["once"]
    for tail in ("", "?move=take+1L", "?at=take", "/1-1", f"?move=take+1L&confirm=1&once={once}"):
        for _ in range(3):
            assert browser.get(address + tail).status == 200
            browser.client.head(address.partition("8025")[2] + tail)
    assert revision(service, match_id) == before
    assert version(service, match_id) == 0


def test_a_choice_is_shown_in_words_and_with_the_table_after_it_before_it_is_played(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    page = browser.get(address)
    preview = browser.press(page, "take 1L")
    assert preview.status == 200
    assert preview.headings[:2] == ["Ann", "Play this?"]
    assert "from 1L" in preview.text
    assert "Cards: 1" in preview.text
    assert version(service, match_id) == 0


def test_confirming_plays_and_says_so(service: Service, browser: Browser, match_id: str, address: str) -> None:
    preview = browser.press(browser.get(address), "take 1L")
    page = confirm(browser, preview)
    assert page.status == 200
    assert "Played." in page.text
    assert version(service, match_id) >= 1


def test_a_line_can_be_typed_with_capitals_and_a_full_stop(browser: Browser, address: str) -> None:
    preview = browser.press(browser.get(address), "Look at it first", move=" Take  1l. ")
    assert preview.form(field="move").fields["move"].startswith("take 1L")


def test_a_link_of_the_mail_opens_the_choice_and_asks(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    question = service.matches.view(match_id, 1).decision.question  # type: ignore[union-attr]
    page = browser.get(f"{address}/{question}-3")
    assert page.headings[1] == "Play this?"
    assert "take 2L" in page.text
    assert confirm(browser, page).status == 200


def test_a_choice_of_a_mail_whose_question_is_over_shows_the_choices_of_now(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_first(service.matches, match_id, now, 1, "take")
    page = browser.get(f"{address}/1-3")
    assert page.status == 200
    assert "This choice of the mail is over" in page.text


def test_a_move_in_the_address_opens_the_page_that_asks(browser: Browser, address: str) -> None:
    assert browser.get(f"{address}?move={quote('take 2R')}").headings[1] == "Play this?"


def test_what_one_was_about_to_do_stands_in_the_address_and_is_there_again_on_a_fresh_tab(
    service: Service, site: Flask, browser: Browser, match_id: str, address: str
) -> None:
    before = revision(service, match_id)
    asked = browser.press(browser.get(address), "take 1L")
    again = Browser(site).get(asked.address)
    assert again.headings == asked.headings
    assert "from 1L" in again.text
    assert revision(service, match_id) == before
    assert confirm(browser, again).text.count("Played.")


def test_the_address_of_a_choice_that_the_match_has_passed_says_so(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    asked = browser.press(browser.get(address), "take 1L")
    play_turn(service.matches, match_id, now, 1)
    late = browser.get(asked.address)
    assert late.status == 409
    assert "The match has moved on" in late.text


def test_an_answer_of_the_most_letters_still_fits_into_the_address(browser: Browser, address: str) -> None:
    page = browser.press(browser.get(address), "Look at it first", move="é " * 500)
    assert page.status == 422
    assert page.form(button="Look at it first").fields["move"].startswith("é é")
    assert len(page.address) < 8_000


def test_an_address_with_a_move_is_kept_by_nobody_and_told_to_nobody(browser: Browser, address: str) -> None:
    page = browser.press(browser.get(address), "take 1L")
    assert page.response.headers["Cache-Control"] == "no-store"
    assert page.response.headers["Referrer-Policy"] == "no-referrer"


def test_an_illegal_move_is_refused_with_a_sentence_and_its_rule_and_stays_in_the_form(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    page = browser.press(browser.get(address), "Look at it first", move="take 1L 2L")
    assert page.status == 422
    assert page.form(button="Look at it first").fields["move"] == "take 1L 2L"
    assert re.search(r"/rules/regions#2\.[0-9]$", page.link("Rule 2."))
    assert version(service, match_id) == 0


def test_a_move_that_is_code_is_shown_as_text(browser: Browser, address: str) -> None:
    page = browser.press(browser.get(address), "Look at it first", move="<script>alert(1)</script>")
    assert page.status == 422
    assert "<script" not in page.source
    assert page.form(button="Look at it first").fields["move"] == "<script>alert(1)</script>"


def test_a_line_of_thousands_of_letters_is_refused(browser: Browser, address: str) -> None:
    page = browser.press(browser.get(address), "Look at it first", move="take " * 1000)
    assert page.status == 422
    assert "too long" in page.text


def test_no_line_at_all_is_refused(browser: Browser, address: str) -> None:
    assert browser.press(browser.get(address), "Look at it first", move="   ").status == 422


def test_a_refusal_that_no_rule_is_the_cause_of_leads_to_the_paragraph_on_the_decision(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    for line in ("   ", "income", "take 1L; take 1L; take 1L"):
        page = browser.press(browser.get(address), "Look at it first", move=line)
        assert page.status == 422, line
        assert "/rules/regions#" in page.link("Rule "), line
    upkeep.pause(service.matches, match_id, "holidays", now=service.now(), who="operator")
    paused = browser.press(browser.get(address), "take 1L")
    assert "The match is paused" in paused.text
    assert paused.link("Rule 2.1").endswith("/rules/regions#2.1")


def test_without_the_mark_of_the_page_nothing_is_played(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    for once in ("", "x", "1-0", "1-0-UPPER", "9" * 500):
        page = browser.post(address, {"move": "take 1L", "once": once, "confirm": "1"})
        assert page.headings[1] == "Play this?"
    assert version(service, match_id) == 0
    assert confirm(browser, page).status == 200
    assert version(service, match_id) >= 1


def test_only_confirm_1_plays(service: Service, browser: Browser, match_id: str, address: str) -> None:
    form = browser.get(address).form(field="once")
    for confirm_with in ("", "0", "yes", "true"):
        browser.post(address, {**form.fields, "move": "take 1L", "confirm": confirm_with})
    assert version(service, match_id) == 0


# B04: stale page, double tap, back button


def test_case_B04_the_same_submission_twice_is_one_move_and_shows_the_first_result(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    preview = browser.press(browser.get(address), "take 1L")
    first = confirm(browser, preview)
    made = version(service, match_id)
    again = confirm(browser, preview)
    assert version(service, match_id) == made
    assert again.status == first.status == 200
    assert again.headings == first.headings
    assert "Played." in again.text


def test_case_B04_back_and_another_move_from_the_same_page_is_refused(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    page = browser.get(address)
    confirm(browser, browser.press(page, "take 1L"))
    made = revision(service, match_id)
    form = page.form(field="once")
    for fields in ({"move": "take 4R", "confirm": "1"}, {"move": "take 4R"}):
        stale = browser.post(address, form.fields | fields)
        assert stale.status == 409
        assert "The match has moved on" in stale.text
        assert "Nothing was changed" in stale.text
    assert revision(service, match_id) == made


def test_case_B04_an_old_page_is_answered_with_the_position_of_now_and_a_working_button(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    old = browser.get(address)
    play_turn(service.matches, match_id, now, 1)
    play_turn(service.matches, match_id, now, 2)
    stale = browser.press(old, "take 1L")
    assert stale.status == 409
    assert "\n".join(service.matches.view(match_id, None).words) in stale.source
    assert browser.get(stale.link("Show the match")).status == 200


def test_case_B04_an_old_page_of_a_turn_that_goes_on_leads_back_to_the_choices(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    old = browser.get(address)
    play_first(service.matches, match_id, now, 1, "take")
    stale = browser.press(old, "take 4R")
    assert stale.status == 409
    assert browser.get(stale.link("Show my choices now")).headings[0] == "Ann"


def test_case_B04_a_page_from_before_an_undo_is_out_of_date_though_its_question_has_the_same_number(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    take, other = [text for text in browser.get(address).offers() if shows_nothing(service, match_id, text)][:2]
    service.matches.play(link(service, match_id), take, now=now)
    old = browser.get(address)
    service.matches.undo(link(service, match_id), now=now)
    service.matches.play(link(service, match_id), other, now=now)
    stale = browser.post(address, old.form(field="once").fields | {"move": "end", "confirm": "1"})
    assert stale.status == 409
    assert version(service, match_id) == 1


def link(service: Service, match_id: str, seat: int = 1) -> MoveLink:
    return link_of(service.matches, match_id, seat)


def test_reloading_the_result_plays_nothing(service: Service, browser: Browser, match_id: str, address: str) -> None:
    result = confirm(browser, browser.press(browser.get(address), "take 1L"))
    made = revision(service, match_id)
    for _ in range(3):
        assert browser.get(result.address).headings == result.headings
    assert revision(service, match_id) == made


# Undo


def shows_nothing(service: Service, match_id: str, move: str) -> bool:
    return not service.matches.preview(link(service, match_id), move)[1].shows


def a_take_that_shows_nothing(service: Service, match_id: str) -> str:
    return next(text for text in answers(service.matches, match_id) if shows_nothing(service, match_id, text))


def test_the_last_own_move_can_be_taken_back(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    service.matches.play(link(service, match_id), a_take_that_shows_nothing(service, match_id), now=now)
    page = browser.press(browser.get(address), "Take my last move back")
    assert "Taken back." in page.text
    assert version(service, match_id) == 0


def test_pressing_undo_twice_takes_back_one_move(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    service.matches.play(link(service, match_id), a_take_that_shows_nothing(service, match_id), now=now)
    page = browser.get(address)
    browser.press(page, "Take my last move back")
    again = browser.press(page, "Take my last move back")
    assert again.status == 409
    assert version(service, match_id) == 0


def test_case_B25_undo_is_not_offered_when_nothing_can_be_taken_back(browser: Browser, address: str) -> None:
    assert not any("back" in words for form in browser.get(address).forms for _, _, words in form.buttons)
    page = browser.get(address)
    refused = browser.post(f"{address}/undo", {"once": page.form(field="once").fields["once"]})
    assert refused.status == 422
    assert "can no longer be taken back" in refused.text


def test_case_B25_a_crafted_undo_after_the_turn_went_on_is_refused(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    once = browser.get(address).form(field="once").fields["once"]
    play_turn(service.matches, match_id, now, 1)
    made = version(service, match_id)
    page = browser.post(f"{address}/undo", {"once": once})
    assert page.status == 409
    assert version(service, match_id) == made


def test_case_B25_each_undo_is_logged(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    service.matches.play(link(service, match_id), a_take_that_shows_nothing(service, match_id), now=now)
    browser.press(browser.get(address), "Take my last move back")
    with service.store.reading() as session:
        newest = queries.oversight.newest_events(session, limit=1)[0]
    assert (newest.match_id, newest.who, newest.what) == (match_id, "seat 1", "took back a move")


# What follows a move


def test_after_the_turn_the_page_says_whom_we_wait_for_and_since_when(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    page = browser.press(browser.get(address), "Look at it first", move="take 1L; end")
    if page.status == 422:
        pytest.skip("this deal shows a tile")
    result = confirm(browser, page)
    assert "We wait for Ben . Asked on" in result.text
    assert "UTC, in about 72 hours" in result.text


def test_after_the_turn_the_next_waiting_match_is_one_tap_away(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    other = a_match(service.matches, now)
    page = browser.get(address)
    while "Your choices" in page.headings:
        move = next((text for text in ("end", *page.offers()) if text in page.offers()), page.offers()[0])
        page = confirm(browser, browser.post(address, {**page.form(field="once").fields, "move": move}))
    waiting = page.link("Next: Richelieu (2003) waits for you")
    assert waiting == address_of_move(service, other)
    assert browser.get(waiting).headings[0] == "Ann"


def test_the_result_in_own_eyes_is_shown_for_some_minutes_only(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    page = browser.get(address)
    while "Your choices" in page.headings:
        move = "end" if "end" in page.offers() else page.offers()[0]
        page = confirm(browser, browser.post(address, {**page.form(field="once").fields, "move": move}))
    assert page.headings[0] == "Ann"
    service.clock.forward(HOUR)
    later = browser.get(page.address)
    assert later.headings[0] == "This decision was taken"
    assert browser.get(address).headings[0] == "This decision was taken"


def test_a_preview_takes_in_the_only_answer_that_can_follow(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    """Ann and Ben play until a take leaves nothing but `end`: it is offered as one submission."""
    for _ in range(200):
        view = service.matches.view(match_id, None)
        if view.outcome is not None:
            pytest.fail("no take left only `end`")
        seat = view.waiting_for[0].number
        decision = service.matches.view(match_id, seat).decision
        assert decision is not None
        if decision.kind == "turn":
            for choice in decision.choices[:12]:
                if service.matches.preview(link(service, match_id, seat), choice.text)[1].submission.endswith("; end"):
                    address = address_of_move(service, match_id, seat)
                    preview = browser.post(address, {"move": choice.text, "once": ""})
                    assert preview.form(field="move").fields["move"] == f"{choice.text}; end"
                    before = version(service, match_id)
                    confirm(browser, preview)
                    assert version(service, match_id) == before + 2
                    return
        mark = next((each.text for each in decision.choices if each.text.startswith("mark")), None)
        service.matches.play(link(service, match_id, seat), mark or decision.choices[-1].text, now=now)


def test_many_choices_are_offered_step_by_step(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_first(service.matches, match_id, now, 1, "take")
    page = browser.get(address)
    assert page.offers() == ["end"]
    page = browser.get(page.link("mark …"))
    page = browser.get(page.link("mark 2. …"))
    assert "mark 2.5" in page.offers()
    assert all(text.startswith("mark 2.") for text in page.offers())
    preview = browser.press(page, "mark 2.5")
    assert preview.headings[1] == "Play this?"


def test_every_choice_can_be_reached_by_steps(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_first(service.matches, match_id, now, 1, "take")
    decision = service.matches.view(match_id, 1).decision
    assert decision is not None
    found: set[str] = set()
    todo, seen = [address], set()
    while todo:
        page = browser.get(todo.pop())
        found.update(page.offers())
        for _, target in page.links:
            if "at=" in target and target not in seen:
                seen.add(target)
                todo.append(target)
    assert found == {choice.text for choice in decision.choices}


def test_the_page_is_small_and_needs_one_request(browser: Browser, address: str) -> None:
    page = browser.get(address)
    assert len(page.source.encode()) < 60_000
    assert "<script" not in page.source
    assert 'rel="stylesheet"' not in page.source
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page.source)


# Sealed answers


@pytest.fixture
def crusade(service: Service, now: datetime) -> str:
    """A match in which all three are asked at once."""
    match_id = a_match(service.matches, now, game="crusade", people=("Ann", "Ben", "Cat"))
    luck = random.Random(3)
    for _ in range(300):
        view = service.matches.view(match_id, None)
        if len(view.waiting_for) == 3 and len(answers(service.matches, match_id, 1)) > 1:
            return match_id
        if view.outcome is not None:
            match_id = a_match(service.matches, now, game="crusade", people=("Ann", "Ben", "Cat"))
            continue
        seat = view.waiting_for[0].number
        service.matches.play(
            link(service, match_id, seat), luck.choice(answers(service.matches, match_id, seat)), now=now
        )
    raise AssertionError("nobody was asked together")


def sealed(service: Service, match_id: str, seat: int = 1) -> str | None:
    decision = service.matches.view(match_id, seat).decision
    assert decision is not None
    return decision.sealed


def test_a_sealed_answer_is_shown_can_be_changed_and_taken_back(
    service: Service, browser: Browser, crusade: str
) -> None:
    address = address_of_move(service, crusade)
    first, second = answers(service.matches, crusade, 1)[:2]
    page = browser.press(browser.get(address), "Look at it first", move=first)
    assert page.headings[:2] == ["Ann", "Answer this?"]
    page = confirm(browser, page)
    assert page.headings[0] == "Ann"
    assert "Your sealed answer:" in page.text
    assert sealed(service, crusade) == first
    page = confirm(browser, browser.press(page, "Look at it first", move=second))
    assert sealed(service, crusade) == second
    page = browser.press(page, "Take my sealed answer back")
    assert sealed(service, crusade) is None
    assert "Your choices" in page.headings


def test_case_B01_a_page_made_before_another_seat_answered_is_not_out_of_date(
    service: Service, browser: Browser, crusade: str, now: datetime
) -> None:
    text = answers(service.matches, crusade, 1)[0]
    preview = browser.press(browser.get(address_of_move(service, crusade)), "Look at it first", move=text)
    service.matches.play(link(service, crusade, 2), answers(service.matches, crusade, 2)[0], now=now)
    assert confirm(browser, preview).status == 200
    assert sealed(service, crusade) == text


def test_a_sealed_answer_shows_on_no_other_page(
    service: Service, browser: Browser, crusade: str, now: datetime
) -> None:
    def bens_page() -> str:
        return re.sub(r'name="once" value="[^"]*"', "", browser.get(address_of_move(service, crusade, 2)).source)

    first, second = answers(service.matches, crusade, 1)[:2]
    service.matches.play(link(service, crusade, 1), first, now=now)
    with_the_first = bens_page()
    service.matches.play(link(service, crusade, 1), second, now=now)
    assert bens_page() == with_the_first


def test_a_paused_match_can_be_looked_at_but_not_played(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    upkeep.pause(service.matches, match_id, "holidays", now=now, who="operator")
    page = browser.get(address)
    assert "The match is paused" in page.text
    refused = browser.press(page, "take 1L")
    assert refused.status == 422
    assert version(service, match_id) == 0


def test_case_B04_two_identical_submissions_at_the_same_instant_are_one_move(
    service: Service, site: Flask, browser: Browser, match_id: str, address: str
) -> None:
    preview = browser.press(browser.get(address), "take 1L")
    fields = preview.form(field="move").fields | {"confirm": "1"}
    together = threading.Barrier(4)

    def tap() -> int:
        client = site.test_client()
        together.wait()
        return client.post(address.partition("8025")[2], data=fields).status_code

    with ThreadPoolExecutor(4) as people:
        statuses = [tapped.result() for tapped in [people.submit(tap) for _ in range(4)]]
    assert statuses == [303] * 4
    with service.store.reading() as session:
        assert len(table.move_rows(session, match_id)) == len(fields["move"].split(";"))
