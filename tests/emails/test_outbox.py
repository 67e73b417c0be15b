"""The outbox: posted once, sent once, tried again while it makes sense, and nobody stops the others."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from email import message_from_bytes
from hashlib import md5, sha1, sha256
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col

from db import queries
from db.engine import Store
from db.models import Event, Letter
from db.turns import DatabaseBusy
from emails import letters
from emails.mailbox import MailboxTransport
from emails.mime import Mail
from emails.outbox import LEASE, THREAD_MOST, Delivered, Drop, Pressure, deliver, post, thread_of
from emails.transport import Delivery, MailServer, SmtpTransport, Timeouts
from server.rules import GAMES
from tests.db.builders import a_letter, a_match
from tests.emails.builders import ANN, LINKS, NAMES, SENDER, a_mail, a_play, a_view
from tests.emails.servers import Postbox, Talk, a_mail_server, a_server_that, free_port

FIVE = tuple(f"{name.lower()}@{name.lower()}.example.org" for name in NAMES[:5])


def post_to(store: Store, *addresses: str, now: datetime, **columns: Any) -> None:
    """A letter to each address; the address is its occasion."""
    with store.writing() as session:
        for address in addresses:
            assert post(session, "turn", occasion=address, address=address, now=now, **columns)


def the_letter(store: Store, occasion: str) -> Letter:
    with store.reading() as session:
        return session.scalars(select(Letter).where(col(Letter.occasion) == occasion)).one()


def a_transport(port: int) -> SmtpTransport:
    patience = Timeouts(connect=2, answer=2, dot=2, rest=0)
    return SmtpTransport(MailServer("plain", "127.0.0.1", port), ehlo="client.test", timeouts=patience)


def ids(postbox: Postbox) -> list[str]:
    return [message_from_bytes(raw)["Message-ID"] for _, _, raw in postbox.got]


def recipients(postbox: Postbox) -> list[str]:
    return [rcpt for _, rcpts, _ in postbox.got for rcpt in rcpts]


# Posting


def test_an_occasion_has_one_letter_whoever_posts_it(store, now):
    with store.writing() as session:
        assert post(session, "turn", occasion="turn/k7f3q2/1", address="ann@example.org", now=now)
    with store.writing() as session:
        assert not post(session, "turn", occasion="turn/k7f3q2/1", address="ben@example.org", now=now)
    assert the_letter(store, "turn/k7f3q2/1").address == "ann@example.org"


def test_case_B03_a_letter_of_a_change_that_failed_was_never_posted(store, now):
    postbox = Postbox()

    def move_and_fail() -> None:
        with store.writing() as session:
            post(session, "turn", occasion="turn", address="ann@example.org", now=now)
            raise RuntimeError("commit fails")

    with pytest.raises(RuntimeError):
        move_and_fail()
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now) == Delivered()
    assert postbox.got == []


# Sending


def test_a_letter_is_sent_once_and_the_answer_recorded(store, now):
    postbox = Postbox()
    post_to(store, "ann@example.org", now=now)
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now) == Delivered(claimed=1, sent=1)
        assert deliver(store, a_transport(port), a_mail, now + timedelta(days=1)) == Delivered()
    letter = the_letter(store, "ann@example.org")
    assert recipients(postbox) == ["ann@example.org"]
    assert ids(postbox) == [letter.message_id] == [f"<{letter.id}@play.example.org>"]
    assert (letter.state, letter.last_status, letter.attempts) == ("sent", 250, 1)
    assert letter.last_answer == "2.0.0 Queued as 1A2B"
    assert letter.sent_at == now


def test_a_letter_does_not_leave_before_its_time(store, now):
    post_to(store, "ann@example.org", now=now, send_at=now + timedelta(hours=1))
    transport = MailboxTransport(store)
    assert deliver(store, transport, a_mail, now + timedelta(minutes=59)) == Delivered()
    assert deliver(store, transport, a_mail, now + timedelta(hours=1)).sent == 1


def test_no_transaction_is_open_while_a_letter_is_written_and_sent(store, now):
    """The mailbox writes into the database too: inside another transaction it would have to wait for itself."""

    def write(letter: Letter) -> Mail:
        with store.writing() as session:
            queries.world.put(session, "written", letter.id)
        return a_mail(letter)

    post_to(store, *FIVE, now=now)
    assert deliver(store, MailboxTransport(store), write, now).sent == 5


def test_a_signature_comes_before_the_mail(store, now):
    postbox = Postbox()
    post_to(store, "ann@example.org", now=now)
    with a_mail_server(postbox) as port:
        deliver(store, a_transport(port), a_mail, now, sign=lambda raw: b"DKIM-Signature: v=1\r\n" + raw)
    assert postbox.got[0][2].startswith(b"DKIM-Signature: v=1\r\n")


# One bad letter and the others


def test_case_B27_one_refused_recipient_stops_nobody(store, now, caplog):
    postbox = Postbox(answers={FIVE[1]: "550 5.1.1 No such person"})
    post_to(store, *FIVE, now=now)
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now) == Delivered(claimed=5, sent=4, bounced=1)
        assert deliver(store, a_transport(port), a_mail, now + timedelta(days=1)) == Delivered()
    assert sorted(recipients(postbox)) == sorted(set(FIVE) - {FIVE[1]})
    bad = the_letter(store, FIVE[1])
    assert (bad.state, bad.last_status, bad.why) == ("failed", 550, "refused for good")
    assert bad.last_answer == "5.1.1 No such person"


def test_case_B27_a_letter_that_cannot_be_written_is_marked_and_stops_nobody(store, now, caplog):
    def write(letter: Letter) -> Mail | Drop:
        if letter.occasion == FIVE[1]:
            raise LookupError("the secret of somebody")
        if letter.occasion == FIVE[2]:
            return a_mail(letter, to="two@signs@example.org")
        return Drop("the turn is over") if letter.occasion == FIVE[3] else a_mail(letter)

    postbox = Postbox()
    post_to(store, *FIVE, now=now)
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), write, now) == Delivered(claimed=5, sent=2, failed=2, dropped=1)
        assert deliver(store, a_transport(port), write, now + timedelta(days=1)) == Delivered()
    assert sorted(recipients(postbox)) == sorted([FIVE[0], FIVE[4]])
    states = [(letter.state, letter.why) for letter in (the_letter(store, address) for address in FIVE[1:4])]
    assert states == [("failed", "LookupError"), ("failed", "AddressError"), ("dropped", "the turn is over")]
    assert "secret" not in caplog.text
    assert "example.org" not in caplog.text


def test_case_B53_who_is_refused_for_good_is_reported_in_the_same_transaction(store, now):
    def bounced(session: Session, letter: Letter, delivery: Delivery) -> None:
        session.add(Event(at=now, who="mail", what=f"{letter.address} {delivery.enhanced}"))

    post_to(store, *FIVE[:2], now=now)
    with a_mail_server(Postbox(answers={FIVE[0]: "550 5.1.1 No such person"})) as port:
        deliver(store, a_transport(port), a_mail, now, bounced=bounced)
    with store.reading() as session:
        assert [event.what for event in session.scalars(select(Event))] == [f"{FIVE[0]} 5.1.1"]


def test_a_report_that_fails_leaves_no_trace_and_stops_nobody(store, now, caplog):
    def bounced(session: Session, letter: Letter, delivery: Delivery) -> None:
        session.add(Event(at=now, who="mail", what="half done"))
        session.flush()
        raise LookupError("a secret")

    post_to(store, *FIVE, now=now)
    with a_mail_server(Postbox(answers={FIVE[0]: "550 5.1.1 No such person"})) as port:
        done = deliver(store, a_transport(port), a_mail, now, bounced=bounced)
    assert done == Delivered(claimed=5, sent=4, bounced=1)
    assert the_letter(store, FIVE[0]).state == "failed"
    with store.reading() as session:
        assert session.scalars(select(Event)).all() == []
    assert "LookupError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("trouble", [DatabaseBusy("busy"), OperationalError("", {}, Exception("gone"))])
def test_trouble_with_the_database_is_not_the_letters_fault(store, now, trouble):
    def write(letter: Letter) -> Mail:
        raise trouble

    post_to(store, "ann@example.org", now=now)
    assert deliver(store, MailboxTransport(store), write, now).later == 1
    assert deliver(store, MailboxTransport(store), a_mail, now + timedelta(minutes=2)).sent == 1


def test_what_a_server_repeats_of_our_tokens_is_not_kept(store, now):
    post_to(store, "ann@example.org", now=now)
    token = the_letter(store, "ann@example.org").id
    with a_mail_server(Postbox(answers={"RCPT": f"450 4.7.1 <b-{token}@play.example.org> is greylisted"})) as port:
        deliver(store, a_transport(port), a_mail, now)
    assert the_letter(store, "ann@example.org").last_answer == "4.7.1 <…@play.example.org> is greylisted"


# Trying again


def tries(store: Store, transport: Any, start: datetime, *, most: int) -> list[timedelta]:
    """Deliver whenever something is due; after which time each attempt came."""
    came: list[timedelta] = []
    at = start
    for _ in range(most):
        if deliver(store, transport, a_mail, at, luck=lambda: 0.5).claimed:
            came.append(at - start)
        letter = the_letter(store, "ann@example.org")
        if letter.state not in queries.letters.UNSENT:
            break
        at = letter.send_at
    return came


def test_case_B03_a_busy_server_is_asked_again_after_a_growing_while(store, now):
    postbox = Postbox(answers={"EHLO": "421 4.3.2 Come back later"})
    post_to(store, "ann@example.org", now=now)
    with a_mail_server(postbox) as port:
        came = tries(store, a_transport(port), now, most=3)
        waiting = the_letter(store, "ann@example.org")
        postbox.answers.clear()
        assert deliver(store, a_transport(port), a_mail, waiting.send_at).sent == 1
        assert deliver(store, a_transport(port), a_mail, now + timedelta(days=3)) == Delivered()
    assert came == [timedelta(0), timedelta(minutes=1), timedelta(minutes=6)]
    assert (waiting.attempts, waiting.last_status, waiting.state) == (3, 421, "waiting")
    assert waiting.last_answer == "4.3.2 Come back later"
    assert len(postbox.got) == 1


def test_a_recipient_put_off_is_tried_until_the_letter_is_useless(store, now):
    post_to(store, "ann@example.org", now=now)
    with a_mail_server(Postbox(answers={"RCPT": "450 4.2.1 Not now"})) as port:
        came = tries(store, a_transport(port), now, most=60)
    minutes = [round(span.total_seconds() / 60) for span in came]
    assert minutes[:9] == [0, 1, 6, 21, 51, 111, 231, 411, 591]
    assert came[-1] <= timedelta(days=4) < came[-1] + timedelta(hours=3)
    letter = the_letter(store, "ann@example.org")
    assert (letter.state, letter.why, letter.last_answer) == ("failed", "too late", "4.2.1 Not now")


def test_retries_of_many_letters_are_spread(store, now):
    post_to(store, *FIVE, now=now)
    with a_mail_server(Postbox(answers={"RCPT": "450 4.2.1 Not now"})) as port:
        deliver(store, a_transport(port), a_mail, now)
    moments = {the_letter(store, address).send_at for address in FIVE}
    assert len(moments) == 5
    assert all(timedelta(seconds=54) <= moment - now <= timedelta(seconds=66) for moment in moments)


def test_when_the_server_is_away_one_letter_asks_and_the_others_wait_untried(store, now):
    nobody = free_port()
    post_to(store, *FIVE, now=now)
    assert deliver(store, a_transport(nobody), a_mail, now) == Delivered(claimed=5, later=1, held=4)
    assert sorted(the_letter(store, address).attempts for address in FIVE) == [0, 0, 0, 0, 1]
    postbox = Postbox()
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now + timedelta(minutes=2)).sent == 5
    assert sorted(recipients(postbox)) == sorted(FIVE)


def test_a_refusal_that_the_operator_has_to_end_loses_no_letter(store, now, caplog):
    postbox = Postbox(answers={"MAIL": "550 5.7.1 You may not send from here"})
    post_to(store, *FIVE[:2], now=now)
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now) == Delivered(claimed=2, alarms=2)
        assert "550" in caplog.text
        postbox.answers.clear()
        assert deliver(store, a_transport(port), a_mail, now + timedelta(minutes=2)).sent == 2


def breaks_off_after_the_dot(talk: Talk) -> None:
    talk.say("220 mail.test")
    talk.agree(4)
    talk.hear_mail()


def test_a_connection_lost_after_the_dot_is_unknown_and_repeated_at_most_twice(store, now):
    mails: list[bytes] = []

    def takes_it_and_breaks_off(talk: Talk) -> None:
        talk.say("220 mail.test")
        talk.agree(4)
        mails.append(talk.hear_mail())

    post_to(store, "ann@example.org", now=now)
    with a_server_that(takes_it_and_breaks_off) as port:
        assert deliver(store, a_transport(port), a_mail, now) == Delivered(claimed=1, unknown=1)
        letter = the_letter(store, "ann@example.org")
        assert (letter.state, letter.unknown) == ("unknown", 1)
        tries(store, a_transport(port), letter.send_at, most=10)
    assert len(mails) == 3
    assert len({message_from_bytes(raw)["Message-ID"] for raw in mails}) == 1
    letter = the_letter(store, "ann@example.org")
    assert (letter.state, letter.unknown, letter.why) == ("failed", 3, "nobody knows whether it arrived")


def test_after_an_unknown_end_the_repeat_that_arrives_is_the_last(store, now):
    post_to(store, "ann@example.org", now=now)
    with a_server_that(breaks_off_after_the_dot) as port:
        deliver(store, a_transport(port), a_mail, now)
    postbox = Postbox()
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now + timedelta(minutes=2)).sent == 1
    letter = the_letter(store, "ann@example.org")
    assert (letter.state, letter.unknown) == ("sent", 1)
    assert ids(postbox) == [letter.message_id]


# Still true?


def test_case_B06_what_became_untrue_while_the_server_was_away_is_not_sent(store, now):
    postbox = Postbox()
    post_to(store, "ann@example.org", now=now)
    assert deliver(store, a_transport(free_port()), a_mail, now).later == 1
    with a_mail_server(postbox) as port:
        done = deliver(store, a_transport(port), lambda _: Drop("the turn is over"), now + timedelta(minutes=2))
        assert done == Delivered(claimed=1, dropped=1)
        assert deliver(store, a_transport(port), a_mail, now + timedelta(days=1)) == Delivered()
    assert postbox.got == []
    letter = the_letter(store, "ann@example.org")
    assert (letter.state, letter.why) == ("dropped", "the turn is over")


def test_case_B06_whether_it_is_still_true_is_asked_right_before_each_letter_leaves(store, now):
    sent: list[str] = []

    class Counting(MailboxTransport):
        def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
            sent.append(rcpt)
            return super().deliver(raw, envelope_from, rcpt)

    def write(letter: Letter) -> Mail | Drop:
        return Drop("moved meanwhile") if sent else a_mail(letter)

    post_to(store, *FIVE, now=now)
    assert deliver(store, Counting(store), write, now) == Delivered(claimed=5, sent=1, dropped=4)


# Claims


def test_a_claim_that_lapsed_is_taken_up_under_the_same_message_id(store, now):
    post_to(store, "ann@example.org", now=now)
    with store.writing() as session:
        (dead,) = queries.letters.claim(session, now, until=now + LEASE)
    postbox = Postbox()
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), a_mail, now + LEASE - timedelta(seconds=1)) == Delivered()
        assert deliver(store, a_transport(port), a_mail, now + LEASE).sent == 1
    assert ids(postbox) == [a_mail(dead).message_id]


def test_who_lost_the_claim_changes_nothing(store, now, caplog):
    post_to(store, "ann@example.org", now=now)

    def write_slowly(letter: Letter) -> Drop:
        assert deliver(store, MailboxTransport(store), a_mail, now + LEASE).sent == 1
        return Drop("too slow")

    with caplog.at_level(logging.WARNING):
        assert deliver(store, MailboxTransport(store), write_slowly, now) == Delivered(claimed=1)
    assert the_letter(store, "ann@example.org").state == "sent"
    assert "another worker" in caplog.text


def test_a_slow_round_gives_back_what_it_cannot_finish_within_its_claim(store, now):
    ticks = iter([0.0, 1.0, 2.0, LEASE.total_seconds()])
    post_to(store, *FIVE, now=now)
    done = deliver(store, MailboxTransport(store), a_mail, now, clock=lambda: next(ticks))
    assert done == Delivered(claimed=5, sent=2, held=3)
    assert deliver(store, MailboxTransport(store), a_mail, now + timedelta(minutes=2)).sent == 3


def test_two_workers_at_the_same_time_send_each_letter_once(store, now):
    addresses = [f"player{number}@example.org" for number in range(40)]
    post_to(store, *addresses, now=now)
    postbox = Postbox()
    start = threading.Barrier(3)

    def work(port: int) -> None:
        start.wait()
        while deliver(store, a_transport(port), a_mail, now, limit=4).claimed:
            pass

    with a_mail_server(postbox) as port:
        workers = [threading.Thread(target=work, args=(port,)) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert sorted(recipients(postbox)) == sorted(addresses)


# Back-pressure


def test_a_domain_gets_at_most_so_many_a_minute_and_others_are_not_held_up(store, now):
    many = [f"player{number}@big.example.org" for number in range(7)]
    post_to(store, *many, "ann@small.example.org", now=now)
    pressure = Pressure(per_minute=3)
    transport = MailboxTransport(store)
    assert deliver(store, transport, a_mail, now, pressure=pressure) == Delivered(claimed=8, sent=4, held=4)
    assert deliver(store, transport, a_mail, now + timedelta(seconds=59), pressure=pressure) == Delivered()
    later = [deliver(store, transport, a_mail, now + timedelta(minutes=n), pressure=pressure) for n in (1, 2, 3)]
    assert later == [Delivered(claimed=3, sent=3), Delivered(claimed=1, sent=1), Delivered()]
    assert the_letter(store, many[-1]).attempts == 1


# Threads


def a_thread_letter(store: Store, occasion: str, now: datetime, **columns: Any) -> Letter:
    with store.writing() as session:
        post(session, "turn", occasion=occasion, now=now, address="ann@example.org", **columns)
    return the_letter(store, occasion)


@pytest.fixture
def match_id(store) -> str:
    match = a_match(id="k7f3q2")
    with store.writing() as session:
        session.add(match)
    return match.id


def write_in_thread(store: Store) -> Callable[[Letter], Mail]:
    def write(letter: Letter) -> Mail:
        with store.reading() as session:
            thread = thread_of(session, letter, SENDER)
        return a_mail(
            letter, message_id=thread.message_id, in_reply_to=thread.in_reply_to, references=thread.references
        )

    return write


def test_a_match_is_one_thread_for_each_holder_of_a_seat(store, now, match_id):
    postbox = Postbox()
    with a_mail_server(postbox) as port:
        for number, seat in enumerate((1, 2, 1, 1)):
            a_thread_letter(store, f"turn {number}", now, match_id=match_id, seat=seat, tenure=1)
            assert deliver(store, a_transport(port), write_in_thread(store), now + timedelta(hours=number)).sent == 1
    heads = [message_from_bytes(raw) for _, _, raw in postbox.got]
    own = [head["Message-ID"] for head in heads]
    answered = [head["In-Reply-To"] for head in heads]
    chains = [head["References"].split() for head in heads]
    root, other_root = chains[0][0], chains[1][0]
    assert len({*own, root, other_root}) == 6
    assert chains == [[root], [other_root], [root, own[0]], [root, own[2]]]
    assert answered == [root, other_root, own[0], own[2]]


def test_the_next_holder_of_a_seat_has_a_thread_of_their_own(store, now, match_id):
    first = a_thread_letter(store, "turn 1", now, match_id=match_id, seat=1, tenure=1)
    second = a_thread_letter(store, "turn 2", now, match_id=match_id, seat=1, tenure=2)
    with store.reading() as session:
        assert thread_of(session, first, SENDER).references != thread_of(session, second, SENDER).references


def test_a_new_root_comes_before_a_hundred_mails_hang_on_one(store, now, match_id):
    seat: dict[str, Any] = {"match_id": match_id, "seat": 1, "tenure": 1}
    with store.writing() as session:
        for number in range(THREAD_MOST - 1):
            sent_at = now + timedelta(minutes=number)
            session.add(
                a_letter(f"old {number}", state="sent", sent_at=sent_at, message_id=f"<{number}@a.test>", **seat)
            )
    threads: list[tuple[str, ...]] = []
    for number in range(3):
        letter = a_thread_letter(store, f"turn {number}", now, **seat)
        with store.reading() as session:
            threads.append(thread_of(session, letter, SENDER).references)
        deliver(store, MailboxTransport(store), write_in_thread(store), now + timedelta(days=1, minutes=number))
    (root, last), (new_root,), (same_root, _) = threads
    assert last == f"<{THREAD_MOST - 2}@a.test>"
    assert new_root == same_root != root
    assert THREAD_MOST < 100


def test_a_letter_keeps_its_message_id_when_the_sender_moves_to_another_domain(store, now):
    letter = a_thread_letter(store, "turn", now)
    nobody = a_transport(free_port())
    assert deliver(store, nobody, write_in_thread(store), now).later == 1
    tried = the_letter(store, "turn")
    with store.reading() as session:
        assert thread_of(session, letter, SENDER).message_id == tried.message_id
        assert thread_of(session, tried, "play@elsewhere.example").message_id == tried.message_id


def test_a_letter_of_no_match_answers_nothing(store, now):
    letter = a_thread_letter(store, "login", now)
    with store.reading() as session:
        thread = thread_of(session, letter, SENDER)
    assert (thread.in_reply_to, thread.references) == ("", ())


# Addresses


def test_case_B50_no_mail_of_a_match_shows_the_address_of_another_player(store, now):
    game = max(GAMES.values(), key=lambda game: game.most_seats)
    play = a_play(30, game=game.name, seats=game.most_seats)
    addresses = [f"{name.lower()}.{name.lower()}son@{name.lower()}.example.net" for name in play.names]
    post_to(store, *addresses, now=now)

    def write(letter: Letter) -> Mail:
        seat = addresses.index(letter.occasion) + 1
        view = a_view(play, seat)
        content = letters.turn(ANN, view, LINKS, now) if view.decision else letters.started(ANN, view, LINKS, now)
        return a_mail(
            letter, to=letter.occasion, subject=content.subject, text=content.text, html=content.html,
            reply_to=LINKS.reply_to,
        )  # fmt: skip

    postbox = Postbox()
    with a_mail_server(postbox) as port:
        assert deliver(store, a_transport(port), write, now).sent == len(addresses)
    for envelope_from, rcpts, raw in postbox.got:
        assert len(rcpts) == 1
        head = message_from_bytes(raw)
        assert head.get_all("To") == rcpts
        assert head["Cc"] is head["Bcc"] is None
        said = (
            raw.decode()
            + envelope_from
            + "".join(part.get_payload(decode=True).decode() for part in head.walk() if not part.is_multipart())
        )
        for other in set(addresses) - set(rcpts):
            assert other not in said
            assert other.partition("@")[0] not in said
            for hashed in (md5, sha1, sha256):
                assert hashed(other.encode()).hexdigest() not in said
