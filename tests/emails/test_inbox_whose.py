"""For whom a mail came, from whom, and whether the operator's host vouches for it."""

import pytest

from emails.inbox import read_mail
from emails.inbox.whose import addresses, token_in
from tests.emails.inbox_mails import a_mail

HOST = "mx.play.example.net"


@pytest.mark.parametrize("header", ["delivered_to", "x_original_to", "envelope_to", "to", "cc"])
def test_the_token_is_found_in_every_recipient_header(header: str) -> None:
    headers = {"to": "someone@example.org"} | {header: "Estafette <R-7K2M-9Q@play.example.net>"}
    assert read_mail(a_mail(**headers)).token == "r-7k2m-9q"


def test_the_envelope_goes_before_the_headers_and_all_tokens_are_told() -> None:
    mail = read_mail(a_mail(cc="r-ccc@play.example.net"), envelope_recipient="<b-envelope@play.example.net>")
    assert (mail.token, mail.tokens) == ("b-envelope", ("b-envelope", "r-7k2m9q", "r-ccc"))


def test_references_are_told_apart_from_recipients() -> None:
    mail = read_mail(a_mail(to="x@example.org", references="<root@p> <r-other@p>", in_reply_to="<last@p>"))
    assert (mail.token, mail.references) == ("", ("<root@p>", "<r-other@p>", "<last@p>"))


@pytest.mark.parametrize(
    ("address", "token"),
    [
        ("r-abc@x.org", "r-abc"),
        ("R-ABC@X.ORG", "r-abc"),
        ("play+r-abc@x.org", "r-abc"),
        ("b-" + "a" * 62 + "@x.org", "b-" + "a" * 62),
        ("r-" + "a" * 63 + "@x.org", ""),
        ("ann-r-abc@x.org", ""),
        ("r-a_c@x.org", ""),
        ("r-@x.org", ""),
        ("x-abc@x.org", ""),
        ("", ""),
    ],
)
def test_a_token_is_a_whole_local_part_or_what_follows_its_plus(address: str, token: str) -> None:
    assert token_in(address) == token


def test_tokens_of_other_domains_can_be_left_out() -> None:
    raw = a_mail(to="r-abc@elsewhere.example, r-def@Play.example.net")
    assert read_mail(raw, reply_domain="play.example.net").tokens == ("r-def",)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Ann <ann@x.org>", ["ann@x.org"]),
        ('"Smith, Ann" <ann@x.org>, ben@x.org', ["ann@x.org", "ben@x.org"]),
        ('"ben@x.org" <ann@x.org>', ["ann@x.org"]),
        ("ann@x.org (ben@x.org)", ["ann@x.org"]),
        ("ben@x.org <ann@x.org>", ["ann@x.org"]),
        ("<mailto:ann@x.org>", ["ann@x.org"]),
        ("undisclosed-recipients:;", []),
        ("", []),
    ],
)
def test_an_address_in_a_name_or_a_comment_is_not_the_address(value: str, found: list[str]) -> None:
    assert addresses(value) == found


def test_a_mail_with_two_authors_has_no_sender() -> None:
    assert read_mail(a_mail(**{"from": "Ann <ann@example.org>, Ben <ben@example.org>"})).sender == ""
    two = b"From: ben@example.org\r\n" + a_mail()
    assert read_mail(two).sender == ""


def test_the_sender_is_lower_case_and_read_through_encoded_words() -> None:
    raw = a_mail(**{"from": "=?utf-8?q?=C3=84nn?= <Ann@Example.ORG>"})
    assert read_mail(raw).sender == "ann@example.org"


def verdict(*fields: str) -> str:
    """The verdict on a mail with these fields on top, the first the topmost."""
    raw = "".join(f"{field}\r\n" for field in fields).encode() + a_mail()
    authentication = read_mail(raw, authserv_id=HOST).authentication
    assert authentication is not None
    return authentication.result


def test_without_a_named_host_there_is_no_verdict() -> None:
    assert read_mail(b"Authentication-Results: mx.evil.example; dmarc=pass\r\n" + a_mail()).authentication is None


@pytest.mark.parametrize(
    ("results", "result"),
    [
        ("dmarc=pass header.from=example.org", "pass"),
        ("dkim=pass header.d=example.org; spf=fail; dmarc=pass (p=none) header.from=example.org", "pass"),
        ("dmarc=fail header.from=example.org; dkim=pass header.d=example.org", "fail"),
        ("dkim=pass (2048-bit key) header.d=example.org header.s=k1", "pass"),
        ("dkim=pass header.i=@mail.example.org", "pass"),
        ("dkim=pass header.d=evil.example", "fail"),
        ("spf=pass smtp.mailfrom=ann@example.org", "pass"),
        ("spf=pass smtp.mailfrom=evil.example", "fail"),
        ("dkim=fail header.d=example.org", "fail"),
        ("dmarc=pass header.from=evil.example", "fail"),
        ("none", "fail"),
        ("", "fail"),
    ],
)
def test_the_named_hosts_results_decide(results: str, result: str) -> None:
    assert verdict(f"Authentication-Results: {HOST}; {results}") == result


def test_another_hosts_results_are_ignored() -> None:
    assert verdict("Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org") == "none"


def test_a_forged_field_below_the_named_hosts_own_is_ignored() -> None:
    assert (
        verdict(
            f"Authentication-Results: {HOST}; dmarc=fail header.from=example.org",
            f"Received: from evil.example by {HOST}",
            f"Authentication-Results: {HOST}; dmarc=pass header.from=example.org",
        )
        == "fail"
    )


def test_a_host_named_in_a_comment_is_not_the_host() -> None:
    assert verdict(f"Authentication-Results: ({HOST}) mx.evil.example; dmarc=pass") == "none"
