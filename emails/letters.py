"""The letters, one function each: what one reader may know, as subject, text part and HTML part of the same facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, Final

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from emails.language import Tongue, speaking, tongue
from emails.mime import Picture
from emails.samples import examples, one_of_each_form, varied
from server.pace import LATE, pace_of
from server.rules import GAMES
from server.views import MatchView, SeatView

PRODUCT: Final = "Estafette"
MOST_CHOICES: Final = 3
MOST_ANSWERS: Final = 12
"""Of more answers than these a letter shows some."""

NEWS_SENTENCES: Final = 40
NEWS_OCTETS: Final = 8_000
"""News beyond these two are cut, oldest first, and the history is linked: some programs cut mails of 100 kB."""

_LONG_AGO = timedelta(hours=1)
_TEMPLATES = Path(__file__).parent / "templates"
_STYLE = (_TEMPLATES / "mail.css").read_text(encoding="utf-8")
_INLINER = css_inline.CSSInliner(keep_style_tags=True, remove_inlined_selectors=True, load_remote_stylesheets=False)
_UNFIT = {
    code: " " if chr(code) in "\t\n\v\f\r\x85\u2028\u2029" else None
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Reader:
    """Who reads the letter: `zone` is an IANA name, None shows UTC."""

    name: str
    language: str = "en"
    zone: str | None = None


@dataclass(frozen=True)
class OneTap:
    """A link with what it stands for."""

    label: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Links:
    """The addresses that a letter shows. Without `reply_to` it says that replies are not read."""

    settings_url: str | None = None
    game_url: str | None = None
    rules_url: str | None = None
    together_url: str | None = None
    mute_url: str | None = None
    move_url: str | None = None
    choice_urls: tuple[OneTap, ...] = ()
    reply_to: str | None = None


@dataclass(frozen=True)
class Entry:
    """A way in: a link whose page has a button, a six-digit code that does the same, and how long they work."""

    url: str
    code: str = ""
    until: datetime | None = None


@dataclass(frozen=True)
class Drawing:
    """The board as a PNG, and in words for those who do not see it."""

    png: bytes
    alt: str


@dataclass(frozen=True)
class Content:
    """What a letter says."""

    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class _News:
    sentences: tuple[str, ...]
    left_out: int


@dataclass(frozen=True)
class _Waiting:
    match: str
    asked: str
    url: str


@dataclass(frozen=True)
class _Standing:
    name: str
    total: str
    winner: bool
    parts: str


def invitation(
    reader: Reader, match: MatchView, links: Links, now: datetime, *, entry: Entry, host: str | None = None
) -> Content:
    """Somebody is offered a seat; `host` is the name of the one who offers it."""
    speech = tongue(reader.language)
    others = [seat.name for seat in match.seats if seat is not match.me and seat.name != host]
    parts = {"host": host or PRODUCT, "game": match.title, "others": speech.names(others)}
    first = (
        speech.say("%(host)s invites you to a match of %(game)s with %(others)s.", **parts)
        if others
        else speech.say("%(host)s invites you to a match of %(game)s.", **parts)
    )
    return _letter(
        "invitation", reader, match.subject, links,
        match=match, first=first, entry=entry, until=_until(speech, reader, entry, now), **_terms(speech, match),
    )  # fmt: skip


def started(reader: Reader, match: MatchView, links: Links, now: datetime) -> Content:
    """The match has begun: who sits where, and the commitment to the shuffles."""
    speech = tongue(reader.language)
    first = speech.say("Your match of %(game)s has begun.", game=match.title)
    if match.decision is not None:
        first += " " + speech.say("The first decision is yours: a mail of its own brings it.")
    return _letter("started", reader, match.subject, links, match=match, first=first, **_terms(speech, match))


def turn(reader: Reader, match: MatchView, links: Links, now: datetime, *, drawing: Drawing | None = None) -> Content:
    """A decision is open: everything that it takes to decide, in the order in which it is wanted."""
    speech = tongue(reader.language)
    first = speech.say("Your turn (move %(move)d):", move=match.version + 1)
    return _asking("turn", reader, match, links, now, first, drawing)


def reminder(
    reader: Reader, match: MatchView, links: Links, now: datetime, *, drawing: Drawing | None = None
) -> Content:
    """A decision is still open, and what happens when its time is up."""
    speech = tongue(reader.language)
    first = speech.say("Reminder (move %(move)d):", move=match.version + 1)
    return _asking("reminder", reader, match, links, now, first, drawing)


def nudge(
    reader: Reader, match: MatchView, links: Links, now: datetime, *, by: str, drawing: Drawing | None = None
) -> Content:
    """Another player waits, and says so politely."""
    speech = tongue(reader.language)
    first = speech.say("%(name)s kindly asks when you find the time (move %(move)d):", name=by, move=match.version + 1)
    return _asking("nudge", reader, match, links, now, first, drawing)


def waiting(reader: Reader, decisions: Sequence[tuple[MatchView, str]], links: Links, now: datetime) -> Content:
    """All that waits for one player: each match with what is asked and the link to it, the most urgent first."""
    speech = tongue(reader.language)
    number = len(decisions)
    first = speech.count(
        "%(number)d match waits for your decision.", "%(number)d matches wait for your decision.", number
    )
    entries = [_Waiting(match.subject, _asked(speech, reader, match, now), url) for match, url in decisions]
    return _letter("waiting", reader, first, links, match=None, first=first, waiting=entries)


def receipt(
    reader: Reader,
    match: MatchView,
    links: Links,
    now: datetime,
    *,
    played: Sequence[str] = (),
    move: int | None = None,
    read: str = "",
    refused: str = "",
    rule: OneTap | None = None,
) -> Content:
    """The answer to a reply: the moves that were played, in words, or what was read and why nothing was played.

    `rule` leads to the paragraph that forbids it.

    `move` is the number of the last move played, which others may have answered since.
    """
    speech = tongue(reader.language)
    first = (
        speech.say("Played (move %(move)d): %(moves)s", move=move or match.version, moves=" ".join(played))
        if played
        else speech.say("Nothing was played. %(why)s", why=refused)
    )
    return _letter(
        "receipt", reader, match.subject, links,
        match=match, first=first, read=read, rule=rule, played=tuple(played), asked=_asked(speech, reader, match, now),
        **_answers(match, listed=not played), **_about(speech, reader, match, now),
    )  # fmt: skip


def finished(
    reader: Reader, match: MatchView, links: Links, now: datetime, *, drawing: Drawing | None = None
) -> Content:
    """The match is over: who won, the final table with its breakdown, and how it came about."""
    speech = tongue(reader.language)
    table = _final_table(speech, match)
    winners = [standing.name for standing in table if standing.winner]
    if not table:
        first = speech.say("The match of %(game)s has ended without a result.", game=match.title)
    elif len(winners) == 1:
        first = speech.say(
            "The match is over: %(winner)s wins with %(points)s points.", winner=winners[0], points=table[0].total
        )
    else:
        first = speech.say("The match is over: %(winners)s share the win.", winners=speech.names(winners))
    return _letter(
        "finished", reader, match.subject, links,
        match=match, first=first, table=table, drawing=drawing, **_about(speech, reader, match, now),
    )  # fmt: skip


def notice(
    reader: Reader,
    links: Links,
    now: datetime,
    *,
    first: str,
    more: Sequence[str] = (),
    button: OneTap | None = None,
    match: MatchView | None = None,
) -> Content:
    """Something a player should know; of a match, it goes into that match's thread. `first` says it in one sentence."""
    speech = tongue(reader.language)
    subject = first if match is None else match.subject
    about = {} if match is None else _about(speech, reader, match, now)
    asked = "" if match is None else _asked(speech, reader, match, now)
    return _letter(
        "notice", reader, subject, links,
        match=match, first=first, more=tuple(more), button=button, asked=asked, played=(), **about,
    )  # fmt: skip


def login(reader: Reader, links: Links, now: datetime, *, entry: Entry) -> Content:
    """The way in for somebody who asked for it."""
    speech = tongue(reader.language)
    return _letter(
        "login", reader, speech.say("Sign in to %(product)s", product=PRODUCT), links,
        match=None, first=speech.say("Your sign-in code is %(code)s.", code=entry.code),
        entry=entry, until=_until(speech, reader, entry, now),
    )  # fmt: skip


def _asking(
    kind: str, reader: Reader, match: MatchView, links: Links, now: datetime, opening: str, drawing: Drawing | None
) -> Content:
    """The letters that bring an open decision."""
    speech = tongue(reader.language)
    late = _late(speech, reader, match) if kind == "reminder" else ""
    if match.decision is None or links.move_url is None:
        raise ValueError(f"A {kind} needs an open decision of its reader and the link to it.")
    return _letter(
        kind, reader, match.subject, links,
        match=match, first=f"{opening} {_asked(speech, reader, match, now)}", drawing=drawing,
        taps=links.choice_urls[:MOST_CHOICES], late=late,
        **_answers(match), **_about(speech, reader, match, now),
    )  # fmt: skip


def _asked(speech: Tongue, reader: Reader, match: MatchView, now: datetime) -> str:
    """What the reader's open decision wants, and by when; empty if there is none."""
    if match.decision is None:
        return ""
    prompt, due = match.decision.prompt, match.me.due_at if match.me else None
    left = match.me.left if match.me else None
    if due is None and left is not None:
        told = "%(prompt)s All clocks stand still at the moment; you have %(left)s once they run again."
        return speech.say(told, prompt=prompt, left=speech.ahead(left))
    if due is None:
        return speech.say("%(prompt)s There is no time limit.", prompt=prompt)
    moment = speech.moment(due, reader.zone)
    if due <= now:
        return speech.say("%(prompt)s The time was up on %(moment)s.", prompt=prompt, moment=moment)
    return speech.say(
        "%(prompt)s By %(moment)s, in %(ahead)s.", prompt=prompt, moment=moment, ahead=speech.ahead(due - now)
    )


def _about(speech: Tongue, reader: Reader, match: MatchView, now: datetime) -> dict[str, Any]:
    others = [_waited_for(speech, reader, seat, now) for seat in match.waiting_for if seat is not match.me]
    asked_together = match.decision is not None and match.decision.together and match.decision.sealed is None
    return {"news": _cut(match.news), "waiting": speech.names(others), "last": asked_together and not others}


def _waited_for(speech: Tongue, reader: Reader, seat: SeatView, now: datetime) -> str:
    """Whom the match waits for and, where that is long ago, since when."""
    if seat.unreachable:
        return speech.say("%(name)s (cannot be reached)", name=seat.name)
    if seat.house or seat.asked_at is None or now - seat.asked_at < _LONG_AGO:
        return seat.name
    return speech.say("%(name)s (since %(moment)s)", name=seat.name, moment=speech.moment(seat.asked_at, reader.zone))


def _cut(news: Sequence[str]) -> _News:
    """The last of the news, as many as a mail can hold."""
    kept: list[str] = []
    room = NEWS_OCTETS
    for told in reversed(news[-NEWS_SENTENCES:]):
        room -= len(escape(told).encode())
        if room < 0:
            break
        kept.append(told)
    return _News(tuple(reversed(kept)), len(news) - len(kept))


def _answers(match: MatchView, *, listed: bool = False) -> dict[str, Any]:
    """What stands for all that can be answered: two examples, and what each kind means unless that is `listed`."""
    choices = match.decision.choices if match.decision else ()
    texts = [choice.text for choice in choices]
    are_all = len(choices) <= MOST_ANSWERS
    kinds = one_of_each_form(texts)
    told = () if listed or (len(kinds) == 1 and not are_all) else choices if are_all else [choices[at] for at in kinds]
    return {
        "examples": examples(texts),
        "possible": [choices[at] for at in varied(texts, MOST_ANSWERS)],
        "told": told,
        "are_all": are_all,
    }


def _terms(speech: Tongue, match: MatchView) -> dict[str, Any]:
    """What was agreed on when the match was made."""
    game = GAMES.get(match.game)
    about = {option.name: option.about for option in game.options} if game else {}
    options = [
        f"{_option(speech, match, name, value)} {'' if value is False else speech.say(about.get(name, ''))}".rstrip()
        for name, value in match.options.items()
    ]
    pace, rest = _pace(speech, match)
    return {"pace": pace, "late": rest, "options": options}


def _pace(speech: Tongue, match: MatchView) -> tuple[str, str]:
    """How much time there is, and when it stands still and what lateness brings."""
    with speaking(speech):
        pace = pace_of(match.pace)
        return pace.about, " ".join(told for told in (pace.about_rest, pace.about_late) if told)


def _late(speech: Tongue, reader: Reader, match: MatchView) -> str:
    """What happens when the reader's time is up, or the grace after it is; empty without a time limit."""
    with speaking(speech):
        pace = pace_of(match.pace)
        if match.me is None or match.me.overdue_at is None:
            return pace.about_late
        return speech.say(
            "Your time was up on %(moment)s; the grace period is running. Then: %(what)s",
            moment=speech.moment(match.me.overdue_at, reader.zone),
            what=speech.say(LATE[pace.late]),
        )


def _option(speech: Tongue, match: MatchView, name: str, value: object) -> str:
    label = speech.label(match.game, name.replace("_", " "))
    return speech.say(
        "%(option)s: %(value)s.", option=label[:1].upper() + label[1:], value=_value(speech, match, value)
    )


def _value(speech: Tongue, match: MatchView, value: object) -> str:
    if isinstance(value, bool):
        return speech.say("yes") if value else speech.say("no")
    return speech.label(match.game, str(value))


def _final_table(speech: Tongue, match: MatchView) -> tuple[_Standing, ...]:
    """The seats, winners first, then by points."""
    outcome = match.outcome or {"scores": [], "winners": []}
    winners = set(outcome["winners"])
    scores = sorted(outcome["scores"], key=lambda score: (score["seat"] not in winners, -score["total"]))
    return tuple(
        _Standing(
            name=match.names[score["seat"] - 1],
            total=_number(score["total"]),
            winner=score["seat"] in winners,
            parts=", ".join(
                f"{speech.label(match.game, part.replace('_', ' '))} {_number(points)}"
                for part, points in score["parts"].items()
            ),
        )
        for score in scores
    )


def _number(number: int) -> str:
    return str(number).replace("-", "−")


def _until(speech: Tongue, reader: Reader, entry: Entry, now: datetime) -> str:
    if entry.until is None:
        return ""
    return speech.say(
        "This works until %(moment)s, for %(ahead)s.",
        moment=speech.moment(entry.until, reader.zone),
        ahead=speech.ahead(entry.until - now),
    )


def _letter(
    kind: str, reader: Reader, subject: str, links: Links, *, drawing: Drawing | None = None, **facts: Any
) -> Content:
    """Both parts of a letter from the same facts."""
    speech = tongue(reader.language)
    pictures = (Picture(_cid(facts["match"]), drawing.png),) if drawing else ()
    facts |= {
        "subject": subject, "reader": reader, "links": links, "product": PRODUCT, "language": speech.tag,
        "picture": pictures[0].cid if pictures else "", "alt": drawing.alt if drawing else "",
    }  # fmt: skip
    text, page = _templates(kind, reader.language)
    return Content(subject, _text(text, facts), _html(page, facts), pictures)


def _cid(match: MatchView) -> str:
    """Another one for each position and reader: mail programs take pictures of one name for one picture."""
    return f"board-{match.id}-{match.version}-{match.viewer or 0}@estafette"


def _text(template: Template, facts: dict[str, Any]) -> str:
    return _BLANK_LINES.sub("\n\n", template.render(facts)).strip("\n") + "\n"


def _html(template: Template, facts: dict[str, Any]) -> str:
    return _INLINER.inline(template.render(facts, style=_STYLE))


@lru_cache(maxsize=256)
def _templates(kind: str, language: str) -> tuple[Template, Template]:
    environment = _environment(language)
    return environment.get_template(f"{kind}/letter.txt"), environment.get_template(f"{kind}/letter.html")


@lru_cache(maxsize=32)
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        extensions=["jinja2.ext.i18n"],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_fit,
    )
    translations = tongue(language).translations
    environment.install_gettext_callables(translations.gettext, translations.ngettext, newstyle=True)  # type: ignore[attr-defined]
    return environment


def _fit(value: Any) -> Any:
    """What stands in a letter stays on its line and reads in its direction, whatever somebody chose as a name."""
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return value.translate(_UNFIT)
