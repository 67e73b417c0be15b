"""What a mail server's refusal means for the address: gone, to be tried again, or our own fault.

The words say more than the codes (many servers answer 550 or 5.0.0 to everything), so they are read first. Only "gone" is
permanent. A refusal of our host, our signature or our contents says nothing about the player and is an alarm instead.
"""

# ruff: noqa: E501  one phrase book: a kind of refusal a line, however long

import re
from dataclasses import dataclass

_MAX_TEXT = 6_000

ENHANCED = re.compile(r"(?<![\d.\w-])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)(?!\.\w)")
SMTP_CODE = re.compile(r"(?<![\d.\w/@-])([45]\d\d)(?=[ -]\D|[ -]?[45]\.\d\.\d|$)")


@dataclass(frozen=True)
class Verdict:
    """What a refusal means. `permanent` is None when neither words nor codes say why."""

    permanent: bool | None
    our_fault: bool
    why: str


def _phrases(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WHO = r"(?:user|recipient|mailbox|mail ?box|account|address|addressee|e-?mail(?: address| account)?|rcpt|destination|customer|alias|inbox|member|subscriber|login|local part|username|(?:user|recipient) name)"
_BETWEEN = r"[^.;\n]{0,90}?"

_SENDER = _phrases(
    r"(?:sender|mail from|from address|return[- ]path|envelope from|originator|reverse[- ]path)\b[^.;\n]{0,100}(?:not exist|doesn['’]t exist|not found|unknown|invalid|unverif|verif\w* fail|rejected|denied|refused|not (?:allowed|accepted|authori[sz]ed|permitted|resolve)|blocked|blacklist|cannot be verified|no mx|bounce)",
    r"(?:unknown|invalid|unverified|bad|rejected|blocked) (?:sender|mail from|return[- ]path|from address)|could not verify (?:the )?sender|sender verif\w* (?:fail|callout)",
    r"domain of sender|sender['’]?s? domain|can['’]?t determine purported|(?:helo|ehlo)\b[^.;\n]{0,80}(?:invalid|reject|must|not|denied)|badmailfrom|5\.1\.[78]\b",
)
_AUTHENTICATION = _phrases(
    r"\bspf\b|\bdkim\b|\bdmarc\b|sender policy framework|domainkeys|arc[- ]seal|authentication[- ](?:check|fail|required|information)|unauthenticated e?-?mail|not (?:pass|meet)[^.;\n]{0,40}authentication",
    r"not (?:allowed|authori[sz]ed|permitted) to (?:send|relay)(?: \w+){0,3} (?:from|for|on behalf|mail)|is not allowed to send|5\.7\.(?:2[0-9]|3[0-4])\b|5\.7\.5(?:09|15)\b",
)
_RELAY = _phrases(
    r"relay(?:ing)?(?: access)? (?:denied|not (?:permitted|allowed)|prohibited|refused|disallowed)|unable to relay|(?:we do|i do|does|do) not relay|not permitted to relay|relaying|as a relay|no relay|cannot relay",
    r"(?:isn['’]t|is not|not) (?:in )?(?:my|our) (?:list of allowed )?(?:rcpthosts|relay)|rcpthosts|badrcptto(?!\(user)",
)
_FULL = _phrases(
    r"quota|mail ?box (?:\S+ )?(?:is )?(?:now )?(?:full|overdrawn)|(?:full|overfull) mail ?box|inbox is full|mail ?box[^.;\n]{0,60}(?:size limit|storage limit|exceed|over (?:its|the|size|limit)|out of space)|too many (?:messages|mails)",
    r"(?:not enough|insufficient|no|out of|exceeded|exceeds|disk) (?:\w+ ){0,3}(?:disk|storage|system storage|space)|disk ?(?:space|full)|space left|(?:storage|mailbox) (?:allocation|size)? ?(?:limit|exceed)|over (?:the )?(?:storage|size|disk) ?limit",
    r"recipient storage full|mailfolder is full|user is over|has exceeded (?:its|their|the|his|max)[^.;\n]{0,40}(?:space|storage|quota|limit|size)|unable to (?:receive|accept)[^.;\n]{0,30}(?:full|storage)|maildir (?:delivery failed: error writing|over)",
    r"postfach (?:ist )?(?:voll|überfüllt)|speicherplatz|zuviele mails|bo[iî]te[^.;\n]{0,40}pleine|buzón (?:está )?lleno|casella[^.;\n]{0,20}piena|caixa[^.;\n]{0,30}cheia|postvak (?:is |zit )?vol|skrzynka[^.;\n]{0,30}(?:pełna|przepe)|переполнен|容量|邮箱(?:已)?满|信箱已滿|空間不足|空间不足",
    r"4\.2\.2\b|5\.2\.2\b",
)
_TEMPORARY = _phrases(
    r"gr[ea]y-?list|try(?:ing)? (?:again|later)|temporar(?:y|ily)|later\b[^.;\n]{0,20}retry|please retry|rate limit|too (?:many|fast|quickly|much)|throttl|slow down|deferred|resources|busy|not available at this time|overload|connection (?:timed? ?out|refused|reset|dropped|lost|failed)",
    r"timed? ?out|timeout|no answer from host|network (?:is )?unreachable|no route to host|lost connection|host is down|all (?:relevant )?mx|hosts? (?:have|has) been failing|(?:could|can)(?: ?not|n['’]t) connect|unable to connect|retry time(?:out)? (?:not reached|exceeded)|retrying|maximum-time-expired",
    r"(?:delivery|message|time|queue)[- ](?:time )?(?:has )?expired|expired\b[^.;\n]{0,30}(?:queue|retr|delivery)|in the queue (?:too|for)|has been in the queue|name server(?: reply)?\b[^.;\n]{0,40}(?:timeout|fail|malformed|unexpected)|malformed[^.;\n]{0,30}name ?server reply|host not found, try again|(?:dns|nameserver|name server) (?:failure|timeout)",
    r"receiving mail at a rate|too many hops|loop|routing loop|delivery time|server (?:is )?(?:down|unavailable)|service (?:is )?(?:currently |temporarily )?(?:not available|unavailable)|local (?:problem|error)|unable-to-transfer|i/o error|internal (?:server )?error|system (?:error|problem)|mail ?system full|lookup failure|mx lookup",
)
_GONE_USER = _phrases(
    # user unknown, no such user, unknown mailbox …
    rf"(?:unknown|no such|invalid|non-?existe?nt|nonexistent|unrecogni[sz]ed|undefined|illegal|bad|incorrect|wrong|not a valid|not a known|not an active|not a local|not an existing|no valid|unroute?able|undeliverable|unmatched)[ _-](?:\w+[ _-]){{0,2}}{_WHO}\b(?! (?:encoding|syntax|format))",
    rf"{_WHO}\b{_BETWEEN}\b(?:unknown|not known|(?:does|do|did|may|could)(?: not|n['’]t|nt) (?:currently )?(?:exist|seem to exist|appear to exist)|(?:not|never) exist\w*|no longer exists?|(?:is |are |was )?non-?exist[ae]nt|not found|couldn['’]t be found|could not be found|cannot be found|can['’]t be found|wasn['’]t found|was not found)",
    rf"{_WHO}\b{_BETWEEN}\b(?:is |are |was )?(?:not (?:a )?(?:valid|listed|recogni[sz]ed|registered|defined|existing|local|present|in (?:the|our)|a member|on this|here|known|hosted)|invalid|unrecogni[sz]ed|undeliverable|unroutable|un-?routeable|incorrect|nicht gefunden)\b",
    rf"(?:is )?(?:not|isn['’]t) (?:a |an )?(?:valid|known|active|local|existing|recogni[sz]ed|registered) (?:\w+ ){{0,2}}{_WHO}|no (?:\w+ ){{0,2}}(?:mail ?box|mail box|account|user|recipient|address|inbox|one) (?:here |found|available|by that|with that|of that|named|called|matching|for (?:this|that)|exists)",
    r"(?:we do|does|do)(?: not|n['’]t) have (?:a|an|any) (?:\w+ ){0,3}(?:account|user|mailbox|customer|address)|doesn['’]t have an? \S+ account|not our (?:customer|user|client)|not (?:a )?(?:one of )?our (?:users?|customers?)|not mine|user (?:\S+ )?not local|not local user|unavailable user",
    r"(?:user|recipient) (?:\S+ ){0,6}(?:could|can)(?: ?not|n['’]t) be (?:found|resolved|located)|(?:couldn['’]t|could not|cannot|can['’]t|unable to|failed to) (?:find|locate|resolve|look ?up|identify)\b[^.;\n]{0,60}(?:user|recipient|mailbox|account|alias|member|address)",
    r"addressee unknown|invalid final delivery|unknown (?:or|and) (?:illegal|unavailable)|bad[_ ]recipient|badrcptto\(user|invalidrecipient|recipnotfound|recipientnotfound|resolver\.adr\.(?:recip|exrecip)?notfound|unknown local[- ]part|unknown or illegal alias|unknown alias|no matches to nameserver query|unknown address error|bad[- ]destination[- ]mailbox[- ]address|bad mailbox|dest_?addr|no mail-enabled",
    r"user(?:name)?\b[^.;\n]{0,40}doesn['’]t|unrouteable mail domain|delivery to the following recipients? failed permanently:\s*$|not listed in|mailbox (?:\S+ )?(?:is )?(?:unavailable|not available)|mail ?box not (?:here|available|valid)|requested action not taken: ?mailbox unavailable|recipient (?:is )?(?:rejected|refused|not accepted)",
    r"rcpt (?:to )?(?:\S+ )?(?:failed|rejected|does)|this address no longer|address no longer|no longer (?:at|with|on|accept\w* mail for|in use|valid|in service|available|employed|an? )|recipient no longer|has (?:been )?(?:left|replaced|moved|changed)|moved to\b|new address|doesn['’]t work here|not at this (?:address|domain|site|host)",
    r"(?:recipient )?address(?:es)? rejected(?!: (?:gr[ea]y|access|policy|spam|block|dom|sender|send|not allow))|(?:all )?recipients? (?:address )?(?:rejected|refused|invalid)|invalid (?:final )?(?:delivery )?(?:recipient|destination)|address rejected|5\.1\.1\b[^.;\n]{0,40}rejected",
    # other languages
    r"empf[aä]e?nger\w* (?:ist )?(?:unbekannt|nicht (?:bekannt|gefunden|vorhanden)|existiert nicht)|unbekannter (?:empf[aä]e?nger|benutzer|nutzer|user)|(?:benutzer|adresse|postfach|konto)\b[^.;\n]{0,60}(?:unbekannt|nicht (?:gefunden|bekannt|vorhanden|registriert)|existiert nicht)|(?:gibt es|existiert)\b[^.;\n]{0,20}nicht|kein (?:benutzer|konto|postfach)",
    r"(?:gebruiker|ontvanger|adres|geadresseerde|postvak|mailbox)\b[^.;\n]{0,60}(?:onbekend|bestaat niet|niet (?:gevonden|bekend))|onbekende (?:gebruiker|ontvanger)|(?:utilisateur|destinataire|adresse|compte|bo[iî]te)\b[^.;\n]{0,60}(?:inconnue?|n['’ ]?existe (?:pas|plus)|introuvable|inexistante?|invalide)",
    r"(?:usuario|destinatario|direcci[oó]n|cuenta|buz[oó]n|casilla)\b[^.;\n]{0,60}(?:desconocid[oa]|no existe|no (?:se )?(?:ha )?encontr\w+|inexistente|inv[aá]lid[oa])|(?:utente|destinatario|casella|indirizzo|account)\b[^.;\n]{0,60}(?:sconosciut[oa]|non esiste|inesistente|non trovat[oa]|non valid[oa])",
    r"(?:usu[aá]rio|destinat[aá]rio|conta|endere[cç]o|caixa)\b[^.;\n]{0,60}(?:desconhecid[oa]|n[aã]o existe|inexistente|n[aã]o (?:foi )?encontrad[oa]|inv[aá]lid[oa])|(?:mottagaren?|adressen?|användaren?|modtageren?|brugeren?|kontoen?|mottakeren?)\b[^.;\n]{0,60}(?:okänd|finns inte|existerar inte|ukendt|findes ikke|eksisterer ikke|ukjent|finnes ikke|kunde inte hittas)",
    r"(?:vastaanottaja\w*|osoite\w*|käyttäjä\w*)\b[^.;\n]{0,60}(?:tuntematon|ei (?:ole|löyd)\w*)|(?:odbiorca|adres|użytkownik|skrzynka|konto|uzytkownik)\b[^.;\n]{0,60}(?:nieznan\w+|nie istnieje|nie zosta\w+ (?:znalezion|odnalezion)\w+|niedost[eę]pne)|(?:adresát|uživatel|příjemce|schránka)\b[^.;\n]{0,60}(?:neznám\w+|neexistuje|nenalezen\w*)",
    r"(?:пользовател\w+|адрес\w*|получател\w+|почтов\w+ ящик\w*|аккаунт)\b[^.;\n]{0,60}(?:не (?:существует|найден\w*|зарегистрирован\w*)|неизвест\w+)|(?:такого|такой) (?:пользователя|адреса|ящик\w*) (?:нет|не)|недействительн\w+ адрес",
    r"(?:用户|用戶|收件人|邮箱|郵箱|帐号|地址)[^.;。\n]{0,20}(?:不存在|未找到|无效|錯誤|错误)|不存在的(?:用户|收件人|邮箱)|(?:宛先|ユーザ|アドレス|メールボックス)[^.;。\n]{0,30}(?:見つかりません|存在しません|不明|存在し)|(?:수신자|사용자|주소)[^.;\n]{0,30}(?:없|존재하지)",
)
_DISABLED = _phrases(
    rf"{_WHO}\b{_BETWEEN}\b(?:has been |have been |is |are |was )?(?:permanently )?(?:disabled|deactivated|de-activated|discontinued|closed|terminated|deleted|removed|cancell?ed|inactive|expired|abandoned|obsolete|not active|no longer (?:active|valid|available|in use|used|monitored))\b",
    rf"(?:disabled|deactivated|discontinued|inactive|closed|deleted|expired|not an? active|dead) (?:\w+ ){{0,2}}{_WHO}|account that you tried to reach is (?:disabled|inactive|over)|deactivated due to|blocked (?:due to|because of|for) (?:inactivity|non-?use)|mailbox disabled|mailbox is inactive|\[#10[12]\]|vdeliver: invalid|deaktiviert|gesperrt|opgeheven|désactivé|desactivad[oa]|disattivat[oa]|отключен|заблокирован|wyłączon",
)
_SUSPENDED = _phrases(
    r"suspend|frozen|temporarily (?:disabled|inactive|locked)|mailbox (?:is )?(?:locked|frozen|blocked|restricted)|account (?:is )?(?:locked|blocked|restricted|on hold)|currently not accepting|not accepting (?:mail|messages)"
)
_GONE_HOST = _phrases(
    r"(?:host|domain|server|name|hostname|destination system|mail server)\b[^.;\n]{0,60}(?:not found(?!, try)|unknown|(?:does|do)(?: not|n['’]t) exist|invalid|non-?existent|cannot be (?:found|resolved)|couldn['’]t be found|could not be (?:found|resolved)|not (?:known|resolv\w+|registered|valid))",
    r"(?:unknown|no such|invalid|non-?existent|bad|illegal|unrouteable|unroutable|unreachable) (?:\w+ )?(?:host|domain|hostname|destination system|mail domain|host or domain)|nxdomain|name or service not known|couldn['’]t find any host|can(?:not|['’]t) find any host|domain (?:name )?(?:lookup|not) (?:found|failed)|no (?:mx|such domain|dns entry|a records?)",
    r"(?:domain|host)\b[^.;\n]{0,40}(?:does(?: not|n['’]t) (?:accept|receive|handle) (?:e-?)?mail|has no mail|null ?mx|accepts no mail)|null ?mx|domain (?:is )?not (?:reachable|hosted|local)|nullmx|no (?:valid )?mail (?:server|exchanger)s?|unknown (?:domain|host)|could not resolve|couldn['’]t resolve|unable to (?:find|resolve|locate)\b[^.;\n]{0,40}(?:host|domain|server|dns|mx)",
    r"host or domain name not found|name service error for name=\S+ type=\w+: host (?:not found(?!, try)|found but no data)|host\w* lookup (?:did not complete|failed)? ?not found|(?:domain|host)\w*\b[^.;\n]{0,30}(?:nicht gefunden|unbekannt|existiert nicht|bestaat niet|onbekend|inconnu|n['’]existe pas|no existe|não existe|non esiste|sconosciuto|не найден|не существует)|域名[^.;\n]{0,12}(?:不存在|错误|解析)",
)
_SPAM = _phrases(
    r"\bspam|spam\b|unsolicited|\bube\b|\buce\b|bulk[ -]?(?:e-?mail|mail)|virus|malware|phishing|mass mail|content (?:filter|reject|restrict)|(?:uri|surb|rhs|dns|r)bl\b|uribl|surbl|dnsbl|spamhaus|spamcop|black ?list|block ?list|denylist|blocked (?:using|by|for|due|because)\b(?!(?: to| of)? (?:inactivity|non-?use))|\bbanned\b|(?:has been|was|is) blocked(?! (?:due to|because of|for) (?:inactivity|non-?use))",
    r"reputation|client host rejected|(?:message|mail|content) (?:was |has been )?(?:rejected|refused|blocked) (?:by|due to|for|because|as)|(?:against|violat\w+|breach\w*|due to|by|for|local|security|site|content|our|message|e-?mail|admin\w*|corporate) (?:\w+ ){0,2}polic(?:y|ies)|polic(?:y|ies) (?:reject|violat|reason|restrict|block|prohibit)",
)
_CONTENT = _phrases(
    r"\bspam|spam\b|unsolicited|\bube\b|\buce\b|bulk[ -]?(?:e-?mail|mail)|junk|virus|malware|phish|mass mail|content (?:filter|reject|restrict|matched|not|is|has)|(?:message|mail) content|contents? (?:rejected|blocked|not)|(?:uri|surb|rhs|dns|r)bl\b|uribl|surbl|rbl|dnsbl|spamhaus|spamcop|barracuda|cloudmark|abus(?:e|ive)|blackl|block ?list|blocklist|denylist|black ?hole",
    r"reputation|banned|blocked|\bblock\b|reject(?:ed|ion)? (?:by|due to|for|because|as|-)[^.;\n]{0,60}(?:polic|filter|rule|secur|bulk|content|reason|admin|recipient)|polic(?:y|ies)\b|security|not allowed|prohibited|forbidden|denied by|access (?:denied|restricted|not allowed)|administrative(?:ly)? (?:prohibit|denied|reject)|not (?:permitted|welcome|wanted)|unacceptable|refused by|transaction failed",
    r"(?:ptr|reverse (?:dns|lookup|hostname)|rdns|fcrdns|fqdn|host ?name)\b[^.;\n]{0,60}(?:record|not|missing|required|lookup|found|fail|must|match|no)|(?:no|missing|invalid|valid|without) (?:ptr|reverse|rdns)|cannot find your (?:reverse )?hostname|client host rejected|your (?:ip|host|server|network|domain|mail server)\b[^.;\n]{0,80}(?:not|listed|reject|block|refus|denied|black|bad|deferred)",
    r"attachments?\b[^.;\n]{0,60}(?:not|reject|block|prohibit|type|refus|deni|accept)|executable|header (?:error|field)|improper|malformed|rfc ?-?(?:2822|5322|822|compli)|not (?:rfc|compliant)|line (?:too )?long|8-?bit|bare (?:lf|cr)|syntax error|format error|message (?:contains|was (?:rejected|refused|blocked)|rejected|refused|violates|matches|failed|triggered)|rejected (?:message|by|due|for|after)|profile|ip address\b[^.;\n]{0,60}(?:list|block|not|reject|deni|refus)",
)
_TOO_LARGE = _phrases(
    r"(?:message|mail|size|body|attachment)\b[^.;\n]{0,60}(?:too (?:big|large|long)|exceed|larger|size limit|over (?:the )?(?:max|size)|maximum)|(?:exceed\w*|larger than|over)\b[^.;\n]{0,40}(?:size|maximum)|sizelimit|too (?:big|large)|max(?:imum)? (?:inbound )?(?:message )?size|size[= ]limit|5\.2\.3\b|5\.3\.4\b"
)
_UNWANTED = _phrases(
    r"recipient preferences|you are not (?:in|on) (?:my|the|his|her)|not (?:in|on) (?:my|the|our) (?:white|allow|safe)|pre-approved|requires? (?:confirmation|approval|authenti)|does not (?:accept|want) (?:mail|messages|e-?mail) from|not accepting mail (?:with|from)|only accepts? (?:mail|messages)|restricted|refuses? (?:to accept )?(?:mail|messages) from|user reject|(?:not|isn['’]t) authori[sz]ed to send|members only|moderat"
)

_GONE_STATUS = frozenset({"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1", "5.4.310", "5.1.0"})
_CONTENT_STATUS = re.compile(r"5\.(?:7\.\d+|6\.\d+|1\.[789])$")
_OTHER_STATUS = re.compile(r"5\.(?:2\.[234]|3\.\d+|4\.\d+|5\.\d+)$")

# Addresses, links and hosts: their dots and words must not be read as the answer's.
_NAMES = re.compile(
    r"\S{0,64}@[\w.-]{1,100}\w|https?://\S+|\[?\b\d{1,3}(?:\.\d{1,3}){3}\b\]?|\b(?:[a-z0-9_-]{1,63}\.){1,8}[a-z]{2,14}\b(?:\[[\d.]+\])?"
)

_REFUSED = "our mail was refused for its contents or our host's reputation"
_GONE = "the address does not exist (any more)"


def judge(words: str, status: str = "", *, gave_up: bool = True, loose: bool = False) -> Verdict:
    """What a refusal means. `words`: the remote server's answer; `status`: like 5.1.1, may be empty.

    `gave_up`: the sending server will not try again. `loose`: the words are a whole report with its usual phrases, not
    the answer alone.
    """
    words = " ".join(words[:_MAX_TEXT].split())
    temporary_code = status.startswith("4") or (not status and bool(re.match(r"\D{0,30}4\d\d\b", words)))
    verdict = _by_words(words, status, temporary_code=temporary_code, loose=loose) or _by_status(status)
    if not gave_up and (verdict.permanent or not verdict.our_fault):
        return Verdict(False, False, "the mail is late, and still being tried")
    return verdict


def _by_words(words: str, status: str, *, temporary_code: bool, loose: bool) -> Verdict | None:
    answer, words = words, _NAMES.sub(" it ", words)
    if _FULL.search(words):
        return Verdict(False, False, "the mailbox is full")
    if _SENDER.search(words) or _AUTHENTICATION.search(words):
        return Verdict(False, True, "our host, address or signature was refused")
    gone_user, gone_host = _GONE_USER.search(words), _GONE_HOST.search(words)
    if _RELAY.search(words) and not (gone_user and status in _GONE_STATUS):
        return Verdict(False, False, "the other server does not take mail for that domain")
    if _SUSPENDED.search(words):
        return Verdict(False, False, "the mailbox is suspended for now")
    if temporary_code and not (gone_user and status in ("4.1.1", "4.1.2", "4.1.0")):
        return Verdict(False, False, "the other server could not take it at that time")
    if _SPAM.search(answer) and not gone_user:
        return Verdict(False, True, _REFUSED)
    if _TEMPORARY.search(words) and not gone_user:
        return Verdict(False, False, "the other server could not take it at that time")
    if _DISABLED.search(words):
        return Verdict(True, False, "the mailbox is closed")
    if re.search(r"recipient address rejected: ?access denied", words, re.IGNORECASE):
        return Verdict(True, False, _GONE)
    if gone_user and not _only_about_contents(answer, gone_user):
        return Verdict(True, False, _GONE)
    if _TOO_LARGE.search(words):
        return Verdict(False, True, "our mail was too large")
    if gone_host and not _CONTENT.search(answer):
        return Verdict(True, False, "the domain does not exist or takes no mail")
    if _UNWANTED.search(words):
        return Verdict(False, False, "the recipient does not take mail from everybody")
    if not loose and _CONTENT.search(answer):
        return Verdict(False, True, _REFUSED)
    return None


def _only_about_contents(words: str, gone: re.Match[str]) -> bool:
    """Do the words speak of spam and name the address only loosely?"""
    weak = re.search(r"unavailable|rejected|refused|not available|new address|moved|changed", gone[0], re.IGNORECASE)
    return bool(weak and _CONTENT.search(words))


def _by_status(status: str) -> Verdict:
    if status in _GONE_STATUS:
        return Verdict(True, False, _GONE)
    if status.startswith("4"):
        return Verdict(False, False, "the other server could not take it at that time")
    if _CONTENT_STATUS.match(status):
        return Verdict(False, True, "our mail was refused by a policy")
    if _OTHER_STATUS.match(status):
        return Verdict(False, False, "the other server could not take it")
    return Verdict(None, False, "the report does not say why")


def status_in(words: str, given: str = "") -> str:
    """The most telling enhanced status: one in the words if the one given is general, else the one given."""
    if given and not given.endswith(".0.0"):
        return given
    found: list[str] = [code for code in ENHANCED.findall(words[:_MAX_TEXT]) if not code.startswith("2")]
    telling = [code for code in found if not code.endswith(".0.0")]
    return (telling or found or [given])[0]
