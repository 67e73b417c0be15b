"""Reports about mail that was not delivered: whose address, which code, and what it means."""

# ruff: noqa: E501  phrases of many languages: a kind a line, however long

import re
from dataclasses import dataclass
from email import message_from_bytes

from flufl.bounce import all_failures

from emails.inbox import machines, markup, verdicts
from emails.inbox.mime import Headers, Part
from emails.inbox.whose import addresses, message_ids

_MAX_RECIPIENTS = 100
_MAX_REPORT = 20_000
_MAX_FOR_LIBRARY = 64 * 1024

_FIELD = re.compile(r"^([A-Za-z][A-Za-z-]{2,40})[ \t]*:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?<![\w.+=/-])(\"[^\"\s]{1,64}\"|[\w.!#$%&'*+/=?^{|}~-]{1,80})@((?:[\w-]{1,63}\.)+[\w-]{2,63})(?![\w-])"
)
_RECIPIENT_FIELDS = frozenset({"final-recipient", "original-recipient", "action", "status"})

_SUBJECT = re.compile(
    r"^\s*(?:\W*\[\w+\]\W*)?(?:undeliver(?:able|ed)\b|undeliverable mail|returned (?:mail|e-?mail|message|to sender)\b|(?:mail|message|e-?mail)?\s?delivery (?:has )?(?:fail\w*|status notification|status|problem|error|report|notification|notice|warning|delayed|incomplete|unsuccessful)"
    r"|delivery (?:of your|to)\b.{0,60}fail|failure notice|failure delivery|failed mail|(?:mail|message)(?: delivery)? (?:failed|failure|error|undeliverable|status|delayed|could not be delivered)|mail (?:could not|was not|not|delivery) (?:be )?deliver\w*"
    r"|non[- ]?delivery|ndn\b|dsn\b|not delivered|nondeliverable|unable to deliver|could not (?:send|deliver)|cannot deliver|permanent (?:delivery )?(?:failure|error)|warning\b.{0,60}(?:delay|not yet|could not|unknown|undeliver|delivered)|message (?:status|delayed|you sent|not delivered|undeliver|could not|blocked|rejected|to .{1,80} (?:failed|could not))"
    r"|your (?:message|e-?mail|mail) (?:to .{1,80} )?(?:could not|couldn['’]t|was not|has not|cannot)|processing error|delayed (?:mail|message|delivery)|mail (?:system )?error|automatically rejected mail|address (?:unknown|not found|changed)|user unknown|bounced?\b|rejected\b|e-?mail (?:delivery|rejected|undeliver|bounced?)|banned|blocked|error sending|unzustellbar|nicht zustellbar"
    r"|zustellung(?:s\w*)? .{0,30}(?:fehl|nicht|verz)|mail konnte nicht|fehler bei der|(?:e-?mail|nachricht) .{0,30}nicht zugestellt|unzustellbare|nichtzustell\w+|onbestelbaar|niet (?:bezorgd|afgeleverd|bestelbaar)|bezorg\w* mislukt|non (?:remis|distribu|délivr)\w*|échec (?:de|d['’])|notification d['’]état de (?:remise|distribution)|message non|courrier non"
    r"|no (?:se puede |se pudo |se ha podido )?entrega\w*|no entregado|mensaje no|error (?:de|en la) entrega|devuelto|notificación de (?:estado|error)|non recapitabile|mancata consegna|mancato recapito|notifica (?:dello )?stato|não entreg\w*|falha na entrega|nao entreg\w*|não foi possível|devolvid[oa]|olevererbart|kan ikke leveres|ikke leveret|ikke levert|uleverbar|leveringsfejl"
    r"|ei voitu toimittaa|toimitus\w* epäonnistui|ei toimitettu|toimittamaton|niedostarcz\w*|nie dostarczon\w*|zwrot|nedoručiteln\w*|nedoručen\w*|не (?:удается|удалось|доставлен\w*)|недоставлен\w*|ваше сообщение не|невозможно доставить|доставка не|kézbesíthetetlen|teslim edilemedi|iletilemedi|αδυναμία|ανεπίδοτο|配信(?:不能|失敗|エラー|できません)|送信エラー|未配信|配達不能"
    r"|(?:系统)?退信|投递失败|无法(?:投递|送达)|郵件傳送|無法(?:投遞|傳遞)|未传递|邮件传输失败|배달(?: 실패| 안 됨)|전송 실패|배달되지)",
    re.IGNORECASE,
)  # fmt: skip
_REPORT = re.compile(
    r"(?:could not|couldn['’]t|cannot|can['’]t|can not|was not|wasn['’]t|not been|not be|unable to|failed to|failure to|not|un|did not|didn['’]t) ?(?:be )?(?:able to )?(?:successfully )?(?:deliver|reach|send|process|relay|complete|transmit)"
    r"|(?:deliver\w*|transmission|sending)\b.{0,80}\b(?:fail\w*|error|problem|delay\w*|permanent|unsuccessful|not possible|impossible|refused|rejected|expired)|failed (?:to|recipients?|address)|returned (?:to|mail|unopened|message)|permanent(?:ly)? (?:fatal )?(?:error|failure|fail)|fatal errors|addresses? (?:had|failed)|user unknown|unknown user|no such (?:user|domain|address)|does not exist|mailbox|"
    r"bounce|undeliver|not listed in|\b5\d\d[ -]|\b[45]\.\d\.\d{1,3}\b|has (?:been )?(?:rejected|delayed|blocked|refused|returned)|not (?:yet )?been delivered|still (?:trying|being|in the queue)|nicht (?:zugestellt|zustellbar|ausgeliefert|übermittelt)|konnte nicht|niet (?:worden )?(?:bezorgd|afgeleverd)|kon niet|n['’]a (?:pas|pu)|non remis|n['’]ont pas|no (?:se (?:ha )?)?(?:pudo|podido|puede)|no ha podido"
    r"|non (?:è stato|può|ha potuto|recapit|consegn)|não (?:pôde|foi|pode)|kunde inte|kunne ikke|ei voitu|nie (?:mogła|może|została|udało)|nebylo možné|nelze|nepodařilo|не (?:удалось|может|было|доставлен\w*|существует)|無法|无法|失败|退回|配信(?:できません|不能)|送信できません|存在しません|실패|없습니다",
    re.IGNORECASE,
)  # fmt: skip
_STATES_FAILURE = re.compile(
    r"^[\s*=_-]*(?:your|the following|this|a) (?:e-?mail |mail )?(?:message|mail|e-?mail)\b.{0,160}?\b(?:could not|cannot|can not|was not|has not|was unable to|couldn['’]t) (?:be |been )?(?:successfully )?(?:deliver|sent|reach)"
    r"|^[\s*=_-]*votre (?:message|courriel|mail)\b.{0,120}n['’]a pas (?:pu|été)|^[\s*=_-]*ihre (?:nachricht|e-?mail|mail)\b.{0,120}(?:nicht (?:zugestellt|übermittelt)|konnte nicht)"
    r"|^[\s*=_-]*uw (?:bericht|e-?mail|mail)\b.{0,120}(?:niet (?:worden )?(?:bezorgd|afgeleverd))|^[\s*=_-]*su mensaje\b.{0,120}no (?:se )?(?:ha )?(?:pudo|podido)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_DELAY = re.compile(
    r"\bdelay(?:ed)?\b|still (?:being|trying|in the queue|attempting)|not yet been delivered|has not yet|will (?:be retried|keep trying|continue|retry|try again|be tried)|do not need to (?:resend|re-?send)|no action is required on your part|continue trying|keep trying"
    r"|verzöger|vertraag|retardé|différé|retras|ritard|atras|försen|forsinke|viivästy|opóźn|zpožd|задерж|延迟|遅延",
    re.IGNORECASE,
)  # fmt: skip
_GAVE_UP = re.compile(
    r"permanent|gave up|given up|giving up|fatal|no (?:further|longer)|will not (?:be )?retr|(?:mail|delivery) fail|undeliver|returned|failed",
    re.IGNORECASE,
)
_COPY_BEGINS = re.compile(
    r"^[\s>*]*[-=_*]{2,}.{0,40}?(?:original|copy of|below this line|message (?:header|follows|text|body)|unsent|returned|headers? (?:and|follow|of)|included|attached|your message|beginning|ursprüngliche|kopie|copie|copia|oorspronkelijk).{0,60}$"
    r"|^\s*(?:original message(?: headers?)? ?(?:follows|headers)?|(?:the )?(?:headers?|body|text|first|message) (?:and|of|from)\b.{0,60}(?:follows?|below|message|original)\b.*|(?:this|here|below|following|attached) (?:is|are) (?:a copy|the (?:original|headers|first|returned|message)).{0,60}|unsent message(?: below| follows)?|message headers? follows?|undelivered message|message contents?|your original (?:message|mail).{0,40}"
    r"|.{0,20}(?:begins?|start) (?:of )?(?:original|message|included).{0,30}|original mail follows.{0,20}|--- ?the (?:original|transcript of the original).{0,40}|returned message.{0,20}|.{0,10}orig(?:inal)? msg.{0,20})\s*[:.*=-]*\s*$",
    re.IGNORECASE,
)  # fmt: skip
_COPIED_HEADER = re.compile(
    r"^[\s>|]{0,6}(received|return-path|message-id|mime-version|from|to|subject|date|content-type|x-[\w-]+|reply-to|dkim-signature)\s*:",
    re.IGNORECASE,
)
_TRACES = frozenset({"received", "return-path", "mime-version", "content-type", "dkim-signature"})
_HELP = re.compile(
    r"contact|help|assist|postmaster|abuse|administrator|question|support|report|whitelist|more info", re.IGNORECASE
)


@dataclass(frozen=True)
class Failure:
    """One recipient of ours that a report is about. `permanent`: the address is gone; None: the report does not say."""

    address: str
    status: str
    permanent: bool | None
    our_fault: bool
    why: str


@dataclass(frozen=True)
class Report:
    """A report about our mail: the recipients that failed or wait, and which mail of ours it was."""

    failures: tuple[Failure, ...]
    message_id: str

    @property
    def worst(self) -> Failure:
        """The failure to act upon: a permanent one first, then one that is our fault."""
        return max(self.failures, key=lambda failure: (failure.permanent is True, failure.our_fault))


def read_bounce(mail: Part, *, envelope_sender: str | None = None) -> Report | None:
    """The report that a mail is, or None if it is not about a mail that failed or waits."""
    report_text = _report_text(mail)
    if machines.is_a_challenge(mail.headers.text("subject"), report_text):
        return None
    failures = _from_status_parts(mail, report_text)
    if failures is None:
        if not _is_a_text_report(mail, report_text, envelope_sender):
            return None
        failures = [_from_text(mail, report_text)]
    if not failures:
        return None
    return Report(tuple(failures[:_MAX_RECIPIENTS]), _message_id_of_ours(mail))


def original_headers(mail: Part) -> Headers | None:
    """The headers of the mail of ours that is enclosed, if any of it is."""
    for part in mail.own_parts():
        if part.content_type in ("message/rfc822", "message/global") and part.children:
            return part.children[0].headers
        if part.content_type in (
            "text/rfc822-headers",
            "message/rfc822-headers",
            "message/global-headers",
            "text/rfc822",
        ):
            return _headers_in(part.text())
    return None


def _headers_in(text: str) -> Headers:
    return Headers([(name.lower(), " ".join(value.split())) for name, value in _FIELD.findall(text[:_MAX_REPORT])])


def _from_status_parts(mail: Part, report_text: str) -> list[Failure] | None:
    """The failures that RFC 3464 parts tell; None without such a part, empty if they tell of success."""
    parts = [part for part in mail.own_parts() if _is_status_part(part)]
    if not parts:
        return None
    groups = [group for part in parts for group in _recipient_groups(part.text())]
    failures = [
        _from_group(group, mail, report_text, alone=len(groups) == 1) for group in groups if not _succeeded(group)
    ]
    if groups:
        return failures
    return [_from_text(mail, report_text or parts[0].text())]


def _is_status_part(part: Part) -> bool:
    return part.content_type in (
        "message/delivery-status",
        "message/global-delivery-status",
        "message/xdelivery-status",
    )


def _recipient_groups(text: str) -> list[dict[str, str]]:
    """The fields of each recipient, in their order. Not every server parts them with blank lines as it should."""
    groups: list[dict[str, str]] = []
    for block in re.split(r"\n[ \t]*(?:\n[ \t]*)+", text[: 10 * _MAX_REPORT]):
        groups.append({})
        for name, value in _FIELD.findall(block):
            key = name.lower()
            if key in ("final-recipient", "action") and key in groups[-1]:
                groups.append({})
            groups[-1].setdefault(key, " ".join(value.split()))
        if len(groups) > 1 and _goes_with(groups[-2], groups[-1]):
            groups[-2].update(groups.pop())
    return [group for group in groups if group.keys() & _RECIPIENT_FIELDS][:_MAX_RECIPIENTS]


def _goes_with(before: dict[str, str], group: dict[str, str]) -> bool:
    """Was one recipient's group torn in two by a blank line?"""
    return (
        bool(before.keys() & _RECIPIENT_FIELDS) and not before.keys() & group.keys() and "final-recipient" not in group
    )


def _succeeded(group: dict[str, str]) -> bool:
    action = group.get("action", "").lower()
    return action.startswith(("deliver", "relay", "expand")) or (not action and group.get("status", "").startswith("2"))


def _from_group(group: dict[str, str], mail: Part, report_text: str, *, alone: bool) -> Failure:
    answer = group.get("diagnostic-code", "")
    words = answer.partition(";")[2] if ";" in answer[:40] else answer
    given = group.get("status", "")
    match = re.search(r"\b([245]\.\d{1,3}\.\d{1,3})\b", given)
    comment = given.replace(match[1], "") if match else given
    status = verdicts.status_in(words or comment, match[1] if match else "")
    action = group.get("action", "").lower()
    gave_up = not action.startswith(("delay", "warn", "transient")) and not (status.startswith("4") and not action)
    verdict = verdicts.judge(words.strip() or comment.strip(), status, gave_up=gave_up)
    if verdict.permanent is None:
        verdict = _clearer(verdict, _judge_report(report_text, status, gave_up=gave_up))
    address = _recipient(group) or (_address(mail, report_text) if alone else "")
    return Failure(address, status, verdict.permanent, verdict.our_fault, verdict.why)


def _judge_report(report_text: str, status: str, *, gave_up: bool) -> verdicts.Verdict:
    """What a report says in its lines with codes, else in any of its lines."""
    telling = _telling_lines(report_text)
    verdict = verdicts.judge(telling, status, gave_up=gave_up) if telling else verdicts.Verdict(None, False, "")
    return _clearer(verdicts.judge(report_text, status, gave_up=gave_up, loose=True), verdict)


def _clearer(verdict: verdicts.Verdict, other: verdicts.Verdict) -> verdicts.Verdict:
    return verdict if other.permanent is None else other


def _recipient(group: dict[str, str]) -> str:
    """The address as we wrote it, else as it was when it failed."""
    for key in ("original-recipient", "final-recipient", "x-actual-recipient"):
        match = _ADDRESS.search(group.get(key, ""))
        if match:
            return match[0]
    value = group.get("final-recipient", group.get("original-recipient", "")).rpartition(";")[2].strip(" <>")
    return value if "@" in value and " " not in value else ""


def _is_a_text_report(mail: Part, report_text: str, envelope_sender: str | None) -> bool:
    headers = mail.headers
    if "x-failed-recipients" in headers:
        return True
    names_failure = bool(_SUBJECT.match(headers.text("subject")))
    tells_failure = bool(_REPORT.search(report_text[:6_000]))
    if machines.is_from_a_daemon(headers) or mail.parameters.get("report-type", "").lower() == "delivery-status":
        return names_failure or tells_failure
    if not tells_failure or not (names_failure or _STATES_FAILURE.search(report_text[:800])):
        return False
    if machines.has_null_sender(headers, envelope_sender):
        return True
    is_reply = "in-reply-to" in headers and not _encloses_a_mail(mail)
    return not is_reply and ((names_failure and _encloses_a_mail(mail)) or any(_addresses_in(report_text)))


def _encloses_a_mail(mail: Part) -> bool:
    return original_headers(mail) is not None


def _from_text(mail: Part, report_text: str) -> Failure:
    subject = mail.headers.text("subject")
    status = verdicts.status_in(_telling_lines(report_text))
    waits = bool(_DELAY.search(subject)) or (
        bool(_DELAY.search(report_text[:4_000])) and not _GAVE_UP.search(f"{subject} {report_text[:4_000]}")
    )
    verdict = _judge_report(f"{report_text}\n{subject}", status, gave_up=not waits)
    return Failure(_address(mail, report_text), status, verdict.permanent, verdict.our_fault, verdict.why)


def _telling_lines(report_text: str) -> str:
    """The lines of a report with the other server's answer: those with a code and the two after (answers are wrapped)."""
    lines = report_text.split("\n")
    wanted: list[str] = []
    for number, line in enumerate(lines[:400]):
        if verdicts.ENHANCED.search(line) or verdicts.SMTP_CODE.search(line):
            wanted += [line, *lines[number + 1 : number + 3]]
    return "\n".join(dict.fromkeys(wanted))


def _report_text(mail: Part) -> str:
    """What the reporting server wrote itself, without the copy of our mail below it."""
    for part in mail.own_parts():
        if part.content_type == "text/plain" or (part.content_type.startswith("text/") and "html" in part.content_type):
            text = part.text()[: 4 * _MAX_REPORT]
            text = markup.text_of(text) if "html" in part.content_type else text
            if text.strip():
                return _above_the_copy(text[:_MAX_REPORT])
    return ""


def _above_the_copy(text: str) -> str:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number > 2 and _COPY_BEGINS.match(line[:200]):
            return "\n".join(lines[:number])
        names = {match[1].lower() for other in lines[number : number + 4] if (match := _COPIED_HEADER.match(other))}
        if number > 0 and len(names) >= 3 and names & _TRACES and _COPIED_HEADER.match(line):
            return "\n".join(lines[:number])
    return text


def _address(mail: Part, report_text: str) -> str:
    """Whose address a report without standard fields is about."""
    named = addresses(mail.headers.get("x-failed-recipients"))
    if named:
        return named[0]
    original = original_headers(mail)
    ours = set(
        _lower(mail.headers, "to", "from", "delivered-to")
        + (_lower(original, "from", "sender", "return-path", "reply-to") if original else [])
    )
    sent_to = [address for address in (_lower(original, "to") if original else []) if address not in ours]
    likely, others = _addresses_in(report_text)
    likely = [address for address in likely if address.lower() not in ours]
    known = [address for address in others if address.lower() in sent_to]
    rest = [address for address in others if address.lower() not in ours and not _HELP.search(address)]
    return _by_library(mail) or next(iter([*likely, *known, *rest, *sent_to]), "")


def _lower(headers: Headers, *names: str) -> list[str]:
    return [address.lower() for name in names for value in headers.all(name) for address in addresses(value)]


def _addresses_in(report_text: str) -> tuple[list[str], list[str]]:
    """The addresses in a report: likely ones (on a line of their own, before a colon, called recipient), and others."""
    likely: list[str] = []
    others: list[str] = []
    for line in report_text.split("\n")[:400]:
        for match in _ADDRESS.finditer(line[:1_000]):
            address = match[0].lstrip("'")
            before, after = line[: match.start()].strip(), line[match.end() :].strip()
            if re.search(r"https?://\S*$|=$", line[: match.start()]):
                continue
            alone = not before.strip("<>\"'*-•\t ") and not after.strip("<>\"':;.,*\t ")
            told = (
                alone
                or after.startswith((">:", ":", ">...", "...", "> ..."))
                or re.search(r"(?:rcpt to|recipient|user|address|to)\W*$", before, re.IGNORECASE)
            )
            (likely if told and not _HELP.search(before) and not _COPIED_HEADER.match(line) else others).append(address)
    return likely, others


def _by_library(mail: Part) -> str:
    """The address as flufl.bounce finds it in formats of its own. Its opinion on permanence is not asked."""
    try:
        temporary, permanent = all_failures(message_from_bytes(mail.raw[:_MAX_FOR_LIBRARY]))
        found = sorted(address.decode("ascii", "replace") for address in {*temporary, *permanent})
    except Exception:  # a foreign parser on foreign bytes: whatever it stumbles over, the mail is read without it
        return ""
    return found[0] if found else ""


def _message_id_of_ours(mail: Part) -> str:
    original = original_headers(mail)
    found = message_ids(original.get("message-id")) if original else ()
    return found[0] if found else ""
