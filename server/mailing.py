"""From an outbox row to a finished mail: is it still true, what does its reader see, which links does it carry."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parseaddr
from functools import partial
from typing import Any, Final

from sqlalchemy import Row

from db import queries, table
from db.models import Letter, Player
from emails import letters
from emails.language import gettext as _
from emails.language import marked, speaking, tongue
from emails.letters import Content, Drawing, Entry, OneTap, Reader
from emails.mime import Address, Mail, Unsubscribe
from emails.outbox import Drop, Later, post, thread_of
from emails.samples import varied
from server import boards, clocks, notices, rhythm, talk, together
from server.accounts import login_code
from server.addresses import code_for
from server.boards.png import picture
from server.hours import notify_at
from server.links import BounceAddress, JoinLink, MoveLink, OfferLink, ReplyAddress, TogetherLink, UnsubscribeLink
from server.matches import Frozen, NotFound
from server.reminders import latest_reminder
from server.service import Service
from server.views import MatchView

log = logging.getLogger("estafette.mailing")

ESSENTIAL: Final = frozenset({"login", "receipt", "address"})
"""Sent to those who muted everything, and to addresses that could not be reached: they have just been asked for."""

MOST_ONE_TAP: Final = 3


class Mailing:
    """Writes letters. `write` is what the outbox calls at sending time."""

    def __init__(self, service: Service) -> None:
        self.service = service
        name, address = parseaddr(service.settings.mail_from)
        self.sender = Address(name or "Estafette", address)
        self._kinds: dict[str, Callable[[Letter, Player, datetime], tuple[Content, _Terms] | Drop]] = {
            "invitation": self._invitation,
            "started": self._started,
            "turn": self._turn,
            "reminder": self._reminder,
            "nudge": self._nudge,
            "waiting": self._waiting,
            "receipt": self._receipt,
            "finished": self._finished,
            "notice": self._notice,
            "login": self._login,
            "address": self._address,
        }

    def write(self, letter: Letter, now: datetime) -> Mail | Drop | Later:
        """The mail of a letter as things stand at `now`, or why it is not sent, or when."""
        with self.service.store.reading() as session:
            player = queries.players.by_id(session, letter.player_id) if letter.player_id else None
            thread = thread_of(session, letter, self.sender.address)
        if player is None or not player.email:
            return Drop("nobody to write to")
        reason = _unwanted(letter, player)
        if reason:
            return Drop(reason)
        comes = self._comes_at(letter, player, now)
        if comes > now:
            return Later(comes)
        try:
            with speaking(tongue(player.language)):
                written = self._kinds[letter.kind](letter, player, now)
        except NotFound:
            return Drop("the match cannot be shown")
        except Frozen as error:
            if letter.match_id:
                self.service.matches.freeze(letter.match_id, str(error), now=now)
            return Drop("the match cannot be shown")
        if isinstance(written, Drop):
            return written
        content, terms = written
        settings, links = self.service.settings, self.service.links
        bounce = links.local_part(BounceAddress(letter.id))
        scope = letter.match_id or ("reminders" if letter.kind == "reminder" else "all")
        leave = UnsubscribeLink(player.id, scope)
        return Mail(
            kind=letter.kind,
            to=Address(player.name, letter.address or player.email),
            sender=self.sender,
            envelope_from=f"{bounce}@{settings.reply_domain}",
            subject=content.subject,
            text=content.text,
            html=content.html,
            pictures=content.pictures,
            message_id=thread.message_id,
            in_reply_to=terms.in_reply_to or thread.in_reply_to,
            references=(*thread.references, *((terms.in_reply_to,) if terms.in_reply_to else ())),
            date=now,
            game=letter.match_id or "",
            reply_to=terms.reply_to,
            list_id=f"{letter.match_id}.{settings.reply_domain}" if letter.match_id else "",
            unsubscribe=None
            if letter.kind in ("login", "address")
            else Unsubscribe(
                links.unsubscribe_url(leave),
                f"mailto:{links.local_part(leave)}@{settings.reply_domain}" if settings.replies else "",
            ),
            auto_submitted="auto-replied" if letter.kind == "receipt" else "auto-generated",
        )

    def _comes_at(self, letter: Letter, player: Player, now: datetime) -> datetime:
        """When its reader wants it and may be disturbed by it; at once if the time of what it asks would be up then."""
        quiet = clocks.quiet_of(player)
        if letter.kind in ESSENTIAL or (quiet.is_empty and player.rhythm == "at once"):
            return now
        wanted, due = now, None
        if letter.asked is not None and letter.match_id:
            _, seat = self._rows(letter)
            if seat.asked == letter.asked:
                due = seat.due_at
                if letter.kind == "turn" and not _asked_for(letter):
                    wanted = max(now, rhythm.wanted_at(player, seat.asked_at))
        comes = notify_at(quiet, wanted, due)
        return now if due is not None and comes >= due else comes

    # -- the kinds -------------------------------------------------------------------------------------------

    def _invitation(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        offered = seat.offered_to == player.id and match.status in ("running", "paused")
        if seat.tenure != letter.tenure or not (offered or (match.status == "open" and seat.accepted_at is None)):
            return Drop("the invitation is over")
        view = self.service.matches.view(match.id, None if offered else seat.number)
        which = (match.id, seat.number, seat.tenure)
        url = self.service.links.join_url(
            OfferLink(*which, player.id, player.links_epoch) if offered else JoinLink(*which)
        )
        with self.service.store.reading() as session:
            host = queries.players.by_id(session, match.host_id) if match.host_id else None
        made = letters.invitation(
            _reader(player), view, self._links(letter, player), now,
            entry=Entry(url), host=host.name if host else None,
        )  # fmt: skip
        return made, _Terms()

    def _started(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        if match.status not in ("running", "paused") or seat.tenure != letter.tenure:
            return Drop("the match is over, or the seat has another holder")
        view = self.service.matches.view(match.id, seat.number)
        return letters.started(_reader(player), view, self._links(letter, player), now), _Terms()

    def _turn(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        reason = _over(match, seat, letter) or self._asked_anew(letter)
        if not reason and rhythm.gathers(player) and not _asked_for(letter):
            reason = self._gathered(player, seat, now)
        return Drop(reason) if reason else self._asking(letters.turn, letter, player, seat, now)

    def _asked_anew(self, letter: Letter) -> str:
        """Why a mail that had to wait is of no use: another one about the same decision was posted since."""
        if _asked_for(letter):
            return ""
        with self.service.store.reading() as session:
            return "a newer mail asks for it" if queries.letters.newer_turn(session, letter) else ""

    def _gathered(self, player: Player, seat: Row[Any], now: datetime) -> str:
        """Why a decision gets no mail of its own: one mail has it, or will have it, with all others that wait."""
        reason = marked("it is in the one mail about all that waits")
        with self.service.store.reading() as session:
            if queries.letters.told_of_all(session, player.id, since=seat.asked_at):
                return reason
            waits = _unmuted(table.next_waiting(session, player.id))
        if len(waits) < 2:
            return ""
        newest = int(max(each.asked_at for each in waits).timestamp())
        with self.service.store.writing() as session:
            post(session, "waiting", occasion=f"waiting/{player.id}/{newest}", player_id=player.id, now=now)
        return reason

    def _waiting(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        with self.service.store.reading() as session:
            waits = _unmuted(table.next_waiting(session, player.id))
        links, decisions = self.service.links, []
        for each in waits:
            with suppress(Frozen):
                view = self.service.matches.view(each.match_id, each.number)
                url = links.move_url(MoveLink(each.match_id, each.number, each.asked, each.tenure))
                decisions.append((view, url))
        if not decisions:
            return Drop("nothing waits any more")
        found = letters.Links(settings_url=links.url("me"))
        return letters.waiting(_reader(player), decisions, found, now), _Terms()

    def _nudge(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        reason = _over(match, seat, letter)
        if reason:
            return Drop(reason)
        by = str(letter.data.get("by"))
        return self._asking(partial(letters.nudge, by=by), letter, player, seat, now)

    def _reminder(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        reason = _over(match, seat, letter)
        if reason:
            return Drop(reason)
        if match.stopped:
            return Drop("all clocks stand still")
        if seat.due_at is None or now >= seat.due_at:
            return Drop("the time is up")
        reason = "" if letter.data.get("overdue") else _superseded(letter, seat, match, now)
        if reason:
            return Drop(reason)
        return self._asking(letters.reminder, letter, player, seat, now)

    def _asking(
        self, kind: Callable[..., Content], letter: Letter, player: Player, seat: Row[Any], now: datetime
    ) -> tuple[Content, _Terms] | Drop:
        view, link = self.service.matches.view(seat.match_id, seat.number), _open_link(seat)
        if view.decision is None or link is None:
            return Drop("the decision is over")
        reply_to = self._reply_address(link)
        found = self._links(letter, player, view=view, link=link, reply_to=reply_to)
        return kind(_reader(player), view, found, now, drawing=_drawing(view)), _Terms(reply_to=reply_to)

    def _receipt(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        if seat.tenure != letter.tenure or seat.player_id != player.id:
            return Drop("the seat has another holder")
        view = self.service.matches.view(match.id, seat.number, since=letter.data.get("question"))
        link = self.service.matches.link_of(match.id, seat.number)
        reply_to = self._reply_address(link) if link else ""
        made = letters.receipt(
            _reader(player), view, self._links(letter, player, view=view, link=link, reply_to=reply_to),
            now, played=letter.data.get("played", ()), move=letter.data.get("move"),
            read=letter.data.get("read", ""), refused=letter.data.get("refused", ""),
            rule=self._rule(letter.data.get("rule")),
        )  # fmt: skip
        return made, _Terms(reply_to=reply_to, in_reply_to=letter.data.get("in_reply_to", ""))

    def _rule(self, told: str | None) -> OneTap | None:
        """The way to a paragraph like "regions 2.2"."""
        if not told:
            return None
        game, _space, number = told.partition(" ")
        label = _("Rule %(number)s", number=number)
        return OneTap(label, self.service.links.url(f"rules/{game}#{number}"))

    def _finished(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        match, seat = self._rows(letter)
        if match.status != "finished" or seat.tenure != letter.tenure:
            return Drop("the match goes on, or the seat has another holder")
        view = self.service.matches.view(match.id, seat.number)
        found = self._links(letter, player)
        return letters.finished(_reader(player), view, found, now, drawing=_drawing(view)), _Terms()

    def _notice(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        if letter.seat is None:
            return self._notice_of_no_seat(letter, player, now)
        match, seat = self._rows(letter)
        if seat.tenure != letter.tenure:
            return Drop("the seat has another holder")
        if letter.data.get("about") == "frozen":
            return self._notice_of_no_seat(letter, player, now)  # what stands on the table, nobody knows for certain
        view = self.service.matches.view(match.id, seat.number)
        button = None
        if letter.data.get("about") == "ballot":
            told = self._ballot(letter, TogetherLink(match.id, seat.number, seat.tenure), now)
            if told is None:
                return Drop("the vote is over")
            first, more, button = told
        elif letter.data.get("about") == "talk":
            link = TogetherLink(match.id, seat.number, seat.tenure)
            new = talk.heard(self.service.matches, link).new
            if not new or seat.muted:
                why = marked("the match is muted") if new else marked("it is read")
                return Drop(why)
            first, more, button = self._talk(new, link)
        else:
            first, more = notices.of_a_seat(letter, view)
        found = self._links(letter, player, link=_open_link(seat))
        made = letters.notice(_reader(player), found, now, first=first, more=more, button=button, match=view)
        return made, _Terms()

    def _talk(self, new: Sequence[talk.Said], link: TogetherLink) -> tuple[str, tuple[str, ...], OneTap]:
        """What was said and not yet read, and where it is answered."""
        said = [_("%(name)s: %(said)s", name=each.who or _("Somebody"), said=each.text) for each in new]
        later = _("There is no further mail about it until you have been at the table.")
        button = OneTap(_("Read and answer"), f"{self.service.links.together_url(link)}/talk")
        return _("Something was said at the table."), (*said, later), button

    def _ballot(self, letter: Letter, link: TogetherLink, now: datetime) -> tuple[str, tuple[str, ...], OneTap] | None:
        """What is voted on, and where; None when the vote is over, or this seat has voted."""
        for ballot in together.standing(self.service.matches, link, now):
            if ballot.id == letter.data.get("ballot") and ballot.mine is None:
                why = (_("The reason given: %(why)s", why=ballot.why),) if ballot.why else ()
                more = (*why, _("It is done when all agree; one no is enough to leave things as they are."))
                button = OneTap(_("Vote"), self.service.links.together_url(link))
                return _("%(name)s proposes to %(what)s.", name=ballot.by, what=ballot.about), more, button
        return None

    def _notice_of_no_seat(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        """To somebody who holds no seat, or about none."""
        told = notices.of_no_seat(letter)
        if told is None:
            return Drop("there is nothing to say")
        match_id = letter.match_id or letter.data.get("match")
        links = self.service.links
        button = OneTap(_("Show the match"), links.url(f"g/{match_id}")) if match_id else None
        found = letters.Links(settings_url=links.url("me"))
        made = letters.notice(_reader(player), found, now, first=told[0], more=told[1], button=button)
        return made, _Terms()

    def _login(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        until = datetime.fromtimestamp(letter.data["until"], UTC)
        if player.logins != letter.data["logins"] or until <= now:
            return Drop("it was used, or its time is over")
        url = self.service.links.login_url(player.id, player.logins, until)
        entry = Entry(url, login_code(self.service.settings, player, until), until)
        found = letters.Links(settings_url=self.service.links.url("me"))
        return letters.login(_reader(player), found, now, entry=entry), _Terms()

    def _address(self, letter: Letter, player: Player, now: datetime) -> tuple[Content, _Terms] | Drop:
        """To an address that is to be a player's, or was."""
        found = letters.Links(settings_url=self.service.links.url("me"))
        if letter.data.get("about") == "old address":
            first = _("Your mails go to another address from now on.")
            more: tuple[str, ...] = (
                _("The links in the mails that you have here do not work any more."),
                _("If it was not you who changed it, tell whoever runs this place."),
            )
        elif player.new_email != letter.address:
            return Drop("another address was asked for since")
        else:
            code = code_for(self.service.settings, player, letter.address or "", now)
            first = _("The code for your new address is %(code)s.", code=code)
            more = (
                _("Type it on your account page. It works for half an hour."),
                _("If you did not ask for it, do nothing: somebody mistyped an address."),
            )
        return letters.notice(_reader(player), found, now, first=first, more=more), _Terms()

    # -- what they carry -------------------------------------------------------------------------------------

    def _rows(self, letter: Letter) -> tuple[Row[Any], Row[Any]]:
        with self.service.store.reading() as session:
            match = table.match_row(session, letter.match_id or "")
            seats = table.seat_rows(session, letter.match_id or "")
        if match is None or letter.seat is None or letter.seat > len(seats):
            raise NotFound
        return match, seats[letter.seat - 1]

    def _reply_address(self, link: MoveLink) -> str:
        """Where a reply with a move goes; empty where nobody reads replies."""
        settings = self.service.settings
        if not settings.replies:
            return ""
        local = self.service.links.local_part(ReplyAddress(link.match, link.seat, link.asked, link.tenure))
        return f"{local}@{settings.reply_domain}"

    def _links(
        self,
        letter: Letter,
        player: Player,
        *,
        view: MatchView | None = None,
        link: MoveLink | None = None,
        reply_to: str = "",
    ) -> letters.Links:
        links = self.service.links
        match_id = letter.match_id or ""
        game = view.game if view else self.service.matches.status(match_id).game
        return letters.Links(
            settings_url=links.url("me"),
            game_url=links.url(f"g/{match_id}"),
            rules_url=links.url(f"rules/{game}"),
            together_url=self._together_url(letter),
            mute_url=links.unsubscribe_url(UnsubscribeLink(player.id, match_id)),
            move_url=links.move_url(link) if link else None,
            choice_urls=self._one_tap(view, link) if view and link else (),
            reply_to=reply_to or None,
        )

    def _together_url(self, letter: Letter) -> str | None:
        if letter.match_id is None or letter.seat is None or letter.tenure is None or letter.kind == "invitation":
            return None
        return self.service.links.together_url(TogetherLink(letter.match_id, letter.seat, letter.tenure))

    def _one_tap(self, view: MatchView, link: MoveLink) -> tuple[OneTap, ...]:
        """Up to three choices, as different as can be; each opens the page that asks to confirm it."""
        if view.decision is None:
            return ()
        choices = view.decision.choices
        shown = varied([choice.text for choice in choices], MOST_ONE_TAP)
        url = self.service.links.move_url(link)
        return tuple(OneTap(choices[index].says, f"{url}/{view.decision.question}-{index + 1}") for index in shown)


class _Terms:
    """What the envelope of a mail needs besides its content."""

    def __init__(self, *, reply_to: str = "", in_reply_to: str = "") -> None:
        self.reply_to = reply_to
        self.in_reply_to = in_reply_to


def _drawing(view: MatchView) -> Drawing | None:
    """The table as the reader sees it, on its own light ground. A letter says it all without: none waits for it."""
    shown = (view.game, view.position, view.names, view.viewer)
    try:
        return Drawing(picture(boards.drawing(*shown, theme="light")), boards.alt_text(*shown))
    except Exception:
        log.exception("A letter of match %s goes without its picture", view.id)
        return None


def _open_link(seat: Row[Any]) -> MoveLink | None:
    """The link to the seat's open decision."""
    return None if seat.asked is None else MoveLink(seat.match_id, seat.number, seat.asked, seat.tenure)


def _reader(player: Player) -> Reader:
    return Reader(player.name, player.language, player.zone)


def _unwanted(letter: Letter, player: Player) -> str:
    """Why this person does not get this letter; empty if they do."""
    if letter.kind in ESSENTIAL:
        return ""
    if player.paused_at is not None:
        return marked("the address cannot be reached")
    if player.mute_all:
        return marked("the player has muted all mail")
    if player.mute_reminders and letter.kind == "reminder":
        return marked("the player has muted reminders")
    return ""


def _asked_for(letter: Letter) -> bool:
    """Whether its reader has just asked for this letter, and so wants it at once."""
    return letter.occasion.startswith("fresh/")


def _unmuted(waits: Sequence[Row[Any]]) -> list[Row[Any]]:
    return [each for each in waits if not each.muted]


def _over(match: Row[Any], seat: Row[Any], letter: Letter) -> str:
    """Why a decision's letter is no longer true; empty while it is."""
    if match.status != "running":
        return marked("the match does not go on")
    if seat.tenure != letter.tenure or seat.player_id != letter.player_id:
        return marked("the seat has another holder")
    if seat.asked != letter.asked:
        return marked("the decision is over")
    if seat.answered:
        return marked("it is answered")
    return marked("the match is muted") if seat.muted else ""


def _superseded(letter: Letter, seat: Row[Any], match: Row[Any], now: datetime) -> str:
    """Why a reminder is no longer the one to send; empty if it is."""
    clock = clocks.clock_of(seat, match.pace)
    if clock is None or int(clock.given.total_seconds()) != letter.data.get("given"):
        return marked("the time was extended")
    latest = latest_reminder(clocks.reminders_of(seat, clock), now)
    order = [str(each.threshold) for each in clocks.reminders_of(seat, clock)]
    own = str(letter.data.get("threshold"))
    if latest and own in order and order.index(str(latest.threshold)) > order.index(own):
        return marked("a later reminder has taken its place")
    return ""
