"""Complaints that mail providers pass on when somebody presses "this is spam" (ARF, RFC 5965, and its forerunners)."""

# ruff: noqa: E501  phrases of many languages: a kind a line, however long

import re
from dataclasses import dataclass

from emails.inbox.bounces import original_headers
from emails.inbox.mime import Part
from emails.inbox.whose import addresses, message_ids

_FIELD = re.compile(r"^([A-Za-z][A-Za-z-]{2,40})[ \t]*:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_OLD_STYLE = re.compile(
    r"^\s*(?:complaint about message from|abuse report|email feedback report for ip|feedback loop|fbl\b|spam (?:report|complaint))",
    re.IGNORECASE,
)
# Reports of this machinery that no recipient complained in.
_NO_COMPLAINT = ("auth-failure", "not-spam", "dmarc")


@dataclass(frozen=True)
class Complaint:
    """Somebody called a mail of ours spam. `about_authentication`: no complaint, but a report that our mail could not be verified."""

    address: str
    message_id: str
    kind: str
    about_authentication: bool


def read_complaint(mail: Part) -> Complaint | None:
    """The complaint that a mail is, or None."""
    report = next((part for part in mail.own_parts() if part.content_type == "message/feedback-report"), None)
    if report is None:
        return _old_style(mail)
    fields = [(name.lower(), " ".join(value.split())) for name, value in _FIELD.findall(report.text()[:20_000])]
    kind = next((value.lower() for name, value in fields if name == "feedback-type"), "abuse")
    named = [value for name, value in fields if name in ("original-rcpt-to", "removal-recipient", "x-original-rcpt-to")]
    return _complaint(mail, kind, [address for value in named for address in addresses(value)])


def _old_style(mail: Part) -> Complaint | None:
    """Hotmail's way: the mail enclosed whole, its recipient in `X-HmXmrOriginalRecipient`."""
    original = original_headers(mail)
    if original is None:
        return None
    marked = original.get("x-hmxmroriginalrecipient") or mail.headers.get("x-hmxmroriginalrecipient")
    if not marked and not (_OLD_STYLE.match(mail.headers.text("subject")) and "in-reply-to" not in mail.headers):
        return None
    return _complaint(mail, "abuse", addresses(marked))


def _complaint(mail: Part, kind: str, named: list[str]) -> Complaint:
    original = original_headers(mail)
    if original is not None:
        values = [
            original.get(name) for name in ("x-hmxmroriginalrecipient", "x-original-to", "delivered-to", "to", "cc")
        ]
        named = named + [address for value in values for address in addresses(value)]
    found = message_ids(original.get("message-id")) if original is not None else ()
    return Complaint(
        address=next((address for address in named if "redacted" not in address.lower()), ""),
        message_id=found[0] if found else "",
        kind=kind,
        about_authentication=any(word in kind for word in _NO_COMPLAINT),
    )
