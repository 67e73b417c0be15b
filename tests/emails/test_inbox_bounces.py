"""Reports about mail that was not delivered: whose address, which code, and whether the address is gone."""

# ruff: noqa: E501  samples as the mail servers write them, however long

import pytest

from emails.inbox import read_mail
from tests.emails.inbox_mails import a_letter_of_ours, a_mail, a_multipart, a_part, a_status_report, a_text_report

GONE = [
    ("smtp; 550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown in virtual mailbox table", "5.1.1"),
    ("smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address", "5.1.1"),
    ("smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@example.org not found by SMTP address lookup", "5.1.10"),
    ("smtp;550 5.4.1 Recipient address rejected: Access denied. [DB5EUR01FT012.eop-EUR01.prod.protection.outlook.com]", "5.4.1"),
    ("SMTP; 550 Requested action not taken: mailbox unavailable", "5.1.1"),
    ("smtp; 554 delivery error: dd This user doesn't have a yahoo.com account (ann@yahoo.com) [0] - mta1.mail.yahoo.com", "5.0.0"),
    ("smtp; 552 1 Requested mail action aborted, mailbox not found", "5.0.0"),
    ("smtp; 550 sorry, no mailbox here by that name (#5.1.1 - chkusr)", "5.1.1"),
    ("smtp; 550 5.2.1 The email account that you tried to reach is disabled.", "5.2.1"),
    ("smtp; 550 Account deactivated", "5.0.0"),
    ("x-unix; user unknown", "5.1.1"),
    ("X-Postfix; unknown user: \"ann\"", "5.1.1"),
    ("X-Postfix; Host or domain name not found. Name service error for name=exmaple.org type=AAAA: Host not found", "5.4.4"),
    ("SMTP; 550 Host unknown", "5.1.2"),
    ("smtp; 550 5.1.6 recipient no longer on server: ann@example.org", "5.1.6"),
    ("smtp; 550 <ann@example.org> Benutzer unbekannt", "5.0.0"),
    ("smtp; 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416", "5.1.1"),
    ("smtp; 550 Message was not accepted -- invalid mailbox. Local mailbox ann@mail.ru is unavailable: user not found", "5.0.0"),
    ("smtp; 550 5.1.1 unknown or illegal alias: ann@example.org", "5.1.1"),
    ("smtp; 556 5.1.10 <ann@example.org>: Recipient address rejected: Domain example.org does not accept mail (nullMX)", "5.1.10"),
    ("", "5.1.1"),
]  # fmt: skip

NOT_GONE = [
    ("smtp; 552 5.2.2 <ann@example.org>... Mailbox Full", "5.2.2"),
    ("smtp; 452-4.2.2 The email account that you tried to reach is over quota.", "4.2.2"),
    ("smtp; 550 <ann@web.de> Benutzer hat zuviele Mails auf dem Server.", "5.0.0"),
    ("smtp; 550-5.1.1 Quota exceeded", "5.1.1"),
    ("smtp; 450 4.2.0 <ann@example.org>: Recipient address rejected: Greylisted, see http://postgrey.example.com", "4.2.0"),
    ("X-Postfix; connect to mx.example.org[192.0.2.1]:25: Connection timed out", "4.4.1"),
    ("X-Postfix; Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again", "4.4.3"),
    ("smtp; 554 5.7.1 <ann@example.org>: Relay access denied", "5.7.1"),
    ("smtp; 550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages", "5.2.1"),
    ("smtp; 554 5.4.14 Hop count exceeded - possible mail loop ATTR34", "5.4.14"),
    ("smtp; 550 [SUSPEND] Mailbox currently suspended - Please contact correspondent directly", "5.1.1"),
    ("smtp; 550 5.7.1 RESOLVER.RST.AuthRequired; authentication required", "5.7.1"),
    ("smtp; 550 5.1.1 RCP-P2 Refused due to recipient preferences", "5.1.1"),
    ("smtp; 432 4.3.2 STOREDRV.Storage; mailbox server is too busy", "4.3.2"),
]  # fmt: skip

OUR_FAULT = [
    ("smtp; 550-5.7.26 This mail has been blocked because the sender is unauthenticated. 550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.", "5.7.26"),
    ("smtp; 550 5.7.509 Access denied, sending domain play.example.net does not pass DMARC verification and has a DMARC policy of reject.", "5.7.509"),
    ("smtp; 554 5.7.1 Service unavailable; Client host [192.0.2.9] blocked using zen.spamhaus.org", "5.7.1"),
    ("smtp; 550 5.7.1 Unfortunately, messages from [192.0.2.9] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).", "5.7.1"),
    ("smtp; 550-5.7.1 Our system has detected that this message is likely unsolicited mail.", "5.7.1"),
    ("smtp; 554 5.6.0 Message contains a virus", "5.6.0"),
    ("smtp; 550 5.7.25 The IP address sending this message does not have a PTR record setup", "5.7.25"),
    ("smtp; 553 5.1.8 <b-4t6w@play.example.net>... Domain of sender address does not exist", "5.1.8"),
    ("smtp; 552 5.3.4 Message size exceeds fixed limit", "5.3.4"),
    ("smtp; 554 5.7.9 Message not accepted for policy reasons. See https://postmaster.example.com", "5.7.9"),
]  # fmt: skip


@pytest.mark.parametrize(("diagnostic", "status"), GONE)
def test_a_standard_report_about_an_address_that_is_gone_is_permanent(diagnostic: str, status: str) -> None:
    mail = read_mail(a_status_report(diagnostic, status=status))
    assert (mail.kind, mail.address, mail.status, mail.permanent) == ("bounce", "ann@example.org", status, True)
    assert not mail.our_fault


@pytest.mark.parametrize(("diagnostic", "status"), NOT_GONE)
def test_full_slow_and_closed_mailboxes_are_not_gone(diagnostic: str, status: str) -> None:
    mail = read_mail(a_status_report(diagnostic, status=status))
    assert (mail.kind, mail.address, mail.permanent) == ("bounce", "ann@example.org", False)


@pytest.mark.parametrize(("diagnostic", "status"), OUR_FAULT)
def test_a_refusal_of_our_host_or_letter_is_an_alarm_and_no_verdict_on_the_player(diagnostic: str, status: str) -> None:
    mail = read_mail(a_status_report(diagnostic, status=status))
    assert (mail.kind, mail.permanent, mail.our_fault) == ("bounce", False, True)


def test_the_mail_of_ours_that_failed_is_named() -> None:
    mail = read_mail(a_status_report("smtp; 550 5.1.1 User unknown", status="5.1.1"))
    assert (mail.original_message_id, mail.token) == ("<turn-9@play.example.net>", "b-4t6w")


def test_a_telling_code_in_the_answer_replaces_a_general_one() -> None:
    mail = read_mail(a_status_report("X-Postfix; host mx[192.0.2.5] said: 550 5.1.1 no such user", status="5.0.0"))
    assert mail.status == "5.1.1"


def test_an_address_of_numbers_is_not_read_as_a_code() -> None:
    mail = read_mail(a_text_report("<ann@example.org>:\n192.0.2.5.1 does not like recipient.\nGiving up on 5.1.1.7.\n"))
    assert mail.status == ""


def test_the_address_as_we_wrote_it_is_preferred_to_where_it_led() -> None:
    mail = read_mail(
        a_status_report(
            "smtp; 550 user unknown",
            recipient="ann.smith@mail.example.com",
            more="Original-Recipient: rfc822;ann@example.org\r\n",
        )
    )
    assert mail.address == "ann@example.org"


@pytest.mark.parametrize(
    "report",
    [
        a_status_report("smtp; 450 4.1.1 User unknown", action="delayed", status="4.1.1"),
        a_status_report("", action="delayed", status="4.4.7", subject="Delayed Mail (still being retried)"),
        a_text_report(
            "This is a warning message only. YOU DO NOT NEED TO RESEND YOUR MESSAGE.\n\nann@example.org: user unknown?\n",
            subject="Warning: message delayed 24 hours",
        ),
    ],
)
def test_a_notice_of_delay_is_never_permanent(report: bytes) -> None:
    mail = read_mail(report)
    assert (mail.kind, mail.permanent) == ("bounce", False)


@pytest.mark.parametrize("action", ["delivered", "relayed", "expanded"])
def test_a_report_of_success_is_a_machines_and_no_bounce(action: str) -> None:
    assert read_mail(a_status_report("smtp; 250 OK", action=action, status="2.0.0")).kind == "machine"


def test_of_several_recipients_all_are_told_and_the_worst_stands_for_them() -> None:
    more = (
        "\r\nFinal-Recipient: rfc822; ben@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n"
        "\r\nFinal-Recipient: rfc822; cat@example.org\r\nAction: delivered\r\nStatus: 2.0.0\r\n"
    )
    mail = read_mail(a_status_report("smtp; 552 5.2.2 Mailbox full", status="5.2.2", more=more))
    assert [(failure.address, failure.permanent) for failure in mail.failures] == [
        ("ann@example.org", False),
        ("ben@example.org", True),
    ]
    assert (mail.address, mail.permanent) == ("ben@example.org", True)


def test_fields_of_recipients_without_blank_lines_between_are_told_apart() -> None:
    more = "Final-Recipient: rfc822;ben@example.org\r\nAction: failed\r\nStatus: 5.2.2\r\n"
    assert len(read_mail(a_status_report("smtp; 550 no such user", more=more)).failures) == 2


TEXT_REPORTS = {
    "qmail, unknown": (
        "Hi. This is the qmail-send program at mx.example.com.\nI'm afraid I wasn't able to deliver your message to the following addresses.\n"
        "This is a permanent error; I've given up. Sorry it didn't work out.\n\n<ann@example.org>:\n192.0.2.5 does not like recipient.\n"
        "Remote host said: 550 5.1.1 <ann@example.org>: User unknown\nGiving up on 192.0.2.5.\n\n--- Below this line is a copy of the message.\n\n",
        {}, True, "5.1.1",
    ),
    "qmail, no host": (
        "Hi. This is the qmail-send program at mx.example.com.\n\n<ann@example.org>:\nSorry, I couldn't find any host named example.org. (#5.1.2)\n",
        {}, True, "5.1.2",
    ),
    "qmail, full": (
        "Hi. This is the qmail-send program.\n\n<ann@example.org>:\nThe users mailfolder is over the allowed quota (size). (#5.2.2)\n", {}, False, "5.2.2",
    ),
    "exim, unknown": (
        "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\n"
        "recipients. This is a permanent error. The following address(es) failed:\n\n  ann@example.org\n    SMTP error from remote mail server after RCPT TO:<ann@example.org>:\n"
        "    host mx.example.org [192.0.2.5]: 550 No such user here\n\n------ This is a copy of the message, including all the headers. ------\n\n",
        {"x_failed_recipients": "ann@example.org", "subject": "Mail delivery failed: returning message to sender"}, True, "",
    ),
    "exim, unrouteable": (
        "A message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n"
        "  ann@exmaple.org\n    Unrouteable address\n", {"subject": "Mail delivery failed: returning message to sender", "x_failed_recipients": "ann@exmaple.org"}, True, "",
    ),
    "exim, gave up": (
        "A message that you sent could not be delivered to one or more of its\nrecipients. The following address(es) failed:\n\n  ann@example.org\n"
        "    retry timeout exceeded\n", {"subject": "Mail delivery failed: returning message to sender", "x_failed_recipients": "ann@example.org"}, False, "",
    ),
    "sendmail": (
        "The original message was received at Mon, 3 Jun 2024 10:12:00 +0200\n\n   ----- The following addresses had permanent fatal errors -----\n<ann@example.org>\n"
        "    (reason: 550 5.1.1 <ann@example.org>... User unknown)\n\n   ----- Transcript of session follows -----\n>>> DATA\n<<< 550 5.1.1 <ann@example.org>... User unknown\n",
        {"from": "Mail Delivery Subsystem <MAILER-DAEMON@mx.example.com>", "subject": "Returned mail: see transcript for details"}, True, "5.1.1",
    ),
    "postfix, old": (
        "This is the Postfix program at host mx.example.com.\n\nI'm sorry to have to inform you that the message returned\nbelow could not be delivered.\n\n"
        "<ann@example.org>: host mx.example.org[192.0.2.5] said: 550 <ann@example.org>:\n    Recipient address rejected: User unknown (in reply to RCPT TO command)\n",
        {"subject": "Undelivered Mail Returned to Sender"}, True, "",
    ),
    "exchange 5.5": (
        "Your message\n\n  To:      ann@example.org\n  Subject: Your turn\n  Sent:    Mon, 3 Jun 2024 10:12:00 +0200\n\ndid not reach the following recipient(s):\n\n"
        "ann@example.org on Mon, 3 Jun 2024 10:12:01 +0200\n    The recipient name is not recognized\n\tMSEXCH:IMS:Example:MAIN:MX 0 (000C05A6) Unknown Recipient\n",
        {"from": "System Administrator <postmaster@example.org>", "subject": "Undeliverable: Your turn"}, True, "",
    ),
    "domino": (
        "Your message\n\n  Subject: Your turn\n\nwas not delivered to:\n\n  ann@example.org\n\nbecause:\n\n  User ann (ann@example.org) not listed in Domino Directory\n",
        {"from": "Postmaster@example.org", "subject": "DELIVERY FAILURE: User ann (ann@example.org) not listed in Domino Directory"}, True, "",
    ),
    "gmail": (
        "** Address not found **\n\nYour message wasn't delivered to ann@gmail.example because the address couldn't be found, or is unable to receive mail.\n\n"
        "The response from the remote server was:\n550 5.1.1 The email account that you tried to reach does not exist.\n",
        {"from": "Mail Delivery Subsystem <mailer-daemon@googlemail.com>", "subject": "Delivery Status Notification (Failure)"}, True, "5.1.1",
    ),
    "yahoo": (
        "Sorry, we were unable to deliver your message to the following address.\n\n<ann@example.org>:\n552: 5.2.2 mailbox full\n\n--- Below this line is a copy of the message.\n",
        {"from": "MAILER-DAEMON@yahoo.com", "subject": "Failure Notice"}, False, "5.2.2",
    ),
    "opensmtpd": (
        "    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\n"
        "ann@example.org: 550 5.1.1 Recipient address rejected: User unknown\n", {"from": "Mailer Daemon <MAILER-DAEMON@mx.example.com>", "subject": "Delivery status notification: error"}, True, "5.1.1",
    ),
    "dragonfly": (
        "This is the DragonFly Mail Agent v0.13 at mx.example.com.\n\nThere was an error delivering your mail to <ann@example.org>.\n\nmx.example.org [192.0.2.5] did not like our RCPT TO:\n"
        "550 5.1.1 unknown user\n", {"subject": "Mail delivery failed"}, True, "5.1.1",
    ),
    "imail": ("Unknown user: ann@example.org\n\nOriginal message follows.\n\nReceived: from x\n", {"from": "Postmaster <postmaster@mx.example.com>", "subject": "Undeliverable Mail"}, True, ""),
    "1&1 german": (
        "Diese Nachricht wurde automatisch erstellt.\n\nIhre E-Mail konnte nicht zugestellt werden:\n\nann@example.org\n\nGrund:\nEmpfänger unbekannt\n",
        {"from": "Mail Delivery System <mailer-daemon@kundenserver.example>", "subject": "Unzustellbar: Your turn"}, True, "",
    ),
    "french": (
        "Votre message n'a pas pu être remis au destinataire suivant :\n\nann@example.org\n\nUtilisateur inconnu (550)\n", {"subject": "Non remis : Your turn"}, True, "",
    ),
    "spanish": (
        "No se ha podido entregar su mensaje a:\n\n<ann@example.org>\n\nEl buzón está lleno.\n", {"subject": "No se puede entregar: Your turn"}, False, "",
    ),
    "dutch": ("Uw bericht is niet afgeleverd.\n\n<ann@example.org>: gebruiker onbekend\n", {"subject": "Onbestelbaar: Your turn"}, True, ""),
    "polish": ("Wiadomość nie została dostarczona do:\n\nann@example.org\n\nUżytkownik nie istnieje\n", {"subject": "Niedostarczone: Your turn"}, True, ""),
    "russian": (
        "Ваше сообщение не доставлено.\n\n<ann@example.org>: пользователь не найден\n", {"subject": "Недоставленное сообщение"}, True, "",
    ),
    "japanese": ("次の宛先に配信できませんでした。\n\n<ann@example.org>: ユーザが存在しません\n", {"subject": "配信不能"}, True, ""),
    "chinese": ("您的邮件无法投递到以下地址：\n\nann@example.org\n\n收件人不存在\n", {"subject": "系统退信"}, True, ""),
    "spam filter": (
        "Your message to ann@example.org was rejected.\n550 5.7.1 Message rejected as spam by Content Filtering.\n", {"subject": "Undeliverable: Your turn"}, False, "5.7.1",
    ),
    "no reason": ("I could not deliver your message to\n\n<ann@example.org>\n", {}, None, ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "headers", "permanent", "status"), TEXT_REPORTS.values(), ids=TEXT_REPORTS)
def test_a_report_in_words_is_understood(
    text: str, headers: dict[str, str], permanent: bool | None, status: str
) -> None:
    mail = read_mail(a_text_report(text, **headers))
    assert mail.kind == "bounce"
    assert mail.address.partition("@")[0] == "ann"
    assert (mail.permanent, mail.status) == (permanent, status)


def test_a_report_without_an_address_in_its_words_takes_it_from_the_mail_enclosed() -> None:
    mail = read_mail(
        a_multipart(
            a_part("Your message was not delivered: user unknown.\r\n"),
            a_part(a_letter_of_ours("ann@example.org"), "message/rfc822"),
            **{"from": "postmaster@example.org", "subject": "Undeliverable: Your turn", "return_path": "<>"},
        )
    )
    assert (mail.kind, mail.address, mail.permanent) == ("bounce", "ann@example.org", True)


def test_the_copy_of_our_mail_below_a_report_is_not_read_as_the_reason() -> None:
    mail = read_mail(
        a_text_report(
            "<ann@example.org>:\nConnection timed out.\n\n--- Below this line is a copy of the message.\n\n"
            "Received: from x\nSubject: mailbox does not exist\n\n550 5.1.1 user unknown\n"
        )
    )
    assert (mail.permanent, mail.status) == (False, "")


@pytest.mark.parametrize(
    "mail",
    [
        a_mail("My mail to Ben came back, what now?\n", subject="Undeliverable mail?"),
        a_mail("Look:\n> 550 5.1.1 user unknown\n", subject="Re: Undelivered Mail Returned to Sender"),
        a_mail("I got 550 user unknown for ben@example.org, is his address right?\n", subject="Ben's address"),
        a_multipart(
            a_part("take 1L\r\n"), a_part(a_letter_of_ours(), "message/rfc822", "Content-Disposition: attachment")
        ),
    ],
)
def test_a_person_who_writes_about_a_bounce_is_a_person(mail: bytes) -> None:
    assert read_mail(mail).kind in ("person", "move")


def test_a_report_in_html_is_understood() -> None:
    markup = "<html><body><p>Your message to <b>ann@example.org</b> couldn't be delivered.</p><p>550 5.1.1 User unknown</p></body></html>"
    mail = read_mail(a_text_report(markup, content_type="text/html", subject="Undeliverable: Your turn"))
    assert (mail.address, mail.status, mail.permanent) == ("ann@example.org", "5.1.1", True)


# Complaints


def a_complaint(kind: str = "abuse", more: str = "", original: str = a_letter_of_ours()) -> bytes:
    return a_multipart(
        a_part("This is an email abuse report.\r\n"),
        a_part(f"Feedback-Type: {kind}\r\nUser-Agent: Provider/1.0\r\nVersion: 1\r\n{more}", "message/feedback-report"),
        a_part(original, "message/rfc822"),
        subtype="report",
        parameters="report-type=feedback-report; ",
        **{"from": "feedback@provider.example", "subject": "FW: Your turn", "in_reply_to": ""},
    )


def test_a_complaint_names_who_complained_and_about_which_mail() -> None:
    mail = read_mail(a_complaint(more="Original-Rcpt-To: <ben@example.org>\r\n"))
    assert (mail.kind, mail.address, mail.original_message_id) == (
        "complaint",
        "ben@example.org",
        "<turn-9@play.example.net>",
    )


def test_a_complaint_with_the_recipient_blacked_out_is_one_all_the_same() -> None:
    original = a_letter_of_ours("redacted@provider.example")
    mail = read_mail(a_complaint(original=original))
    assert (mail.kind, mail.address, mail.original_message_id) == ("complaint", "", "<turn-9@play.example.net>")


def test_hotmails_own_form_of_a_complaint_is_one() -> None:
    original = "X-HmXmrOriginalRecipient: ann@hotmail.example\r\n" + a_letter_of_ours("ann@hotmail.example")
    mail = read_mail(
        a_multipart(
            a_part(original, "message/rfc822"),
            **{"from": "staff@hotmail.example", "subject": "complaint about message from 192.0.2.9", "in_reply_to": ""},
        )
    )
    assert (mail.kind, mail.address) == ("complaint", "ann@hotmail.example")


def test_a_report_that_our_signature_failed_is_an_alarm_and_no_complaint() -> None:
    mail = read_mail(a_complaint("auth-failure"))
    assert (mail.kind, mail.our_fault) == ("machine", True)


def test_a_complaint_taken_back_is_none() -> None:
    assert read_mail(a_complaint("not-spam")).kind == "machine"
