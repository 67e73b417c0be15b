"""The named questions, and the deeds of which only one may succeed."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from multiprocessing.synchronize import Barrier

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError

from db import queries, table
from db.engine import Store
from db.models import ApiKey, Letter, MailboxMail, Match, email_key, new_id
from db.statements import free_id
from tests.db.builders import NOW, a_letter, a_match, a_player, a_seat

HOUR = timedelta(hours=1)
LATER = NOW + HOUR


def put(store: Store, *rows: object) -> None:
    with store.writing() as session:
        for row in rows:
            session.add(row)
            session.flush()


def claim(store: Store, now: datetime = NOW, *, until: datetime = LATER, limit: int = 20) -> list[Letter]:
    with store.writing() as session:
        return queries.letters.claim(session, now, until=until, limit=limit)


def test_ids_are_short_and_spell_no_words() -> None:
    ids = {new_id() for _ in range(500)}
    assert len(ids) > 490
    assert all(len(id) == 6 and not set(id) & set("aeiou01l") and id.isalnum() and id == id.lower() for id in ids)


def test_an_id_that_is_taken_is_not_given_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, a_match(id="bbbbbb"))
    offers = iter(["bbbbbb", "cccccc"])
    monkeypatch.setattr("db.statements.new_id", lambda: next(offers))
    with store.reading() as session:
        assert free_id(session, Match) == "cccccc"


@pytest.mark.parametrize("spelling", ["ann@example.org", " Ann@Example.ORG ", "ＡNN@example.org"])
def test_spellings_of_one_address_are_one_person(store: Store, spelling: str) -> None:
    put(store, a_player("Ann", email="Ann@example.org"))
    with store.reading() as session:
        found = queries.players.by_address(session, spelling)
    assert found is not None
    assert found.email == "Ann@example.org"


def test_another_address_is_another_person(store: Store) -> None:
    put(store, a_player("Ann"))
    with store.reading() as session:
        assert queries.players.by_address(session, "ben@example.org") is None
    assert email_key("ann@example.org") != email_key("a.nn@example.org")


def test_two_invitations_to_a_new_address_at_once_make_one_person(store: Store) -> None:
    def invite(spelling: str) -> str:
        with store.writing() as session:
            return queries.players.for_address(session, spelling, name="Cat", now=NOW).id

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(invite, ["cat@example.org", "CAT@example.org"] * 3))
    assert len(ids) == 1


def test_a_person_who_is_known_keeps_name_and_settings(store: Store) -> None:
    ann = a_player("Ann", language="nl")
    put(store, ann)
    with store.writing() as session:
        found = queries.players.for_address(session, "ANN@example.org", name="Annie", now=LATER)
    assert (found.id, found.name, found.language) == (ann.id, "Ann", "nl")


def test_an_occasion_has_one_letter(store: Store) -> None:
    with store.writing() as session:
        assert queries.letters.add(session, a_letter("turn of 3", data={"what": "first"})) is True
        assert queries.letters.add(session, a_letter("turn of 3", data={"what": "second"})) is False
        assert queries.letters.add(session, a_letter("turn of 4")) is True
    assert [letter.data for letter in claim(store)] in ([{"what": "first"}, {}], [{}, {"what": "first"}])


def test_a_letter_that_was_rolled_back_can_be_posted_again(store: Store) -> None:
    def post_and_fail() -> None:
        with store.writing() as session:
            queries.letters.add(session, a_letter("turn of 3"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        post_and_fail()
    with store.writing() as session:
        assert queries.letters.add(session, a_letter("turn of 3")) is True


def _post_from_process(url: str, barrier: Barrier, answers: "multiprocessing.Queue[tuple[bool, bool]]") -> None:
    store = Store(url)
    barrier.wait(20)
    with store.writing() as session:
        same = queries.letters.add(session, a_letter("reminder 1 of k7f3qx-2-14"))
        own = queries.letters.add(session, a_letter(f"own {multiprocessing.current_process().name}"))
    answers.put((same, own))
    store.close()


def test_case_B02_two_processes_with_the_same_reminder_post_one_and_go_on_with_the_rest(
    store: Store, database_url: str
) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, answers = spawn.Barrier(2), spawn.Queue()
    processes = [spawn.Process(target=_post_from_process, args=(database_url, barrier, answers)) for _ in range(2)]
    for process in processes:
        process.start()
    got = [answers.get(timeout=30) for _ in processes]
    for process in processes:
        process.join(20)
        assert process.exitcode == 0
    assert sorted(same for same, _ in got) == [False, True]
    assert all(own for _, own in got)
    assert len(claim(store)) == 3


def test_only_what_is_due_is_claimed_the_oldest_first_and_no_more_than_asked(store: Store) -> None:
    put(
        store,
        a_letter("late", send_at=NOW + timedelta(seconds=1)),
        a_letter("third", send_at=NOW, created_at=NOW - HOUR),
        a_letter("first", send_at=NOW - 3 * HOUR, created_at=NOW - 3 * HOUR),
        a_letter("second", send_at=NOW - 2 * HOUR, created_at=NOW - 2 * HOUR),
        a_letter("gone", send_at=NOW - 9 * HOUR, state="sent"),
        a_letter("dropped", send_at=NOW - 9 * HOUR, state="dropped"),
    )
    assert [letter.occasion for letter in claim(store, limit=2)] == ["first", "second"]
    assert [letter.occasion for letter in claim(store)] == ["third"]


def test_a_claimed_letter_is_nobody_elses_until_the_claim_lapses(store: Store) -> None:
    put(store, a_letter())
    [mine] = claim(store, until=LATER)
    assert (mine.state, mine.attempts) == ("claimed", 1)
    assert claim(store, LATER - timedelta(seconds=1)) == []
    [theirs] = claim(store, LATER, until=LATER + HOUR)
    assert (theirs.id, theirs.attempts) == (mine.id, 2)


def test_many_workers_claim_every_letter_once(store: Store) -> None:
    put(store, *(a_letter(f"letter {number}") for number in range(60)))

    def work(_worker: int) -> list[str]:
        mine: list[str] = []
        while batch := claim(store, limit=7):
            mine += [letter.id for letter in batch]
        return mine

    with ThreadPoolExecutor(4) as pool:
        claimed = [id for ids in pool.map(work, range(4)) for id in ids]
    assert len(claimed) == len(set(claimed)) == 60


def test_who_claimed_a_letter_reports_how_it_went(store: Store) -> None:
    put(store, a_letter())
    [letter] = claim(store)
    with store.writing() as session:
        assert queries.letters.settle(session, letter, state="sent", sent_at=NOW, last_status=250) is True
        assert queries.letters.settle(session, letter, state="failed") is False
    with store.reading() as session:
        assert queries.oversight.letters_by_state(session) == {"sent": 1}


def test_a_worker_whose_claim_lapsed_cannot_overrule_the_next(store: Store) -> None:
    put(store, a_letter())
    [slow] = claim(store, until=LATER)
    [quick] = claim(store, LATER, until=LATER + HOUR)
    with store.writing() as session:
        assert queries.letters.settle(session, slow, state="failed") is False
        assert queries.letters.settle(session, quick, state="sent", sent_at=LATER) is True


def test_letters_that_are_out_of_date_are_dropped_and_others_are_not(store: Store) -> None:
    match, other = a_match(), a_match()
    put(
        store,
        match,
        other,
        a_letter("turn", match_id=match.id, seat=1),
        a_letter("reminder", kind="reminder", match_id=match.id, seat=1),
        a_letter("result", kind="finished", match_id=match.id, seat=1),
        a_letter("sent", match_id=match.id, seat=1, state="sent"),
        a_letter("another seat", match_id=match.id, seat=2),
        a_letter("another match", match_id=other.id, seat=1),
    )
    with store.writing() as session:
        assert queries.letters.drop_of_seat(session, match.id, 1, why="played", kinds=["turn", "reminder"]) == 2
    with store.reading() as session:
        states = {letter.occasion: letter.state for letter in queries.letters.of_seat(session, match.id, 1)}
    assert states == {"turn": "dropped", "reminder": "dropped", "result": "waiting", "sent": "sent"}
    assert {letter.occasion for letter in claim(store)} == {"result", "another seat", "another match"}


def test_the_oldest_unsent_letter_is_one_that_should_be_out(store: Store) -> None:
    with store.reading() as session:
        assert queries.oversight.oldest_unsent(session, NOW) is None
    put(
        store,
        a_letter("sent", created_at=NOW - 9 * HOUR, send_at=NOW - 9 * HOUR, state="sent"),
        a_letter("held back until morning", created_at=NOW - 8 * HOUR, send_at=LATER),
        a_letter("refused so far", created_at=NOW - 3 * HOUR, send_at=LATER, attempts=2),
        a_letter("due", created_at=NOW - HOUR, send_at=NOW - HOUR),
    )
    with store.reading() as session:
        found = queries.oversight.oldest_unsent(session, NOW)
    assert found is not None
    assert found.occasion == "refused so far"


def test_a_player_finds_the_own_letters_and_no_others(store: Store) -> None:
    ann, ben = a_player("Ann"), a_player("Ben")
    put(
        store,
        ann,
        ben,
        a_letter("old", player_id=ann.id, created_at=NOW - HOUR),
        a_letter("new", player_id=ann.id),
        a_letter("Ben's", player_id=ben.id),
    )
    with store.reading() as session:
        assert [letter.occasion for letter in queries.letters.of_player(session, ann.id)] == ["new", "old"]


def test_the_next_due_moment_is_the_earliest_of_reminders_expiries_and_letters(store: Store) -> None:
    with store.reading() as session:
        assert queries.oversight.next_due(session) is None
    match = a_match()
    put(store, match, a_letter("gone", send_at=NOW - HOUR, state="sent"))
    for earliest, row in [
        (9, a_seat(match, 1, asked=1, due_at=NOW + 9 * HOUR)),
        (5, a_seat(match, 2, asked=1, remind_at=NOW + 5 * HOUR, due_at=NOW + 10 * HOUR)),
        (2, a_letter("soon", send_at=NOW + 2 * HOUR)),
    ]:
        put(store, row)
        with store.reading() as session:
            assert queries.oversight.next_due(session) == NOW + earliest * HOUR


def test_seats_come_in_order_and_matches_the_newest_first(store: Store) -> None:
    ann = a_player("Ann")
    old = a_match(created_at=NOW - HOUR, status="finished")
    new = a_match(created_at=NOW)
    put(store, ann, old, new, a_seat(new, 2), a_seat(new, 1, player_id=ann.id), a_seat(old, 1, player_id=ann.id))
    with store.reading() as session:
        assert [seat.number for seat in queries.seats.of(session, new.id)] == [1, 2]
        assert [match.id for match, _ in queries.matches.of_player(session, ann.id)] == [new.id, old.id]
        assert [match.id for match in queries.matches.with_status(session, "running", "open")] == [new.id]


def test_the_mailbox_takes_each_message_once(store: Store) -> None:
    def mail(message_id: str, to: str = "ann@example.org") -> MailboxMail:
        return MailboxMail(to_address=to, kind="turn", message_id=message_id, raw=b"\x00raw\xff", at=NOW)

    with store.writing() as session:
        assert queries.mailbox.add(session, mail("<1@x>")) is True
        assert queries.mailbox.add(session, mail("<1@x>")) is False
        assert queries.mailbox.add(session, mail("<2@x>")) is True
        assert queries.mailbox.add(session, mail("<3@x>", "ben@example.org")) is True
    with store.reading() as session:
        listed = queries.mailbox.addresses(session, limit=2)
        assert [(who, mails, newest.message_id) for who, mails, newest in listed] == [
            ("ann@example.org", 2, "<2@x>"),
            ("ben@example.org", 1, "<3@x>"),
        ]
        assert [mail.message_id for mail in queries.mailbox.of_address(session, "ann@example.org")] == [
            "<2@x>",
            "<1@x>",
        ]
        assert queries.mailbox.of_address(session, "ann@example.org")[0].raw == b"\x00raw\xff"


def test_a_fact_of_the_world_is_replaced_by_its_next_value(store: Store) -> None:
    with store.writing() as session:
        queries.world.put(session, "clock", "0")
        queries.world.put(session, "clock", "3600")
        assert queries.world.value(session, "clock") == "3600"
        assert queries.world.value(session, "tick") is None


def test_a_revoked_key_is_no_key(store: Store) -> None:
    put(
        store,
        ApiKey(key_hash="live", created_at=NOW),
        ApiKey(key_hash="dead", created_at=NOW, revoked_at=NOW),
    )
    with store.reading() as session:
        assert queries.access.live_api_key(session, "live") is not None
        assert queries.access.live_api_key(session, "dead") is None
        assert queries.access.live_api_key(session, "unknown") is None


def test_two_people_cannot_have_one_address(store: Store) -> None:
    put(store, a_player("Ann"))
    with pytest.raises(IntegrityError):
        put(store, a_player("Ann", email="ANN@example.org"))


def test_what_a_worker_asks_each_tick_has_its_states_in_its_text(store: Store) -> None:
    """As a parameter "waiting" would be as frequent as "sent" in a plan that PostgreSQL keeps: it read all letters."""
    said: list[str] = []

    def listen(_connection: object, _cursor: object, text: str, *_: object) -> None:
        said.append(text)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        with store.reading() as session:
            table.work_due(session, NOW)
    finally:
        event.remove(Engine, "before_cursor_execute", listen)
    assert all(f"letter.state = '{state}'" in said[-1] for state in ("waiting", "claimed", "unknown"))
