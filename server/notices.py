"""What a notice says: its first sentence, and what follows it."""

from __future__ import annotations

from db.models import Letter
from emails.language import gettext as _
from emails.language import spoken
from server.together import motion_in_words
from server.views import MatchView

Told = tuple[str, tuple[str, ...]]


def of_a_seat(letter: Letter, view: MatchView) -> Told:
    """A notice about the match of a seat, to its holder."""
    about, why = letter.data.get("about"), letter.data.get("why") or ""
    reason = (_("The reason given: %(why)s", why=_(why)),) if why else ()
    if about == "late":
        moves = "; ".join(letter.data.get("moves", ()))
        return _("Your time was up, and the house moved for you."), (_("It played: %(moves)s", moves=moves),)
    if about == "ahead":
        text = letter.data.get("text")
        told = _("Your prepared answer “%(move)s” was not played: decide yourself.", move=text)
        return told, (str(letter.data.get("why")),)
    if about == "resigned":
        return (
            _("%(name)s has left the match.", name=letter.data.get("name")),
            (_("The house plays the seat on, until somebody takes it over."),),
        )
    if about == "unreachable":
        return _unreachable(str(letter.data.get("name"))), (_what_the_clock_does(view),)
    late = [str(name) for name in letter.data.get("late", ())]
    if late:
        reason = (_("The time of %(names)s was up.", names=spoken().names(late)),)
    return _about_the_match(letter, view) or _("There is news of your match."), reason


def _about_the_match(letter: Letter, view: MatchView) -> str:
    match letter.data.get("about"):
        case "paused":
            return _("The match is paused; all clocks stand still.")
        case "resumed":
            return _("The match goes on; every clock has what it had left.")
        case "aborted":
            return _("The match was ended without a result.")
        case "drawn":
            return _("All agreed to end the match here; everybody shares the win.")
        case "not carried":
            what = motion_in_words(str(letter.data.get("motion")), letter.data.get("name"), letter.data.get("hours"))
            return _("The players have not agreed to %(what)s. Nothing changes.", what=what)
        case "restored":
            return _(
                "A backup had to be put back: the match stands after move %(move)s, later moves are lost.",
                move=view.version,
            )
        case "rewound":
            return _(
                "The match was taken back: it stands after move %(move)s again, with fresh time.", move=view.version
            )
    return ""


def _unreachable(name: str) -> str:
    return _("Mails to %(name)s come back, so %(name)s gets none until that is put right.", name=name)


def _what_the_clock_does(view: MatchView) -> str:
    if view.pace.get("hours") is None and view.pace.get("bank") is None:
        return _("There is no time limit. Whoever set up the match can give the seat to somebody else.")
    return _("The clock goes on: when the time for a decision is up, the house moves.")


def of_no_seat(letter: Letter) -> Told | None:
    """A notice that belongs to no seat; None if there is nothing to say."""
    match_id = letter.data.get("match")
    links_are_over = _("Your links to it do not work any more.")
    match letter.data.get("about"):
        case "unreachable":
            told = _unreachable(str(letter.data.get("name")))
            return told, (_("You set up a match in which they have a seat."),)
        case "gone":
            return (
                _("Your mail was not played: the address that it went to does not work any more."),
                (
                    _(
                        "The seat in match #%(match)s has another holder now, or its links were made anew.",
                        match=match_id,
                    ),
                ),
            )
        case "left late":
            return (
                _(
                    "Your time was up in match #%(match)s, and the house plays your seat on from now on.",
                    match=match_id,
                ),
                (_("That is what was agreed on for this match."), links_are_over),
            )
        case "left":
            told = _("You have left match #%(match)s; the house plays your seat on.", match=match_id)
            return told, (links_are_over,)
        case "removed":
            told = _("Whoever set up match #%(match)s has given your seat to the house.", match=match_id)
            return told, (links_are_over,)
        case "returned":
            told = _("The seat that you kept in match #%(match)s is with its holder again. Thank you!", match=match_id)
            return told, (links_are_over,)
        case "frozen":
            return (
                _("Your match #%(match)s is stopped: something is wrong with it.", match=letter.match_id),
                (_("Nothing is lost, no time runs out, and no reminder comes. The operator has to look into it."),),
            )
        case "declined":
            return (
                _(
                    "%(name)s does not play in match #%(match)s: the seat is free.",
                    name=letter.data.get("name"),
                    match=match_id,
                ),
                (_("Its page invites somebody else, or gives the seat to the house."),),
            )
        case "too late":
            return (
                _(
                    "Match #%(match)s has begun without you: nobody had accepted for your seat by then.",
                    match=match_id,
                ),
                (_("The invitation does not work any more."),),
            )
        case "channel":
            return (
                _("“%(name)s” was switched off: nothing could be told there.", name=letter.data.get("name")),
                (
                    _("The last time %(why)s.", why=letter.data.get("why")),
                    _("Your account has it under “Other ways than mail”."),
                ),
            )
        case "passkey":
            return (
                _("A passkey was made with which you can sign in."),
                (_("If it was not you: remove it under “Safety” in your account, and make all your links invalid."),),
            )
        case "stopped":
            return (
                _("Your mail was not played: match #%(match)s is stopped.", match=match_id),
                (_("The operator has been told and will look at it. Nothing is lost, and no clock runs."),),
            )
        case "refused":
            return (
                _("A mail server refuses our mail."),
                (
                    _("It said, in short: %(answer)s.", answer=letter.data.get("why")),
                    _("The letters wait and are tried again. This shows them: %(command)s", command=_SHOWS_WAITING),
                ),
            )
        case "does not replay":
            return (
                _("Match #%(match)s is frozen: its moves no longer lead to its position.", match=match_id),
                (
                    _("What was found: %(why)s", why=letter.data.get("why")),
                    _(
                        "Its players have been told, and no clock runs. This shows it: %(command)s",
                        command=f"estafette game show {match_id}",
                    ),
                ),
            )
    return None


_SHOWS_WAITING = "estafette mail list --state waiting"
