"""The checker: reads database and mails, counts moves, letters and reminders; none lost, none doubled."""

from __future__ import annotations

from collections import Counter

from sqlmodel import select

from db.models import Letter, Match, Move, Seat
from server.service import Service
from tests.server.builders import mails

OPEN = ("waiting", "claimed", "unknown", "sent")
GIVEN_UP = ("nobody knows whether it arrived", "too late")
"""Why a letter has failed that was tried as often as any is: the operator has it among the failed ones."""


def what_is_wrong(service: Service, *, mailed: bool = True) -> list[str]:
    """A sentence for each thing that is lost or there twice; nothing if all is whole.

    Without `mailed` the mails of before are not there to be counted.
    """
    with service.store.reading() as session:
        matches = list(session.exec(select(Match)))
        seats = list(session.exec(select(Seat)))
        moves = Counter(move.match_id for move in session.exec(select(Move)))
        letters = list(session.exec(select(Letter)))
    came = _mails(service, letters) if mailed else []
    return [*_matches(service, matches, moves), *_asked(matches, seats, letters), *came]


def _matches(service: Service, matches: list[Match], moves: Counter[str]) -> list[str]:
    """Each match leads where it led, and has all its moves."""
    wrong = []
    for match in matches:
        if match.status == "open":
            continue
        if match.status == "frozen":
            wrong.append(f"match {match.id} is frozen: {match.frozen_why}")
            continue
        version = service.matches.view(match.id, None).version
        if not version == match.version == moves[match.id]:
            wrong.append(f"match {match.id} has {moves[match.id]} moves, replays {version}, says {match.version}")
    return wrong


def _asked(matches: list[Match], seats: list[Seat], letters: list[Letter]) -> list[str]:
    """Whoever is asked was mailed about it, once, and once more after a pause; no reminder of an hour came twice."""
    wrong = []
    running = {match.id for match in matches if match.status == "running"}
    turns = Counter(
        (each.match_id, each.seat, each.tenure, each.asked)
        for each in letters
        if each.kind == "turn"
        and each.occasion.startswith(("turn/", "fresh/"))
        and (each.state in OPEN or (each.state == "failed" and each.why in GIVEN_UP))
    )
    again = Counter((each.match_id, each.seat, each.tenure, each.asked) for each in letters if _asks_again(each))
    for seat in seats:
        key = (seat.match_id, seat.number, seat.tenure, seat.asked)
        waits = seat.match_id in running and seat.asked and seat.player_id and not seat.answered
        if waits and not 1 <= turns[key] <= 1 + again[key]:
            wrong.append(f"seat {seat.number} of {seat.match_id} is asked, and has {turns[key]} turn letters")
    reminders = Counter(
        (each.match_id, each.seat, each.asked, str(each.data.get("threshold")), each.data.get("given"))
        for each in letters
        if each.kind == "reminder"
    )
    wrong += [f"reminder {key} was posted {count} times" for key, count in reminders.items() if count > 1]
    return wrong


def _asks_again(letter: Letter) -> bool:
    """After a pause, or because its reader wanted a fresh link."""
    return letter.kind == "turn" and ("/resumed/" in letter.occasion or letter.occasion.startswith("fresh/"))


def _mails(service: Service, letters: list[Letter]) -> list[str]:
    """Of the built-in mailbox: what is said to be sent is there, and nothing is there twice."""
    if service.settings.mail_url != "mailbox:":
        return []
    came = Counter(str(mail["Message-ID"]) for mail in mails(service))
    wrong = [f"the mail {message_id} came {count} times" for message_id, count in came.items() if count > 1]
    for letter in letters:
        if letter.state == "sent" and not any(letter.message_id in each for each in came if letter.message_id):
            wrong.append(f"letter {letter.id} ({letter.kind}) is said to be sent, and never came")
    return wrong


def repeats_of(message_ids: list[str]) -> dict[str, int]:
    """Which mails came more than once at a mail server, and how often: once more is allowed, with the same id."""
    return {each: count for each, count in Counter(message_ids).items() if count > 1}
