"""The built-in mailbox: what a mail server would have got, for whoever tries the product out on one machine."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, Final

from flask import Blueprint, Response, abort, request, url_for
from markupsafe import escape

from db import queries
from emails.language import gettext as _
from emails.mailbox import KeptMail, inbox, kept_mail, latest_inboxes
from server.inbound import take_in
from server.pages.showing import page, service, to

pages = Blueprint("mailbox", __name__)

_STEPS: Final = {"1h": timedelta(hours=1), "12h": timedelta(hours=12)}
_INBOXES: Final = 60
_CID: Final = re.compile(r"cid:([^\"'\s>]+)")

MAIL_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"
)
"""A mail is shown as mail programs show it: its own styles, no scripts, no forms, nothing from elsewhere."""


@pages.get("/mailbox")
def everybody() -> Response:
    """Who got mail. With `of`: the mails to one address."""
    address = request.args.get("of", "").replace("\0", "")
    if address:
        mails = inbox(service().store, address)
        return page("mailbox/inbox.html", address=address, mails=mails, sent="sent" in request.args, **_clock())
    inboxes = latest_inboxes(service().store, limit=_INBOXES)
    return page("mailbox/everybody.html", inboxes=inboxes, cut=len(inboxes) == _INBOXES, **_clock())


@pages.get("/mailbox/<int:mail_id>")
def mail(mail_id: int) -> Response:
    return page("mailbox/mail.html", mail=_mail(mail_id), said="")


@pages.get("/mailbox/<int:mail_id>/html")
def html(mail_id: int) -> Response:
    """The HTML part alone, for the frame: links open outside of it, pictures come from the mail."""
    found = _mail(mail_id)
    text = _CID.sub(lambda cid: str(escape(url_for(".picture", mail_id=mail_id, cid=cid[1]))), found.html)
    text = text.replace("<head>", '<head><base target="_top">', 1)
    answer = Response(text, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = MAIL_POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


@pages.get("/mailbox/<int:mail_id>/picture/<cid>")
def picture(mail_id: int, cid: str) -> Response:
    pictures = (each for each in _mail(mail_id).pictures if each.content_type in ("image/png", "image/jpeg"))
    found = next((each for each in pictures if each.cid == cid), None)
    if found is None:
        abort(404)
    return Response(found.content, content_type=found.content_type)


@pages.get("/mailbox/<int:mail_id>/raw")
def raw(mail_id: int) -> Response:
    return Response(_mail(mail_id).raw, content_type="text/plain; charset=utf-8")


@pages.post("/mailbox/<int:mail_id>/reply")
def reply(mail_id: int) -> Response:
    """Answer a mail as its reader would: a real mail comes in, and is read like any other."""
    found = _mail(mail_id)
    words = request.form.get("reply", "")
    if not found.reply_to or not words.strip():
        return page("mailbox/mail.html", 422, mail=found, said=_("Write your move into the first line, then send it."))
    now = service().now()
    take_in(service(), found.reply(words, now), now=now)
    return to(url_for(".everybody", of=found.to_address, sent=1))


@pages.post("/mailbox/clock")
def forward() -> Response:
    """Move the demo's clock forward: by some hours, or to when something is due next."""
    if not service().demo:
        abort(404)
    by = request.form.get("by", "")
    if by == "next":
        due = _next_due()
        step = due - service().now() if due else timedelta()
    else:
        step = _STEPS.get(by, timedelta())
    if step > timedelta():
        service().clock.forward(step)
        service().wake.set()
    address = request.form.get("of")
    return to(url_for(".everybody", of=address) if address else url_for(".everybody"))


def _mail(mail_id: int) -> KeptMail:
    found = kept_mail(service().store, mail_id) if mail_id < 2**63 else None
    if found is None:
        abort(404)
    return found


def _next_due() -> datetime | None:
    with service().store.reading() as session:
        return queries.oversight.next_due(session)


def _clock() -> dict[str, Any]:
    return {"demo": service().demo, "now": service().now(), "next_due": _next_due() if service().demo else None}
