"""A person's mail to one of our addresses: whose it is, what it says; its moves are played, or it is answered.

Only a mail from the player's own address plays. Whatever else comes is answered to the address on file, and never
with the words of a stranger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlmodel import Session

from db import queries, table
from db.models import InboundState, Letter, Player, email_key
from emails.inbox import Incoming, is_talk, moves_in
from emails.language import gettext as _
from emails.language import marked, speaking, tongue
from emails.mime import one_line
from emails.outbox import post
from server import reach
from server.links import BounceAddress, MoveLink, ReplyAddress, UnsubscribeLink
from server.matches import Frozen, NotFound, NotYours, Stale
from server.rules.asking import Refused
from server.service import Service
from server.views import DecisionView, MatchView, PreviewView, paragraph, refusal

Address = ReplyAddress | BounceAddress | UnsubscribeLink

MOST_ANSWERS: Final = 5
"""So many mails of a person a day are answered without a move played, and the same words once: loops end."""

_DAY: Final = timedelta(days=1)
_READ_MOST: Final = 300
_TRIES: Final = 3

OVER: Final = marked("The decision that your mail answers is over.")
_NOT_FROM_YOU: Final = "it was not sent from your address"
_NOT_CONFIRMED: Final = "our mail server could not confirm that it was you who sent it"
_STRANGER: Final = {
    _NOT_FROM_YOU: marked(
        "A mail came that answers this decision, but it was not sent from your address, so nothing was played."
    ),
    _NOT_CONFIRMED: marked(
        "A mail came that answers this decision, but our mail server could not confirm that it was you who sent it, "
        "so nothing was played."
    ),
}
_WITHOUT_ADDRESS: Final = marked(
    "Your mail came without the address that tells which decision it answers. "
    "Reply to the newest mail of the match, or use the link."
)


class AlreadySettled(Exception):
    """Somebody else has acted on the mail."""


@dataclass(frozen=True)
class Arrived:
    """A stored mail in hand, and what it says."""

    id: int
    hash: str
    read: Incoming

    @property
    def once(self) -> str:
        """What makes its moves count once."""
        return f"mail-{self.hash[:32]}"

    def settle(self, session: Session, state: InboundState, why: str, *, player_id: str | None = None) -> None:
        """Say what came of it, in the transaction of what came of it. Raises AlreadySettled."""
        if not queries.inbound.settle(session, self.id, state, why=why, player_id=player_id):
            raise AlreadySettled


@dataclass(frozen=True)
class _Meant:
    """What a reply asks for: its moves as one submission, in words, and the decision as it stood when it was read."""

    submission: str
    says: tuple[str, ...]
    stamp: str
    question: int
    move: int  # the number of its last move


@dataclass(frozen=True)
class _NotMeant:
    """Why no move was found, as its writer may read it, and what was read."""

    why: str
    read: str
    rule: str | None = None


class Reply:
    """One person's mail."""

    def __init__(self, service: Service, arrived: Arrived, now: datetime) -> None:
        self._service = service
        self._matches = service.matches
        self._arrived = arrived
        self._now = now

    def act(self, addresses: Iterable[Address]) -> None:
        """`addresses` are those of ours that it came to."""
        known = list(addresses)
        address = next((each for each in known if isinstance(each, ReplyAddress)), None)
        if address is None:
            self._without_address(known)
            return
        link = MoveLink(address.match, address.seat, address.asked, address.tenure)
        try:
            self._about(link)
        except NotYours:
            self._gone(link)
        except NotFound:
            self._ignore("the match is not here any more")
        except Frozen:
            self._stopped(link)

    def _about(self, link: MoveLink) -> None:
        standing = self._matches.standing(link)
        player = self._holder(link)
        if standing == "gone" or player is None:
            raise NotYours
        doubt = self._doubt(player)
        with speaking(tongue(player.language)):  # whoever it is that wrote, the player reads the answer
            if doubt:
                self._by_a_stranger(link, player, doubt)
            elif standing == "over":
                self._refuse(link, player, _(OVER))
            else:
                self._play(link, player)

    # -- whose it is -----------------------------------------------------------------------------------------

    def _holder(self, link: MoveLink) -> Player | None:
        player_id, _ = self._matches.holder(link.match, link.seat)
        with self._service.store.reading() as session:
            return queries.players.by_id(session, player_id) if player_id else None

    def _doubt(self, player: Player) -> str:
        """Why it may not be this player's; empty if it is."""
        read = self._arrived.read
        if not read.sender or email_key(read.sender) != player.email_key:
            return _NOT_FROM_YOU
        if read.authentication is not None and read.authentication.result != "pass":
            return _NOT_CONFIRMED
        return ""

    # -- what it says ----------------------------------------------------------------------------------------

    def _meant(self, link: MoveLink) -> _Meant | _NotMeant:
        """Raises Stale when the decision is over."""
        view = self._matches.view(link.match, link.seat)
        decision = view.decision
        if decision is None:
            raise Stale
        previews: dict[str, PreviewView] = {}
        refused: list[Refused] = []

        def reads(line: str) -> str | None:
            try:
                _, preview = self._matches.preview(link, line, follow=False)
            except Refused as error:
                refused.append(error)
                return None
            previews[preview.submission] = preview
            return preview.submission

        found = moves_in(self._arrived.read.text, reads)
        if not found.moves:
            is_one_try = len(refused) == 1 and len(found.lines) == 1 and not is_talk(found.lines[0])
            only = refused[0] if is_one_try else None
            why = refusal(view, only) if only else _(found.why)
            return _NotMeant(why, one_line(" / ".join(found.lines), _READ_MOST), paragraph(view, only))
        preview = previews[found.moves[-1]]
        move = _last_move(view, decision, preview)
        return _Meant(preview.submission, preview.says, decision.stamp, decision.question, move)

    # -- what comes of it ------------------------------------------------------------------------------------

    def _play(self, link: MoveLink, player: Player) -> None:
        for _again in range(_TRIES):
            try:
                meant = self._meant(link)
                if isinstance(meant, _NotMeant):
                    self._refuse(link, player, meant.why, read=meant.read, rule=meant.rule)
                else:
                    self._play_what_is_meant(link, player, meant)
                return
            except Stale:  # somebody was faster: read it once more against what is asked now
                if self._matches.standing(link) != "open":
                    break
        self._refuse(link, player, _(OVER))

    def _play_what_is_meant(self, link: MoveLink, player: Player, meant: _Meant) -> None:
        """The moves, their receipt, and that this mail is done: all of it or nothing."""

        def also(session: Session) -> None:
            self._arrived.settle(session, "done", "its moves were played", player_id=player.id)
            reach.again(session, player.id, self._now)
            data = {
                "played": list(meant.says),
                "move": meant.move,
                "question": meant.question,
                "in_reply_to": self._arrived.read.message_id,
            }
            self._post(session, link, player, occasion=f"played/{self._arrived.hash}", data=data)

        try:
            played = self._matches.play(
                link, meant.submission, now=self._now, once=self._arrived.once, stamp=meant.stamp, by="reply", also=also
            )
        except Refused as error:
            view = self._matches.view(link.match, link.seat)
            read = one_line(meant.submission, _READ_MOST)
            self._refuse(link, player, refusal(view, error), read=read, rule=paragraph(view, error))
            return
        if played.again:
            self._ignore("its moves were played before", player)

    def _refuse(self, link: MoveLink, player: Player, why: str, *, read: str = "", rule: str | None = None) -> None:
        """Answer that nothing was played, and what is possible."""
        data = {"refused": why, "rule": rule, "read": read, "in_reply_to": self._arrived.read.message_id}
        said = hashlib.sha256(f"{link}/{why}/{self._arrived.read.text}".encode("utf-8", "replace")).hexdigest()[:16]
        with self._service.store.writing() as session:
            reach.again(session, player.id, self._now)
            answered = self._may_answer(session, player) and self._post(
                session, link, player, occasion=f"{self._answers_to(player)}{said}", data=data
            )
            self._settle_answered(session, player, answered=answered)

    def _by_a_stranger(self, link: MoveLink, player: Player, why: str) -> None:
        """The player gets the link, and what was asked for in our own words; the sender gets nothing."""
        try:
            meant = self._meant(link) if self._matches.standing(link) == "open" else None
        except Stale:
            meant = None
        if meant is None:
            self._ignore(f"{why}, and the decision is over")
            return
        told = _(_STRANGER[why])
        if isinstance(meant, _Meant):
            told += " " + _("It asks for: %(moves)s", moves=" ".join(meant.says))
        occasion = f"stranger/{player.id}/{link.match}/{link.seat}/{self._today}"
        with self._service.store.writing() as session:
            answered = self._post(session, link, player, occasion=occasion, data={"refused": told})
            state: InboundState = "done" if answered else "ignored"
            self._arrived.settle(session, state, f"{why}; the player was told" if answered else why)

    def _gone(self, link: MoveLink) -> None:
        """The seat has another holder, or its holder has made all links invalid."""
        with self._service.store.writing() as session:
            writer = queries.players.by_address(session, self._arrived.read.sender)
            if writer is None:
                self._arrived.settle(session, "ignored", "the address is not valid any more")
                return
            answered = self._may_answer(session, writer) and post(
                session,
                "notice",
                occasion=f"{self._answers_to(writer)}gone-{link.match}-{link.seat}-{link.tenure}",
                player_id=writer.id,
                data={"about": "gone", "match": link.match},
                now=self._now,
            )
            self._settle_answered(session, writer, answered=answered)

    def _stopped(self, link: MoveLink) -> None:
        """The match waits for the operator."""
        player = self._holder(link)
        if player is None or self._doubt(player):
            self._ignore("the match is frozen")
            return
        with self._service.store.writing() as session:
            answered = self._may_answer(session, player) and post(
                session,
                "notice",
                occasion=f"{self._answers_to(player)}stopped-{link.match}",
                player_id=player.id,
                data={"about": "stopped", "match": link.match},
                now=self._now,
            )
            self._settle_answered(session, player, answered=answered)

    def _without_address(self, known: list[Address]) -> None:
        """No address of ours says which decision it is about; what it refers to may."""
        with self._service.store.reading() as session:
            letter = self._letter_it_answers(session, known)
            player = queries.players.by_id(session, letter.player_id) if letter and letter.player_id else None
        if letter is None or player is None or letter.match_id is None or letter.seat is None or self._doubt(player):
            self._ignore("it names no decision")
            return
        if self._matches.holder(letter.match_id, letter.seat) != (player.id, letter.tenure):
            self._ignore("it answers a mail about a seat that has another holder", player)
            return
        link = MoveLink(letter.match_id, letter.seat, letter.asked or 0, letter.tenure or 0)
        with speaking(tongue(player.language)):
            self._refuse(link, player, _(_WITHOUT_ADDRESS))

    def _letter_it_answers(self, session: Session, known: list[Address]) -> Letter | None:
        """By the address for reports of mail servers that some programs answer to, else by the mails it refers to."""
        named = [each.letter for each in known if isinstance(each, BounceAddress)]
        named += [reference.strip("<>").partition("@")[0] for reference in reversed(self._arrived.read.references)]
        found = (queries.letters.by_id(session, letter_id) for letter_id in named[:20])
        return next((letter for letter in found if letter is not None), None)

    # -- answers ---------------------------------------------------------------------------------------------

    @property
    def _today(self) -> str:
        return self._now.date().isoformat()

    def _answers_to(self, player: Player) -> str:
        return f"answer/{player.id}/{self._today}/"

    def _may_answer(self, session: Session, player: Player) -> bool:
        occasions = self._answers_to(player)
        return (
            queries.letters.how_many_for(session, player.id, occasions=occasions, since=self._now - _DAY) < MOST_ANSWERS
        )

    def _post(self, session: Session, link: MoveLink, player: Player, *, occasion: str, data: dict[str, Any]) -> bool:
        seat = table.seat_rows(session, link.match)[link.seat - 1]
        return post(
            session,
            "receipt",
            occasion=occasion,
            player_id=player.id,
            match_id=link.match,
            seat=link.seat,
            tenure=seat.tenure,
            data=data,
            now=self._now,
        )

    def _settle_answered(self, session: Session, player: Player, *, answered: bool) -> None:
        state: InboundState = "done" if answered else "ignored"
        why = (
            "nothing was played, and the writer was told" if answered else "nothing was played; it was answered before"
        )
        self._arrived.settle(session, state, why, player_id=player.id)

    def _ignore(self, why: str, player: Player | None = None) -> None:
        with self._service.store.writing() as session:
            self._arrived.settle(session, "ignored", why, player_id=player.id if player else None)


def _last_move(view: MatchView, decision: DecisionView, preview: PreviewView) -> int:
    """The number that the last move of a submission gets; a changed sealed answer keeps its own."""
    return view.version + len(preview.says) - (decision.sealed is not None)
