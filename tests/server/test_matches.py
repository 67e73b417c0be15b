"""What can happen to a match, verb by verb."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, event

from server import beginning, overtime, upkeep
from server.beginning import SeatWish, Wish
from server.links import JoinLink
from server.matches import Frozen, Matches, NotFound, NotYours, Stale
from server.rules.asking import Refused
from server.rules.playing import Play
from server.service import Service
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    answers,
    letters,
    link_of,
    mails,
    play_first,
    play_to_the_end,
    play_turn,
    text_of,
    worker_of,
)


def test_a_match_that_starts_at_once_asks_its_first_seat(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    view = matches.view(match_id, 1)
    assert view.status == "running"
    assert [seat.name for seat in view.waiting_for] == ["Ann"]
    assert view.me is not None
    assert view.me.due_at == now + timedelta(hours=72)


def test_a_match_starts_when_the_last_invitation_is_accepted(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, start=False)
    beginning.accept(matches, JoinLink(match_id, 1, 1), name="Annie", now=now)
    assert matches.view(match_id, None).status == "open"
    beginning.accept(matches, JoinLink(match_id, 2, 1), name=None, now=now + HOUR)
    view = matches.view(match_id, None)
    assert view.status == "running"
    assert view.names == ("Annie", "Ben")


def test_accepting_an_invitation_twice_does_no_harm(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, start=False)
    for _ in range(2):
        beginning.accept(matches, JoinLink(match_id, 1, 1), name=None, now=now)
    beginning.accept(matches, JoinLink(match_id, 2, 1), name=None, now=now)
    beginning.accept(matches, JoinLink(match_id, 2, 1), name="Somebody else", now=now)
    assert matches.view(match_id, None).names == ("Ann", "Ben")
    assert len(letters(service, kind="started")) == 2


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        (Wish("chess", [SeatWish("Ann", "a@x.example")] * 2), "There is no game “chess”"),
        (Wish("regions", [SeatWish("Ann", "a@x.example")]), "is for 2 to 4 seats, not 1"),
        (Wish("regions", [SeatWish("Ann", "a@x.example"), SeatWish("Ben", " A@X.example ")]), "cannot hold two seats"),
        (Wish("regions", [SeatWish("Ann", "a@x.example"), SeatWish("Ben")]), "needs a mail address"),
        (Wish("regions", [SeatWish(house=True)] * 2, {"short": "perhaps"}), "The option short can be"),
        (Wish("regions", [SeatWish(house=True)] * 2, {"colour": "red"}), "has no option colour"),
        (Wish("regions", [SeatWish(house=True)] * 2, pace="never"), "A pace is one of"),
    ],
)
def test_a_match_that_cannot_be_is_refused_with_a_sentence(
    matches: Matches, now: datetime, wish: Wish, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        beginning.create(matches, wish, host=None, now=now)


def test_two_players_of_one_name_are_told_apart(matches: Matches, now: datetime) -> None:
    wish = Wish("regions", [SeatWish("Ann", "ann@x.example"), SeatWish("ann", "ann@y.example")])
    match_id = beginning.create(matches, wish, host=None, now=now, start=True)
    assert matches.view(match_id, None).names == ("Ann", "ann 2")


def test_a_move_is_played_and_the_next_seat_gets_its_letter(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    play_turn(matches, match_id, now)
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Ben"]
    assert sorted(letter.seat or 0 for letter in letters(service, kind="turn")) == [1, 2]


def test_a_second_decision_of_the_same_turn_brings_no_second_letter(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    link = link_of(matches, match_id)
    play_first(matches, match_id, now, verb="take")
    assert link_of(matches, match_id) == link
    assert len(letters(service, kind="turn", seat=1)) == 1


def test_an_illegal_move_changes_nothing(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    before = matches.status(match_id)
    with pytest.raises(Refused):
        matches.play(link_of(matches, match_id), "take 9Z", now=now)
    with pytest.raises(Refused):
        matches.play(link_of(matches, match_id), f"{answers(matches, match_id)[0]}; mark 9.99", now=now)
    assert matches.status(match_id) == before
    assert matches.view(match_id, 1).version == 0


def test_a_mistake_in_the_middle_of_a_move_leaves_nothing_half_done_in_memory(
    matches: Matches, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = a_match(matches, now)
    before = matches.view(match_id, 1)

    def stumble(play: Play, *_move: object) -> None:
        play.table.remove_card(0)
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(Play, "answer", stumble)
    with pytest.raises(RuntimeError):
        matches.play(link_of(matches, match_id), "take 1L", now=now)
    monkeypatch.undo()
    assert matches.view(match_id, 1) == before


def test_several_moves_of_one_submission_are_all_played(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    take = next(
        text for text in answers(matches, match_id) if not matches.preview(link_of(matches, match_id), text)[1].shows
    )
    played = matches.play(link_of(matches, match_id), f"{take.upper()} ; END.", now=now, once="x")
    assert played.texts == (take, "end")
    assert matches.view(match_id, None).version == 2


def test_case_B04_the_same_submission_twice_is_one_move(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    link, text = link_of(matches, match_id), answers(matches, match_id)[0]
    assert matches.play(link, text, now=now, once="1.abc").again is False
    assert matches.play(link, text, now=now, once="1.abc").again is True
    assert matches.view(match_id, None).version == 1


def test_case_B04_an_old_page_is_refused(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    link, text = link_of(matches, match_id), answers(matches, match_id)[0]
    matches.play(link, text, now=now, question=1)
    with pytest.raises(Stale):
        matches.play(link, text, now=now, once="another", question=1)
    assert matches.view(match_id, None).version == 1


def test_case_B04_two_identical_submissions_at_once_are_one_move(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    link, text = link_of(matches, match_id), answers(matches, match_id)[0]
    results: list[bool] = []
    barrier = threading.Barrier(4)

    def submit() -> None:
        barrier.wait()
        results.append(matches.play(link, text, now=now, once="tap").again)

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, True, True, True]
    assert matches.view(match_id, None).version == 1


def test_the_own_last_step_can_be_taken_back_until_the_turn_is_over(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    link = link_of(matches, match_id)
    take = next(text for text in answers(matches, match_id) if not matches.preview(link, text)[1].shows)
    before = matches.position(match_id, 1)
    matches.play(link, take, now=now)
    assert matches.view(match_id, 1).may_undo
    matches.undo(link, now=now)
    assert matches.position(match_id, 1) == before
    matches.play(link, take, now=now)
    matches.play(link, "end", now=now)
    with pytest.raises(Stale):
        matches.undo(link, now=now)
    assert len(letters(service, kind="turn")) == 2


def test_case_B25_what_was_seen_cannot_be_unseen(matches: Matches, now: datetime) -> None:
    for _ in range(40):
        match_id = a_match(matches, now)
        link = link_of(matches, match_id)
        for _turn in range(6):
            seat = matches.view(match_id, None).waiting_for[0].number
            link = link_of(matches, match_id, seat)
            showing = [text for text in answers(matches, match_id, seat) if matches.preview(link, text)[1].shows]
            if showing:
                matches.play(link, showing[0], now=now)
                with pytest.raises(Refused, match="showed you something new"):
                    matches.undo(link, now=now)
                return
            play_turn(matches, match_id, now, seat)
    pytest.fail("no take of a tile came up")


def test_case_B07_every_mail_about_a_decision_opens_it_until_it_is_over(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    link = link_of(matches, match_id)
    overtime.remind(matches, now + timedelta(hours=40))
    assert matches.standing(link) == "open"
    play_turn(matches, match_id, now + timedelta(hours=41))
    assert matches.standing(link) == "over"
    play_turn(matches, match_id, now + timedelta(hours=41), seat=2)
    assert matches.standing(link) == "over", "the next turn has a link of its own"


def test_case_B09_who_was_replaced_cannot_act_and_is_not_mailed(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    old = link_of(matches, match_id)
    worker = worker_of(service)
    worker.tick(now)
    before = len(mails(service, "Ann"))
    upkeep.replace(matches, match_id, 1, name="Cat", email=address_of("Cat"), now=now + HOUR, who="operator")
    worker.tick(now + HOUR)
    assert matches.standing(old) == "gone"
    with pytest.raises(NotYours):
        matches.play(old, "take 1L", now=now + HOUR)
    with pytest.raises(NotYours):
        matches.undo(old, now=now + HOUR)
    assert len(mails(service, "Ann")) == before
    assert [mail["X-Estafette-Kind"] for mail in mails(service, "Cat")] == ["started", "turn"]
    me = matches.view(match_id, 1).me
    assert me is not None
    assert me.due_at == now + HOUR + timedelta(hours=72)


def test_reminders_are_posted_at_half_time_and_at_a_fifth_left(
    service: Service, matches: Matches, now: datetime
) -> None:
    a_match(matches, now, pace={"hours": 10})
    assert overtime.remind(matches, now + timedelta(hours=4, minutes=59)) == 0
    assert overtime.remind(matches, now + timedelta(hours=5)) == 1
    assert overtime.remind(matches, now + timedelta(hours=5)) == 0
    assert overtime.remind(matches, now + timedelta(hours=8)) == 1
    assert overtime.remind(matches, now + timedelta(hours=9)) == 0
    assert [letter.data["threshold"] for letter in letters(service, kind="reminder")] == ["50%", "80%"]


def test_case_B12_after_a_long_stop_only_the_latest_reminder_goes_out(
    service: Service, matches: Matches, now: datetime
) -> None:
    a_match(matches, now, people=("Ann", "Ben", "Cat"), pace={"hours": 10})
    assert overtime.remind(matches, now + timedelta(hours=9)) == 1
    assert [letter.data["threshold"] for letter in letters(service, kind="reminder")] == ["80%"]


def test_case_B12_a_restart_every_ten_minutes_delays_no_reminder(
    service: Service, matches: Matches, now: datetime
) -> None:
    a_match(matches, now, pace={"hours": 30})
    posted = []
    for minute in range(0, 30 * 60, 10):
        moment = now + timedelta(minutes=minute)
        fresh = Matches(service.store)
        posted += [minute // 60] * overtime.remind(fresh, moment)
    assert posted == [15, 24]


def test_case_B06_no_reminder_leaves_for_a_turn_that_was_played(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    worker = worker_of(service)
    worker.tick(now)
    half = now + timedelta(hours=5)
    assert overtime.remind(matches, half) == 1
    play_turn(matches, match_id, half)
    worker.tick(half)
    assert mails(service, kind="reminder") == []
    assert [(letter.state, letter.why) for letter in letters(service, kind="reminder")] == [
        ("dropped", "the decision is over")
    ]


def test_case_B06_after_an_extension_one_reminder_goes_out_at_the_new_time(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    overtime.remind(matches, now + timedelta(hours=5))
    service.clock.forward(timedelta(seconds=1))
    upkeep.extend(matches, match_id, 1, timedelta(hours=10), now=now + timedelta(hours=6), who="operator")
    assert overtime.remind(matches, now + timedelta(hours=9, minutes=59)) == 0
    assert overtime.remind(matches, now + timedelta(hours=10)) == 1
    assert overtime.remind(matches, now + timedelta(hours=16)) == 1


def test_when_time_is_up_the_house_moves_and_says_so(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace="day")
    late = now + timedelta(hours=24)
    assert overtime.expire(matches, late - timedelta(seconds=1)) == 0
    assert overtime.expire(matches, late) == 1
    view = matches.view(match_id, None)
    assert [seat.name for seat in view.waiting_for] == ["Ben"]
    assert view.version >= 1
    assert [letter.seat for letter in letters(service, kind="notice")] == [1]
    assert overtime.expire(matches, late) == 0


def test_house_players_move_at_once_and_a_match_of_them_ends(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=(), house=2, options={"short": True})
    while overtime.expire(matches, now):
        pass
    assert matches.view(match_id, None).status == "finished"


def test_a_finished_match_tells_everybody_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, options={"short": True})
    play_to_the_end(matches, match_id, now)
    assert matches.view(match_id, None).status == "finished"
    assert sorted(letter.seat or 0 for letter in letters(service, kind="finished")) == [1, 2]
    assert matches.link_of(match_id, 1) is None


def test_a_cold_load_is_the_match_that_was_played(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    for _ in range(6):
        play_turn(matches, match_id, now, matches.view(match_id, None).waiting_for[0].number)
    fresh = Matches(service.store)
    for viewer in (None, 1, 2):
        assert fresh.position(match_id, viewer) == matches.position(match_id, viewer)


def test_another_process_catches_up_with_what_was_played_meanwhile(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    other = Matches(service.store)
    for turn in range(8):
        here = (matches, other)[turn % 2]
        play_turn(here, match_id, now, here.view(match_id, None).waiting_for[0].number)
    assert other.position(match_id, None) == matches.position(match_id, None)


def test_case_B14_a_match_whose_moves_lead_elsewhere_is_frozen(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    play_turn(matches, match_id, now)
    with service.store.writing() as session:
        from db.models import Move

        move = session.get(Move, (match_id, 1, 1))
        assert move is not None
        last = session.get(Move, (match_id, 2, 1)) or move
        last.digest = "0" * 16
        session.add(last)
    fresh = Matches(service.store)
    with pytest.raises(Frozen):
        fresh.view(match_id, 1)
    with pytest.raises(Frozen):
        fresh.play(link_of(fresh, match_id, 2), "take 1L", now=now)
    assert fresh.status(match_id).status == "frozen"
    upkeep.rewind(fresh, match_id, 1, "a fault of the file", now=now, who="operator")
    assert fresh.view(match_id, None).version == 1, "the moves before the fault stay"


def test_a_paused_match_stands_still_and_its_clocks_with_it(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    upkeep.pause(matches, match_id, "a holiday", now=now + timedelta(hours=4), who="operator")
    assert overtime.remind(matches, now + timedelta(hours=9)) == 0
    assert overtime.expire(matches, now + timedelta(hours=100)) == 0
    with pytest.raises(Refused, match="paused"):
        matches.play(link_of(matches, match_id), answers(matches, match_id)[0], now=now + timedelta(hours=50))
    upkeep.resume(matches, match_id, now=now + timedelta(hours=100), who="operator")
    assert overtime.expire(matches, now + timedelta(hours=105)) == 0
    assert overtime.expire(matches, now + timedelta(hours=106)) == 1
    assert {letter.data["about"] for letter in letters(service, kind="notice")} == {"paused", "resumed", "late"}


def test_case_B42_a_finished_match_that_is_rewound_goes_on_from_there(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, options={"short": True})
    play_turn(matches, match_id, now)
    old = link_of(matches, match_id, 2)
    after_two = matches.position(match_id, None)
    play_to_the_end(matches, match_id, now)
    later = now + timedelta(days=30)
    upkeep.rewind(matches, match_id, after_two["version"], "a mistake of the server", now=later, who="operator")
    view = matches.view(match_id, None)
    assert (view.status, view.outcome) == ("running", None)
    assert matches.position(match_id, None) == after_two
    assert matches.standing(old) == "over"
    assert view.waiting_for[0].due_at == later + timedelta(hours=72)
    assert overtime.expire(matches, later) == 0
    worker_of(service).tick(later)
    assert any("taken back" in text_of(mail) for mail in mails(service, "Ann", "notice"))
    play_turn(matches, match_id, later, 2)


def test_an_aborted_match_waits_for_nobody(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    link = link_of(matches, match_id)
    upkeep.abort(matches, match_id, "nobody has time", now=now, who="operator")
    assert matches.view(match_id, None).waiting_for == ()
    assert matches.standing(link) == "over"
    worker_of(service).tick(now)
    assert mails(service, kind="turn") == []


def test_what_is_not_there_is_not_found(matches: Matches, now: datetime) -> None:
    with pytest.raises(NotFound):
        matches.view("nosuch", None)


def test_case_B03_a_commit_that_fails_leaves_no_move_and_no_letter(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    link, before = link_of(matches, match_id), matches.position(match_id, 1)
    take = next(text for text in answers(matches, match_id) if not matches.preview(link, text)[1].shows)
    posted = len(letters(service))
    event.listen(Engine, "commit", _disk_full)
    try:
        with pytest.raises(OSError, match="disk"):
            matches.play(link, f"{take}; end", now=now, once="tap")
    finally:
        event.remove(Engine, "commit", _disk_full)
    assert len(letters(service)) == posted
    assert matches.position(match_id, 1) == before
    matches.play(link, f"{take}; end", now=now, once="tap")
    assert matches.view(match_id, None).version == 2
    assert len(letters(service, kind="turn", seat=2)) == 1


def _disk_full(_connection: Connection) -> None:
    raise OSError("disk full")


def test_case_B03_every_deed_leaves_its_letters_in_the_outbox(
    service: Service, matches: Matches, now: datetime
) -> None:
    """Read from a connection of its own: what is there was committed with its cause."""
    open_one = a_match(matches, now, start=False)
    assert {letter.kind for letter in letters(service, match_id=open_one)} == {"invitation"}
    beginning.accept(matches, JoinLink(open_one, 1, 1), name=None, now=now)
    beginning.accept(matches, JoinLink(open_one, 2, 1), name=None, now=now)
    assert {letter.kind for letter in letters(service, match_id=open_one)} == {"invitation", "started", "turn"}
    play_turn(matches, open_one, now)
    assert [letter.seat for letter in letters(service, match_id=open_one, kind="turn")].count(2) == 1
    upkeep.replace(matches, open_one, 1, name="Cat", email=address_of("Cat"), now=now, who="operator")
    assert len(letters(service, match_id=open_one, kind="started")) == 3
    play_to_the_end(matches, open_one, now)
    assert len(letters(service, match_id=open_one, kind="finished")) == 2
