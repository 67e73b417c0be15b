"""A raw mail read: what it is, from whom, for whom, the writer's own words, and the lines that could be moves."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from emails.inbox import bounces, complaints, machines, markup, moves, whose, words
from emails.inbox.mime import MAX_TEXT, Part, open_mail

Kind = Literal["move", "person", "machine", "bounce", "complaint"]

_USELESS_PLAIN = re.compile(
    r"^\W*(?:(?:this|your) (?:e-?mail|message|mail client|mail)\b.{0,120}\bhtml\b|"
    r".{0,60}\bhtml\b.{0,60}(?:viewer|client|capable|compatible|format|message)|"
    r"(?:to view|please view|view) this .{0,60}(?:html|browser)).{0,200}$",
    re.IGNORECASE | re.DOTALL,
)
_MAX_SUBJECT = 500


@dataclass(frozen=True)
class Incoming:
    """What a mail is and says. Addresses are as written but lower case; nothing here is checked against any match.

    `kind` is `move` when a person wrote it and its first lines look like moves; a server with the match at hand reads
    `text` with `moves_in` instead. `token` is the first of `tokens`: what our address that it came to begins with.
    `permanent` is True only for a bounce whose address is gone; `our_fault` asks for the operator, not for the player.
    """

    kind: Kind
    why: str
    message_id: str = ""
    references: tuple[str, ...] = ()
    subject: str = ""
    sender: str = ""
    token: str = ""
    tokens: tuple[str, ...] = ()
    address: str = ""
    status: str = ""
    permanent: bool | None = None
    our_fault: bool = False
    failures: tuple[bounces.Failure, ...] = ()
    original_message_id: str = ""
    text: str = ""
    moves: tuple[str, ...] = ()
    authentication: whose.Authentication | None = None
    unreadable: bool = False
    """Reading it failed: a fault of ours, for the operator to look at."""


def read_mail(
    raw: bytes,
    *,
    authserv_id: str | None = None,
    envelope_recipient: str = "",
    envelope_sender: str | None = None,
    reply_domain: str | None = None,
) -> Incoming:
    """Read a mail. Never raises, whatever the bytes; time and memory are bounded.

    `authserv_id` names the host whose `Authentication-Results` are believed. The envelope is what the mail server told,
    where it told something; `reply_domain` restricts our addresses to one domain.
    """
    try:
        return _read(open_mail(raw), authserv_id, envelope_recipient, envelope_sender, reply_domain)
    except Exception as error:  # the promise above: a mail that shows a fault of ours must not stop the others
        return Incoming("machine", f"It could not be read ({type(error).__name__}).", unreadable=True)


def explain(raw: bytes) -> dict[str, object]:
    """What `estafette mail explain` prints: the mail as it looks without any match at hand."""
    mail = read_mail(raw)
    return {
        "kind": mail.kind,
        "address": mail.address or None,
        "status": mail.status or None,
        "permanent": mail.permanent,
        "text": mail.text,
        "moves": list(mail.moves),
        "why": mail.why,
    }


def text_of(mail: Part) -> str:
    """The text of a mail as its reader would see it, quotes marked with `>`."""
    plain, rich = _texts(mail)
    if rich.strip() and (not plain.strip() or _USELESS_PLAIN.match(plain.strip()[:600])):
        return rich[:MAX_TEXT]
    return plain[:MAX_TEXT]


def _read(
    mail: Part, authserv_id: str | None, envelope_recipient: str, envelope_sender: str | None, reply_domain: str | None
) -> Incoming:
    headers = mail.headers
    sender = whose.sender_address(headers)
    tokens = whose.tokens(headers, envelope_recipient=envelope_recipient, domain=reply_domain)
    about = Incoming(
        kind="person",
        why="",
        message_id=next(iter(whose.message_ids(headers.get("message-id"))), ""),
        references=whose.message_ids(f"{headers.get('references')} {headers.get('in-reply-to')}"),
        subject=" ".join(headers.text("subject").split())[:_MAX_SUBJECT],
        sender=sender,
        token=next(iter(tokens), ""),
        tokens=tuple(tokens),
        address=sender,
        authentication=whose.authentication(headers, sender, authserv_id),
    )
    if complaint := complaints.read_complaint(mail):
        return _about_complaint(about, complaint)
    if report := bounces.read_bounce(mail, envelope_sender=envelope_sender):
        return _about_bounce(about, report)
    own = words.own_words(text_of(mail))
    if why := machines.machine(mail, own, to_us=bool(tokens), envelope_sender=envelope_sender):
        return replace(about, kind="machine", why=why, text=own)
    return _from_a_person(about, own)


def _about_complaint(about: Incoming, complaint: complaints.Complaint) -> Incoming:
    if complaint.about_authentication:
        why = (
            f"A mail provider reports ({complaint.kind}) that it could not verify our mail, or takes a complaint back."
        )
        return replace(about, kind="machine", why=why, our_fault=complaint.kind.startswith("auth"))
    why = f"A mail provider passes on a complaint about our mail ({complaint.kind})."
    return replace(
        about, kind="complaint", why=why, address=complaint.address, original_message_id=complaint.message_id
    )


def _about_bounce(about: Incoming, report: bounces.Report) -> Incoming:
    worst = report.worst
    return replace(
        about,
        kind="bounce",
        why=f"A mail of ours was not delivered: {worst.why}.",
        address=worst.address,
        status=worst.status,
        permanent=worst.permanent,
        our_fault=worst.our_fault,
        failures=report.failures,
        original_message_id=report.message_id,
    )


def _from_a_person(about: Incoming, own: str) -> Incoming:
    found = tuple(moves.lines_like_moves(own))
    if found:
        why = "A person wrote it, and its first lines look like moves."
    elif own:
        why = "A person wrote it, and its first lines are no moves."
    else:
        why = "A person sent it, but without words of their own."
    return replace(
        about,
        kind="move" if found else "person",
        why=why,
        text=own,
        moves=found,
    )


def _texts(part: Part) -> tuple[str, str]:
    """The plain text and the text of the HTML of a part, each empty where there is none."""
    kind = part.content_type
    if kind.startswith("multipart/"):
        return _texts_of_several(part)
    if part.is_attachment or kind not in ("text/plain", "text/html", "text/enriched", "text/richtext"):
        return "", ""
    text = part.text()
    if kind != "text/plain" or text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        return "", markup.text_of(text)
    if part.parameters.get("format", "").lower() == "flowed":
        text = words.unflowed(text, delete_space=part.parameters.get("delsp", "").lower() == "yes")
    return text, ""


def _texts_of_several(part: Part) -> tuple[str, str]:
    found = [_texts(child) for child in part.children]
    if part.content_type == "multipart/alternative":
        return next((p for p, _ in found if p.strip()), ""), next((r for _, r in found if r.strip()), "")
    plain = "\n".join(p or r for p, r in found if p or r)
    rich = "\n".join(r or p for p, r in found if p or r) if any(r for _, r in found) else ""
    return (plain if any(p for p, _ in found) else ""), rich
