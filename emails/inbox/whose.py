"""Who a mail is from, which of our addresses it came to, and whether the operator's mail host vouches for it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from emails.inbox.mime import Headers, read_encoded_words

_ANGLE = re.compile(r"<\s*(?:mailto:)?([^<>\s]{1,320}@[^<>\s]{1,255})\s*>")
_BARE = re.compile(r"(?:mailto:)?([^\s<>()\[\],;:\"']{1,320}@[^\s<>()\[\],;:\"']{1,255})")
_QUOTED_NAME = re.compile(r'"(?:[^"\\]|\\.){0,1000}"(?!@)')
_COMMENT = re.compile(r"\([^()]{0,1000}\)")
_TOKEN = re.compile(r"(?:^|\+)([rbu]-[a-z0-9-]{1,62})$")

# Where a delivered mail says for whom it came, most trustworthy first.
RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")


@dataclass(frozen=True)
class Authentication:
    """What the operator's own mail host found out about the sender: `pass`, `fail` or `none` (it said nothing)."""

    result: str
    why: str


def addresses(value: str) -> list[str]:
    """The addresses in a header's value, in their order, without names and comments."""
    value = _COMMENT.sub(" ", _QUOTED_NAME.sub(" ", value[:8_000]))
    found: list[str] = []
    for piece in value.split(","):
        match = _last(_ANGLE, piece) or _BARE.search(piece)
        if match:
            found.append(match[1].strip().strip("."))
    return found


def sender_address(headers: Headers) -> str:
    """The one address in From, lower case; empty when there is none, or several, which no honest mail has."""
    found = {address.lower() for value in headers.all("from") for address in addresses(read_encoded_words(value))}
    return found.pop() if len(found) == 1 else ""


def tokens(headers: Headers, *, envelope_recipient: str = "", domain: str | None = None) -> list[str]:
    """The tokens among the recipients (`r-…` reply, `b-…` bounce, `u-…` leave), the envelope's first, each once."""
    values = [envelope_recipient, *(value for name in RECIPIENT_HEADERS for value in headers.all(name))]
    recipients = [address for value in values for address in addresses(value)]
    return list(dict.fromkeys(token for address in recipients if (token := token_in(address, domain=domain))))


def token_in(address: str, *, domain: str | None = None) -> str:
    """The token that is the local part of an address, or its part after a plus; empty if there is none."""
    local, _, host = address.strip().strip("<>").lower().rpartition("@")
    if domain is not None and host != domain.lower():
        return ""
    match = _TOKEN.search(local.strip('"'))
    return match[1] if match and len(match[1]) <= 64 else ""


def message_ids(value: str) -> tuple[str, ...]:
    """The message identifiers in a header's value, with their angle brackets, at most 100."""
    return tuple(re.findall(r"<[^<>\s]{1,990}>", value)[:100])


def authentication(headers: Headers, sender: str, authserv_id: str | None) -> Authentication | None:
    """The verdict of the host named `authserv_id` (RFC 8601) on a sender; None if no host is named.

    Only the topmost of that host's fields counts: it adds its own above what the mail brought along.
    """
    if authserv_id is None:
        return None
    for value in headers.all("authentication-results"):
        field = _COMMENT.sub(" ", value)
        host, _, results = field.partition(";")
        if host.split()[:1] and host.split()[0].strip('"').lower() == authserv_id.strip().lower():
            return _verdict(results, sender.rpartition("@")[2])
    return Authentication("none", f"The checking host {authserv_id} said nothing about this mail.")


def _verdict(results: str, domain: str) -> Authentication:
    if not domain:
        return Authentication("fail", "The mail does not name one sender.")
    found = [_result(piece) for piece in results.split(";")]
    for method, result, properties in found:
        if method == "dmarc" and result in ("pass", "fail"):
            about = properties.get("header.from", domain)
            passed = result == "pass" and _aligned(about, domain)
            return Authentication("pass" if passed else "fail", f"The checking host says dmarc={result}.")
    for method, result, properties in found:
        signer = properties.get("header.d") or properties.get("header.i", "")
        if method == "dkim" and result == "pass" and _aligned(signer, domain):
            return Authentication("pass", "The checking host found a good signature of the sender's domain.")
        if method == "spf" and result == "pass" and _aligned(properties.get("smtp.mailfrom", ""), domain):
            return Authentication("pass", "The checking host knows the sending host as the sender's.")
    return Authentication("fail", "The checking host could not confirm the sender.")


def _result(piece: str) -> tuple[str, str, dict[str, str]]:
    """One `method=result property=value …` of the field."""
    words = re.sub(r"\s*=\s*", "=", piece.strip().lower()).split()
    method, _, result = words[0].partition("=") if words else ("", "", "")
    pairs: Iterable[tuple[str, str, str]] = (word.partition("=") for word in words[1:])
    return method.partition("/")[0], result, {name: value.strip('"') for name, _, value in pairs}


def _aligned(other: str, domain: str) -> bool:
    """Is it the sender's domain, or one above it or below it with at least two labels (relaxed alignment)?"""
    other = other.rpartition("@")[2].strip("<>.").lower()
    domain = domain.lower()
    if other.count(".") < 1:
        return False
    return other == domain or domain.endswith("." + other) or other.endswith("." + domain)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    match = None
    for match in pattern.finditer(text):  # noqa: B007  the last one is wanted
        pass
    return match
