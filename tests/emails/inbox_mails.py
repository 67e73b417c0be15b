"""Builders of raw mails as mail programs and mail servers write them."""

from email.header import Header


def a_mail(body: str | bytes = "take 1L\n", *, charset: str = "utf-8", **headers: str) -> bytes:
    """A mail from Ann to her reply address; keywords are header names with underscores."""
    fields = {
        "from": "Ann <ann@example.org>",
        "to": "Estafette <r-7k2m9q@play.example.net>",
        "subject": "Re: Richelieu (2012) · Ann, Ben, Cat",
        "message-id": "<1@example.org>",
        "in-reply-to": "<turn-1@play.example.net>",
        "mime-version": "1.0",
        "content-type": f"text/plain; charset={charset}",
        "content-transfer-encoding": "8bit",
    }
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name.title()}: {_ascii(value)}" for name, value in fields.items() if value]
    content = body if isinstance(body, bytes) else body.encode(charset)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def a_multipart(*parts: str | bytes, subtype: str = "mixed", parameters: str = "", **headers: str) -> bytes:
    """A mail of several parts, each with its own header lines."""
    body = b"".join(b"--bound\r\n" + (part if isinstance(part, bytes) else part.encode()) + b"\r\n" for part in parts)
    content_type = f"multipart/{subtype}; {parameters}boundary=bound"
    return a_mail(body + b"--bound--\r\n", content_type=content_type, content_transfer_encoding="", **headers)


def a_part(body: str, content_type: str = "text/plain; charset=utf-8", *more: str) -> str:
    return "\r\n".join([f"Content-Type: {content_type}", "Content-Transfer-Encoding: 8bit", *more]) + f"\r\n\r\n{body}"


def a_letter_of_ours(to: str = "ann@example.org") -> str:
    """The enclosed mail of a report."""
    return (
        "Return-Path: <b-4t6w@play.example.net>\r\nFrom: Estafette <games@play.example.net>\r\n"
        f"To: {to}\r\nSubject: Your turn\r\nMessage-ID: <turn-9@play.example.net>\r\nMIME-Version: 1.0\r\n"
        "Content-Type: text/plain\r\n\r\nIt is your turn.\r\n"
    )


def a_status_report(
    diagnostic: str,
    *,
    status: str = "5.0.0",
    action: str = "failed",
    recipient: str = "ann@example.org",
    notification: str = "This is the mail system.\r\n",
    more: str = "",
    **headers: str,
) -> bytes:
    """A report in the standard form (RFC 3464), as Postfix, sendmail, Exim and Exchange send it."""
    fields = f"Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; {recipient}\r\nAction: {action}\r\n"
    fields += f"Status: {status}\r\n" + (f"Diagnostic-Code: {diagnostic}\r\n" if diagnostic else "") + more
    given = {
        "from": "Mail Delivery System <MAILER-DAEMON@mx.example.com>",
        "to": "b-4t6w@play.example.net",
        "subject": "Undelivered Mail Returned to Sender",
        "in-reply-to": "",
        "return-path": "<>",
        "auto-submitted": "auto-replied",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    return a_multipart(
        a_part(notification),
        a_part(fields, "message/delivery-status"),
        a_part(a_letter_of_ours(recipient), "message/rfc822"),
        subtype="report",
        parameters="report-type=delivery-status; ",
        **{name.replace("-", "_"): value for name, value in given.items()},
    )


def a_text_report(text: str, **headers: str) -> bytes:
    """A report as mail servers wrote it before there was a standard, and many still do."""
    given = {
        "from": "MAILER-DAEMON@mx.example.com",
        "to": "b-4t6w@play.example.net",
        "subject": "failure notice",
        "in_reply_to": "",
        "return_path": "<>",
    } | headers
    return a_mail(text, **given)


def _ascii(value: str) -> str:
    return value if value.isascii() else Header(value, "utf-8", maxlinelen=900).encode()
