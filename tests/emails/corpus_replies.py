"""Whole replies as mail programs send them, each with the words of its writer: to count how many are read exactly.

Written after the reader was, from how the programs are known to write: it read 74 of 75 exactly at first sight.
"""

# ruff: noqa: E501  samples as the programs write them, however long

from __future__ import annotations

import base64
import quopri
from html import escape

from tests.emails.inbox_mails import a_mail, a_multipart

OURS = "Your turn (move 14): take one card or two, or mark one. By Friday, 5 June 2026, 10:12\nCentral European Summer Time, in about 46 hours.\n\nhttps://play.example.net/m/k7f3qx-1-e-1abc\n\nYour discs: 9, 3\n\n  1  [Paris 7]  [Lyon 5]\n\nReply with your move, like: take 1L\n"
US = "Estafette <r-7k2m9q@play.example.net>"


def quoted(text: str = OURS, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def plain(words: str, announcement: str, below: str = "", **headers: str) -> bytes:
    """Words above a quote that is announced and marked."""
    return a_mail(f"{words}\n\n{announcement}\n{quoted()}\n{below}".replace("\n", "\r\n"), **headers)


def bottom(words: str, announcement: str) -> bytes:
    return a_mail(f"{announcement}\n{quoted()}\n\n{words}\n".replace("\n", "\r\n"))


def page(html: str, text: str | None = None) -> bytes:
    """An HTML part, with a plain part beside it where the program writes one; encoded as most do."""
    packed = quopri.encodestring(html.encode()).decode()
    parts = [f"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{packed}"]
    if text is not None:
        packed = base64.encodebytes(text.encode()).decode()
        parts.insert(0, f"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{packed}")
    return a_multipart(*parts, subtype="alternative")


def old(html: bool = True) -> str:
    return f"<p>{escape(OURS)}</p>" if html else OURS


REPLIES: dict[str, tuple[bytes, str]] = {
    "gmail web, en": (plain("take 1L 3R", f"On Wed, Jun 3, 2026 at 12:14 PM {US}\nwrote:\n"), "take 1L 3R"),
    "gmail web, en-GB, two lines of words": (plain("mark 2.5\nend", f"On Wed, 3 Jun 2026 at 12:14, {US}\nwrote:\n"), "mark 2.5\nend"),
    "gmail web, html": (
        page(f'<div dir="ltr">take 2L<br></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Wed, Jun 3, 2026 at 12:14 PM Estafette &lt;<a href="mailto:r-7k2m9q@play.example.net">r-7k2m9q@play.example.net</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">{old()}</blockquote></div>'),
        "take 2L",
    ),
    "gmail android, signature between": (
        page('<div dir="auto">end<br><br><div data-smartmail="gmail_signature">Ann Smit<br>The Hague</div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Wed, 3 Jun 2026, 12:14 Estafette, &lt;r-7k2m9q@play.example.net&gt; wrote:<br></div><blockquote class="gmail_quote">' + old() + "</blockquote></div>"),
        "end",
    ),
    "gmail, nl": (plain("take 1R", f"Op wo 3 jun 2026 om 12:14 schreef {US}:\n"), "take 1R"),
    "gmail, de": (plain("take 1R", "Am Mi., 3. Juni 2026 um 12:14 Uhr schrieb Estafette <\nr-7k2m9q@play.example.net>:\n"), "take 1R"),
    "gmail, fr, 2026": (plain("take 1R", "Le mer. 3 juin 2026 à 12:14, Estafette <r-7k2m9q@play.example.net> a\nécrit :\n"), "take 1R"),
    "apple mail, mac": (plain("place 2 O1.3", f"> On 3 Jun 2026, at 12:14, {US} wrote:\n> "), "place 2 O1.3"),
    "apple mail, mac, announcement outside": (plain("place 2 O1.3", f"On Jun 3, 2026, at 12:14 PM, {US} wrote:\n"), "place 2 O1.3"),
    "iphone, signature above the quote": (plain("take 3L\n\nSent from my iPhone", f"> On 3 Jun 2026, at 12:14, {US} wrote:\n> \n> \ufeff"), "take 3L"),
    "iphone, html": (
        page(f'<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">take 3R<div><br></div><div id="AppleMailSignature" dir="ltr">Verstuurd vanaf mijn iPhone</div><div dir="ltr"><br><blockquote type="cite">Op 3 jun 2026 om 12:14 heeft Estafette &lt;r-7k2m9q@play.example.net&gt; het volgende geschreven:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">\ufeff{old()}</div></blockquote></body></html>'),
        "take 3R",
    ),
    "ipad, de": (plain("Ende\n\nVon meinem iPad gesendet", f"> Am 03.06.2026 um 12:14 schrieb {US}:\n> "), "Ende"),
    "outlook desktop, html": (
        page(f'<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {{margin:0cm}}</style></head><body lang="EN-GB"><div class="WordSection1"><p class="MsoNormal">offer 2<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal"><b>From:</b> {escape(US)} <br><b>Sent:</b> Wednesday, 3 June 2026 12:14<br><b>To:</b> Ann &lt;ann@example.org&gt;<br><b>Subject:</b> Richelieu<o:p></o:p></p></div></div><p class="MsoNormal">{old()}</p></div></body></html>'),
        "offer 2",
    ),
    "outlook desktop, plain": (
        a_mail(f"offer 2\n\n \n\nFrom: {US} \nSent: Wednesday, 3 June 2026 12:14\nTo: Ann <ann@example.org>\nSubject: Richelieu\n\n \n\n{OURS}"),
        "offer 2",
    ),
    "outlook on the web": (
        page(f'<html><body dir="ltr"><div class="elementToProof" style="font-family: Aptos">pay 3 red</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif"><b>From:</b> {escape(US)}<br><b>Sent:</b> 03 June 2026 12:14<br><b>To:</b> Ann<br><b>Subject:</b> Richelieu</font><div>&nbsp;</div></div><div>{old()}</div></body></html>'),
        "pay 3 red",
    ),
    "outlook for ios": (
        page(f'<html><head></head><body><div dir="ltr">take 1L</div><div id="ms-outlook-mobile-signature" dir="ltr">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><div id="mail-editor-reference-message-container"><hr><div id="divRplyFwdMsg"><b>From:</b> {escape(US)}<br><b>Sent:</b> Wednesday, June 3, 2026 12:14 PM<br><b>To:</b> Ann<br><b>Subject:</b> Richelieu</div>{old()}</div></body></html>'),
        "take 1L",
    ),
    "outlook, nl, plain with a line": (
        a_mail(f"einde\n\n________________________________\nVan: {US}\nVerzonden: woensdag 3 juni 2026 12:14\nAan: Ann <ann@example.org>\nOnderwerp: Richelieu\n\n{OURS}"),
        "einde",
    ),
    "outlook, de, html": (
        page(f'<div class=WordSection1><p class=MsoNormal>nimm 1<o:p></o:p></p><div><p class=MsoNormal><b>Von:</b> {escape(US)} <br><b>Gesendet:</b> Mittwoch, 3. Juni 2026 12:14<br><b>An:</b> Ann<br><b>Betreff:</b> Richelieu</p></div>{old()}</div>'),
        "nimm 1",
    ),
    "thunderbird": (plain("take 2L 2R", "On 03/06/2026 12:14, Estafette wrote:"), "take 2L 2R"),
    "thunderbird, below": (bottom("take 2L 2R", "On 03/06/2026 12:14, Estafette wrote:"), "take 2L 2R"),
    "thunderbird, below, signature": (bottom("take 2L 2R\n\n-- \nAnn Smit\ntake 9R", "Am 03.06.26 um 12:14 schrieb Estafette:"), "take 2L 2R"),
    "thunderbird, html": (
        page(f'<html><body><p>take 2L</p><p><br></p><div class="moz-cite-prefix">Op 03-06-2026 om 12:14 schreef Estafette:<br></div><blockquote type="cite" cite="mid:x@y"><pre class="moz-quote-pre">{escape(OURS)}</pre></blockquote></body></html>'),
        "take 2L",
    ),
    "thunderbird, html, signature": (
        page(f'<html><body><p>take 2L</p><pre class="moz-signature" cols="72">-- \nAnn Smit\n</pre><div class="moz-cite-prefix">On 03/06/2026 12:14, Estafette wrote:</div><blockquote type="cite">{old()}</blockquote></body></html>'),
        "take 2L",
    ),
    "k-9": (plain("take 1L\n\n-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.", f"On 3 June 2026 12:14:00 CEST, {US} wrote:"), "take 1L"),
    "fairemail": (
        page(f'<div dir="auto">take 1L</div><div><br></div><div fairemail="reference"><div><p>3 Jun 2026 12:14:00 Estafette &lt;r-7k2m9q@play.example.net&gt;:</p></div><blockquote style="border-left:3px solid">{old()}</blockquote></div>'),
        "take 1L",
    ),
    "samsung": (
        page(f'<html><body><div dir="auto">mark 1.1</div><div dir="auto"><br></div><div id="composer_signature" dir="auto"><div style="font-size:12px;color:#575757" dir="auto">Verzonden vanaf mijn Galaxy</div></div><div dir="auto"><br></div><div><br></div><div align="left" dir="auto" style="font-size:100%;color:#000000"><div>-------- Oorspronkelijk bericht --------</div><div>Van: {escape(US)} </div><div>Datum: 03-06-2026  12:14  (GMT+01:00) </div><div>Aan: Ann </div><div>Onderwerp: Richelieu </div><div><br></div></div>{old()}</body></html>'),
        "mark 1.1",
    ),
    "yahoo web": (
        page(f'<html><body><div class="ydpyahoo-style-wrap"><div dir="ltr">grise 3</div><div><br></div></div><div id="yahoo_quoted_123" class="yahoo_quoted"><div style="font-family:Helvetica"><div>On Wednesday, June 3, 2026 at 12:14:00 PM GMT+2, Estafette &lt;r-7k2m9q@play.example.net&gt; wrote:</div><div><br></div>{old()}</div></div></body></html>'),
        "grise 3",
    ),
    "yahoo android": (plain("grise 3\n\nSent from Yahoo Mail on Android\n", "  On Wed, 3 Jun 2026 at 12:14, Estafette<r-7k2m9q@play.example.net> wrote: "), "grise 3"),
    "aol": (a_mail(f"queen\n\n\n-----Original Message-----\nFrom: {US}\nTo: ann@example.org\nSent: Wed, Jun 3, 2026 12:14 pm\nSubject: Richelieu\n\n{OURS}"), "queen"),
    "proton, html": (
        page(f'<div style="font-family: Arial, sans-serif; font-size: 14px;">corrupt 4</div><div class="protonmail_signature_block" style="font-size: 14px;"><div class="protonmail_signature_block-proton">Sent with <a href="https://proton.me/mail/home">Proton Mail</a> secure email.</div></div><div class="protonmail_quote">On Wednesday, June 3rd, 2026 at 12:14 PM, Estafette &lt;r-7k2m9q@play.example.net&gt; wrote:<br><br><blockquote class="protonmail_quote" type="cite">{old()}</blockquote></div>'),
        "corrupt 4",
    ),
    "proton, plain": (plain("corrupt 4\n\nSent with Proton Mail secure email.\n", f"On Wednesday, June 3rd, 2026 at 12:14 PM, {US} wrote:\n"), "corrupt 4"),
    "tutanota": (page(f'<div>take 1L</div><div><br></div><div>-- </div><div>Sent with Tuta; enjoy secure &amp; ad-free emails.</div><div><br></div><div>3 Jun 2026, 12:14 by r-7k2m9q@play.example.net:</div><blockquote class="tutanota_quote">{old()}</blockquote>'), "take 1L"),
    "fastmail": (page(f'<!DOCTYPE html><html><head><style>p.MsoNormal{{}}</style></head><body><div>take 1L<br></div><div><br></div><div>On Wed, 3 Jun 2026, at 12:14 PM, Estafette wrote:<br></div><blockquote type="cite" id="qt">{old()}</blockquote></body></html>'), "take 1L"),
    "hey": (page(f'<div class="trix-content">take 1L</div><br><div><blockquote>On June 3, 2026, Estafette &lt;r-7k2m9q@play.example.net&gt; wrote:<br>{old()}</blockquote></div>'), "take 1L"),
    "zoho, html": (page(f'<div>take 1L</div><div><br></div><div class="zmail_extra_hr" style="border-top: 1px solid"></div><div class="zmail_extra"><div id="Zm-_Id_-Sgn1">---- On Wed, 03 Jun 2026 12:14:00 +0200 <b>Estafette &lt;r-7k2m9q@play.example.net&gt;</b> wrote ---</div><blockquote>{old()}</blockquote></div>'), "take 1L"),
    "gmx web": (page(f'<html><body><div style="font-family: Verdana"><div>take 1L</div><div>&nbsp;<div style="margin: 10px 5px 5px 10px; border-left: 2px solid rgb(195, 217, 229)"><div style="margin: 0px 0px 10px;"><b>Gesendet:</b>&nbsp;Mittwoch, 03. Juni 2026 um 12:14 Uhr<br><b>Von:</b>&nbsp;"Estafette" &lt;r-7k2m9q@play.example.net&gt;<br><b>An:</b>&nbsp;ann@example.org<br><b>Betreff:</b>&nbsp;Richelieu</div><div name="quoted-content">{old()}</div></div></div></div></body></html>'), "take 1L"),
    "web.de, plain": (a_mail(f"take 1L\n \n \n\nGesendet: Mittwoch, 03. Juni 2026 um 12:14 Uhr\nVon: \"Estafette\" <r-7k2m9q@play.example.net>\nAn: ann@example.org\nBetreff: Richelieu\n{OURS}"), "take 1L"),
    "t-online": (a_mail(f"take 1L\n\n\n-----Original-Nachricht-----\n\nBetreff: Richelieu\nDatum: 2026-06-03T12:14:00+0200\nVon: \"Estafette\" <r-7k2m9q@play.example.net>\nAn: \"ann@example.org\" <ann@example.org>\n\n{OURS}"), "take 1L"),
    "freenet": (a_mail(f"take 1L\n\n---\nAlle Postfächer an einem Ort. Jetzt wechseln und E-Mail-Adresse mitnehmen! https://email.freenet.de\n\n--- Ursprüngliche Nachricht ---\nVon: Estafette <r-7k2m9q@play.example.net>\nDatum: 03.06.2026 12:14:00\nAn: ann@example.org\nBetreff: Richelieu\n\n{OURS}"), "take 1L"),
    "orange.fr": (a_mail(f"take 1L\n\n\n\n\n\n\n> Message du 03/06/26 12:14\n> De : \"Estafette\" <r-7k2m9q@play.example.net>\n> A : ann@example.org\n> Copie à : \n> Objet : Richelieu\n> \n{quoted()}"), "take 1L"),
    "laposte": (a_mail(f"take 1L\n\nEnvoyé depuis ma boite mail laposte.net\n\nDe : \"Estafette\" <r-7k2m9q@play.example.net>\nÀ : \"Ann\"\nEnvoyé : mercredi 3 Juin 2026 12:14\nObjet : Richelieu\n\n{OURS}"), "take 1L"),
    "libero": (a_mail(f"take 1L\n\nIl 03/06/2026 12:14 CEST Estafette <r-7k2m9q@play.example.net> ha scritto: \n \n \n{OURS}"), "take 1L"),
    "mail.ru web": (page(f'<HTML><BODY><p>take 1L</p><br><blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;">Среда, 3 июня 2026, 12:14 +03:00 от Estafette &lt;r-7k2m9q@play.example.net&gt;:<br>&nbsp;<div>{old()}</div></blockquote></BODY></HTML>'), "take 1L"),
    "yandex web": (page(f'<div>take 1L</div><div>&nbsp;</div><div>03.06.2026, 12:14, "Estafette" &lt;r-7k2m9q@play.example.net&gt;:</div><blockquote>{old()}</blockquote>'), "take 1L"),
    "seznam": (a_mail(f"take 1L\n\n\n---------- Původní e-mail ----------\nOd: Estafette <r-7k2m9q@play.example.net>\nKomu: ann@example.org\nDatum: 3. 6. 2026 12:14:00\nPředmět: Richelieu\n\"{OURS}\""), "take 1L"),
    "wp.pl": (a_mail(f"take 1L\n\nDnia 3 czerwca 2026 12:14 Estafette <r-7k2m9q@play.example.net> napisał(a):\n\n{quoted()}"), "take 1L"),
    "roundcube": (plain("take 1L", "On 2026-06-03 12:14, Estafette wrote:"), "take 1L"),
    "roundcube, nl, below": (bottom("take 1L", "Estafette schreef op 2026-06-03 12:14:"), "take 1L"),
    "horde": (plain("take 1L", f"Quoting {US}:\n"), "take 1L"),
    "squirrelmail": (plain("take 1L", ""), "take 1L"),
    "rainloop": (page(f'<div data-html-editor-font-wrapper="true">take 1L<br><br><signature></signature><br><br>3 June 2026 12:14, "Estafette" &lt;<a>r-7k2m9q@play.example.net</a>&gt; wrote:<br><blockquote>{old()}</blockquote></div>'), "take 1L"),
    "zimbra": (page(f'<html><body><div style="font-family: arial"><div>take 1L</div><div><br></div><hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__"><b>From: </b>"Estafette"<br><b>To: </b>"Ann"<br><b>Sent: </b>Wednesday, June 3, 2026 12:14:00 PM<br><b>Subject: </b>Richelieu<br></div><div data-marker="__QUOTED_TEXT__">{old()}</div></div></body></html>'), "take 1L"),
    "lotus notes": (a_mail(f"take 1L\n\n\n\nFrom:   \"Estafette\" <r-7k2m9q@play.example.net>\nTo:     ann@example.org\nDate:   03/06/2026 12:14\nSubject:        Richelieu\n\n\n\n{OURS}"), "take 1L"),
    "mutt, signature": (plain("take 1L", "On Wed, Jun 03, 2026 at 12:14:44PM +0200, Estafette wrote:", "\n-- \nAnn\n"), "take 1L"),
    "mutt, below the quote": (bottom("take 1L\n\n-- \nAnn", "On Wed, Jun 03, 2026 at 12:14:44PM +0200, Estafette wrote:"), "take 1L"),
    "gnus, super cite": (a_mail(f"take 1L\n\nEstafette <r-7k2m9q@play.example.net> writes:\n\n{quoted(mark='E> ')}"), "take 1L"),
    "alpine": (plain("take 1L", "On Wed, 3 Jun 2026, Estafette wrote:\n"), "take 1L"),
    "evolution": (plain("take 1L", "On Wed, 2026-06-03 at 12:14 +0200, Estafette wrote:"), "take 1L"),
    "claws": (plain("take 1L", "On Wed, 03 Jun 2026 12:14:00 +0200\nEstafette <r-7k2m9q@play.example.net> wrote:\n"), "take 1L"),
    "kmail, de, below": (bottom("take 1L", "Am Mittwoch, 3. Juni 2026, 12:14:00 CEST schrieb Estafette:"), "take 1L"),
    "em client": (page(f'<html><body><div>take 1L</div><div><br></div><div id="x1"><blockquote cite="r@x" type="cite" class="cite2"><div>------ Original Message ------</div><div>From "Estafette" &lt;<a>r-7k2m9q@play.example.net</a>&gt;</div><div>To ann@example.org</div><div>Date 03/06/2026 12:14:00</div><div>Subject Richelieu</div><br>{old()}</blockquote></div></body></html>'), "take 1L"),
    "mailbird": (page(f'<div id="__MailbirdStyleContent">take 1L<br><br></div><blockquote class="history_container" type="cite" style="border-left-style: solid"><p>On 03/06/2026 12:14:00, Estafette &lt;r-7k2m9q@play.example.net&gt; wrote:</p>{old()}</blockquote>'), "take 1L"),
    "spark": (page(f'<html><body><div name="messageBodySection"><div dir="auto">take 1L</div></div><div name="messageSignatureSection"><br>Ann</div><div name="messageReplySection">On 3 Jun 2026 at 12:14 +0200, Estafette &lt;r-7k2m9q@play.example.net&gt;, wrote:<br><blockquote type="cite">{old()}</blockquote></div></body></html>'), "take 1L"),
    "naver": (page(f'<div>take 1L</div><div><br></div><p>-----Original Message-----<br><b>From:</b> "Estafette"&lt;r-7k2m9q@play.example.net&gt;<br><b>To:</b> &lt;ann@example.org&gt;;<br><b>Sent:</b> 2026-06-03 (수) 12:14:00 (GMT+09:00)<br><b>Subject:</b> Richelieu</p>{old()}'), "take 1L"),
    "163.com": (page(f'<div>take 1L</div><br><br><div style="position:relative;zoom:1"></div><div id="divNeteaseMailCard"></div><br><pre>At 2026-06-03 18:14:00, "Estafette" &lt;r-7k2m9q@play.example.net&gt; wrote:</pre><blockquote id="isReplyContent">{old()}</blockquote>'), "take 1L"),
    "qq mail": (page(f'<div>take 1L</div><div><br></div><div style="font-size: 12px;">------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size: 12px;background:#efefef;"><div><b>发件人:</b>&nbsp;"Estafette";</div><div><b>发送时间:</b>&nbsp;2026年6月3日(星期三) 晚上6:14</div><div><b>收件人:</b>&nbsp;"Ann";</div><div><b>主题:</b>&nbsp;Richelieu</div></div>{old()}'), "take 1L"),
    "no quote at all": (a_mail("take 1L\r\n"), "take 1L"),
    "no quote, a company's disclaimer": (a_mail("take 1L\n\n________________________________\nThis e-mail and any attachments are confidential and intended solely for the addressee. If you are not the intended recipient, please delete it.\n"), "take 1L"),
    "banner of a company above a gmail reply": (plain("CAUTION: This email originated from outside of the organization. Do not click links or open attachments unless you recognize the sender.\n\ntake 1L", f"On Wed, Jun 3, 2026 at 12:14 PM {US} wrote:\n"), "take 1L"),
    "talk before the move": (plain("Well played, Ben!\n\ntake 1L", f"On Wed, Jun 3, 2026 at 12:14 PM {US} wrote:\n"), "Well played, Ben!\n\ntake 1L"),
    "answers in between": (a_mail(f"On Wed, Jun 3, 2026 at 12:14 PM {US} wrote:\n> Your turn (move 14): take one card or two.\n\ntake 1L\n\n> Your discs: 9, 3\n\nI see.\n\n> Reply with your move.\n"), "take 1L\n\nI see."),
    "format=flowed": (a_mail("take \r\n1L\r\n\r\nOn 03/06/2026 12:14, Estafette wrote:\r\n> Your turn (move 14): take one card or \r\n> two.\r\n", content_type="text/plain; charset=utf-8; format=flowed"), "take 1L"),
    "latin-1, quoted-printable": (a_mail(quopri.encodestring("prêt, take 1L\n\nLe 03/06/2026 à 12:14, Estafette a écrit :\n> À vous.\n".encode("latin-1")), charset="iso-8859-1", content_transfer_encoding="quoted-printable"), "prêt, take 1L"),
    "a mailing list's footer": (plain("take 1L", "On 03/06/2026 12:14, Estafette wrote:", "\n_______________________________________________\nFamily mailing list\nfamily@lists.example.org\nhttps://lists.example.org/family\n"), "take 1L"),
    "the whole letter edited: nothing new": (a_mail(f"\n\nOn Wed, Jun 3, 2026 at 12:14 PM {US} wrote:\n{quoted()}"), ""),
}  # fmt: skip
