"""A person's own words, out of what mail programs of many makes and languages put around them."""

# ruff: noqa: E501  samples as the programs write them, however long

import pytest

from emails.inbox import own_words, read_mail
from tests.emails.inbox_mails import a_mail, a_multipart, a_part

QUOTE = "> It is your turn.\n> Take one card or two.\n"

# The line with which a program introduces the quote, as it writes it.
ANNOUNCEMENTS = {
    "gmail en": "On Mon, Jun 3, 2024 at 10:12 AM Estafette <r-7k2m@play.example.net>\nwrote:",
    "gmail en, one long line": "On Mon, 3 Jun 2024 at 10:12, Estafette (Richelieu) <r-7k2m9qpcx4@play.example.net> wrote:",
    "apple en": "On 3 Jun 2024, at 10:12, Estafette <r-7k2m@play.example.net> wrote:",
    "thunderbird en": "On 03/06/2024 10:12, Estafette wrote:",
    "yahoo en": "On Monday, June 3, 2024 at 10:12:00 AM GMT+2, Estafette <r-7k2m@play.example.net> wrote:  ",
    "proton en": "On Monday, June 3rd, 2024 at 10:12 AM, Estafette <r-7k2m@play.example.net> wrote:",
    "mutt": "On Mon, Jun 03, 2024 at 10:12:44AM +0200, Estafette wrote:",
    "gnus": "Estafette <r-7k2m@play.example.net> writes:",
    "horde": "Quoting Estafette <r-7k2m@play.example.net>:",
    "old gmail": "2024-06-03 10:12 GMT+02:00 Estafette <r-7k2m@play.example.net>:",
    "android": "On Jun 3, 2024 10:12 AM, \"Estafette\" <r-7k2m@play.example.net> wrote:",
    "zoho": "---- On Mon, 03 Jun 2024 10:12:00 +0200 Estafette <r-7k2m@play.example.net> wrote ----",
    "gmail nl": "Op ma 3 jun 2024 om 10:12 schreef Estafette <r-7k2m@play.example.net>:",
    "apple nl": "Op 3 jun. 2024, om 10:12 heeft Estafette <r-7k2m@play.example.net> het volgende\ngeschreven:",
    "thunderbird nl": "Op 03-06-2024 om 10:12 schreef Estafette:",
    "yahoo nl": "Op maandag 3 juni 2024 om 10:12:00 CEST schreef Estafette <r-7k2m@play.example.net>:",
    "gmail de": "Am Mo., 3. Juni 2024 um 10:12 Uhr schrieb Estafette <\nr-7k2m@play.example.net>:",
    "apple de": "Am 03.06.2024 um 10:12 schrieb Estafette <r-7k2m@play.example.net>:",
    "yahoo de": "Am Montag, 3. Juni 2024 um 10:12:00 MESZ hat Estafette <r-7k2m@play.example.net> Folgendes geschrieben:",
    "horde de": "Zitat von Estafette <r-7k2m@play.example.net>:",
    "old thunderbird de": "Estafette schrieb am 03.06.2024 um 10:12:",
    "gmail fr": "Le lun. 3 juin 2024 à 10:12, Estafette <r-7k2m@play.example.net> a\nécrit :",
    "thunderbird fr": "Le 03/06/2024 à 10:12, Estafette a écrit :",
    "gmail it": "Il giorno lun 3 giu 2024 alle ore 10:12 Estafette <r-7k2m@play.example.net> ha scritto:",
    "gmail es": "El lun, 3 jun 2024 a las 10:12, Estafette (<r-7k2m@play.example.net>)\nescribió:",
    "gmail pt": "Em seg., 3 de jun. de 2024 às 10:12, Estafette <r-7k2m@play.example.net>\nescreveu:",
    "pt europe": "Estafette <r-7k2m@play.example.net> escreveu (segunda, 3/06/2024 à(s) 10:12):",
    "gmail sv": "Den mån 3 juni 2024 kl 10:12 skrev Estafette <r-7k2m@play.example.net>:",
    "gmail da": "Den man. 3. jun. 2024 kl. 10.12 skrev Estafette <r-7k2m@play.example.net>:",
    "gmail nb": "man. 3. juni 2024 kl. 10:12 skrev Estafette <r-7k2m@play.example.net>:",
    "gmail fi": "ma 3. kesäk. 2024 klo 10.12 Estafette (r-7k2m@play.example.net) kirjoitti:",
    "gmail pl": "pon., 3 cze 2024 o 10:12 Estafette <r-7k2m@play.example.net> napisał(a):",
    "thunderbird pl": "W dniu 3.06.2024 o 10:12, Estafette pisze:",
    "gmail cs": "po 3. 6. 2024 v 10:12 odesílatel Estafette <r-7k2m@play.example.net>\nnapsal:",
    "gmail hu": "Estafette <r-7k2m@play.example.net> ezt írta (időpont: 2024. jún. 3., H,\n10:12):",
    "gmail ro": "În lun., 3 iun. 2024 la 10:12, Estafette <r-7k2m@play.example.net> a scris:",
    "gmail ru": "пн, 3 июн. 2024 г. в 10:12, Estafette <r-7k2m@play.example.net>:",
    "mail.ru": "Понедельник, 3 июня 2024, 10:12 +03:00 от Estafette <r-7k2m@play.example.net>:",
    "yandex": "03.06.2024, 10:12, \"Estafette\" <r-7k2m@play.example.net>:",
    "gmail uk": "пн, 3 черв. 2024 р. о 10:12 Estafette <r-7k2m@play.example.net> пише:",
    "gmail el": "Στις Δευ 3 Ιουν 2024 στις 10:12 π.μ., ο/η Estafette <r-7k2m@play.example.net> έγραψε:",
    "gmail tr": "Estafette <r-7k2m@play.example.net>, 3 Haz 2024 Pzt, 10:12 tarihinde şunu yazdı:",
    "gmail ja": "2024年6月3日(月) 10:12 Estafette <r-7k2m@play.example.net>:",
    "apple ja": "2024/06/03 10:12、Estafette <r-7k2m@play.example.net>のメール：",
    "gmail zh": "Estafette <r-7k2m@play.example.net> 于2024年6月3日周一 10:12写道：",
    "apple zh": "在 2024年6月3日，上午10:12，Estafette <r-7k2m@play.example.net> 写道：",
    "gmail ko": "2024년 6월 3일 (월) 오전 10:12, Estafette <r-7k2m@play.example.net>님이 작성:",
    "gmail he": "\u202bבתאריך יום ב׳, 3 ביוני 2024 ב-10:12 מאת \u202aEstafette\u202c\u200f <\u202ar-7k2m@play.example.net\u202c\u200f>:\u202c",
    "gmail vi": "Vào Th 2, 3 thg 6, 2024 vào lúc 10:12 Estafette <r-7k2m@play.example.net> đã viết:",
}  # fmt: skip


@pytest.mark.parametrize("announcement", ANNOUNCEMENTS.values(), ids=ANNOUNCEMENTS)
def test_an_answer_above_the_quote_is_found(announcement: str) -> None:
    assert own_words(f"take 1L 3R\n\n{announcement}\n\n{QUOTE}") == "take 1L 3R"


# Zoho's dashes announce older mail that is not marked: one cannot answer below it.
BELOW = {name: line for name, line in ANNOUNCEMENTS.items() if name != "zoho"}


@pytest.mark.parametrize("announcement", BELOW.values(), ids=BELOW)
def test_an_answer_below_the_quote_is_found(announcement: str) -> None:
    assert own_words(f"{announcement}\n\n{QUOTE}\nmark 2.5\n") == "mark 2.5"


@pytest.mark.parametrize("announcement", ANNOUNCEMENTS.values(), ids=ANNOUNCEMENTS)
def test_older_mail_that_is_announced_but_not_marked_is_no_answer(announcement: str) -> None:
    assert own_words(f"end\n\n{announcement}\nIt is your turn.\ntake 1L\n") == "end"


# Header blocks and lines of dashes that Outlook and others put above the older mail, which they do not mark.
OLDER_MAIL = {
    "outlook en": "________________________________\nFrom: Estafette <r-7k2m@play.example.net>\nSent: Monday, June 3, 2024 10:12 AM\nTo: Ann <ann@example.org>\nSubject: Your turn",
    "outlook en, bold": "*From:* Estafette [mailto:r-7k2m@play.example.net]\n*Sent:* Monday, June 3, 2024 10:12\n*To:* Ann\n*Subject:* Your turn",
    "outlook mac": "From: Estafette <r-7k2m@play.example.net>\nDate: Monday, 3 June 2024 at 10:12\nTo: Ann <ann@example.org>\nSubject: Your turn",
    "outlook de": "Von: Estafette <r-7k2m@play.example.net>\nGesendet: Montag, 3. Juni 2024 10:12\nAn: Ann <ann@example.org>\nBetreff: Du bist dran",
    "outlook nl": "Van: Estafette <r-7k2m@play.example.net>\nVerzonden: maandag 3 juni 2024 10:12\nAan: Ann\nOnderwerp: Jouw beurt",
    "outlook fr": "De : Estafette <r-7k2m@play.example.net>\nEnvoyé : lundi 3 juin 2024 10:12\nÀ : Ann\nObjet : Votre tour",
    "outlook es": "De: Estafette <r-7k2m@play.example.net>\nEnviado el: lunes, 3 de junio de 2024 10:12\nPara: Ann\nAsunto: Tu turno",
    "outlook it": "Da: Estafette <r-7k2m@play.example.net>\nInviato: lunedì 3 giugno 2024 10:12\nA: Ann\nOggetto: Il tuo turno",
    "outlook pt": "De: Estafette <r-7k2m@play.example.net>\nEnviada em: segunda-feira, 3 de junho de 2024 10:12\nPara: Ann\nAssunto: Sua vez",
    "outlook sv": "Från: Estafette <r-7k2m@play.example.net>\nSkickat: den 3 juni 2024 10:12\nTill: Ann\nÄmne: Din tur",
    "outlook da": "Fra: Estafette <r-7k2m@play.example.net>\nSendt: 3. juni 2024 10:12\nTil: Ann\nEmne: Din tur",
    "outlook fi": "Lähettäjä: Estafette <r-7k2m@play.example.net>\nLähetetty: maanantai 3. kesäkuuta 2024 10.12\nVastaanottaja: Ann\nAihe: Vuorosi",
    "outlook pl": "Od: Estafette <r-7k2m@play.example.net>\nWysłano: poniedziałek, 3 czerwca 2024 10:12\nDo: Ann\nTemat: Twój ruch",
    "outlook cs": "Od: Estafette <r-7k2m@play.example.net>\nOdesláno: pondělí 3. června 2024 10:12\nKomu: Ann\nPředmět: Jsi na tahu",
    "outlook ru": "От: Estafette <r-7k2m@play.example.net>\nОтправлено: 3 июня 2024 г. 10:12\nКому: Ann\nТема: Ваш ход",
    "outlook ja": "差出人: Estafette <r-7k2m@play.example.net>\n送信日時: 2024年6月3日 10:12\n宛先: Ann\n件名: あなたの番",
    "outlook zh": "发件人: Estafette <r-7k2m@play.example.net>\n发送时间: 2024年6月3日 10:12\n收件人: Ann\n主题: 轮到你了",
    "outlook, lines apart": "From: Estafette <r-7k2m@play.example.net>\n\nSent: Monday, June 3, 2024 10:12 AM\n\nTo: Ann\n\nSubject: Your turn",
    "gmx": "Gesendet: Montag, 03. Juni 2024 um 10:12 Uhr\nVon: Estafette <r-7k2m@play.example.net>\nAn: Ann\nBetreff: Du bist dran",
    "aol": "-----Original Message-----\nFrom: Estafette <r-7k2m@play.example.net>\nTo: Ann\nSent: Mon, Jun 3, 2024 10:12 am",
    "outlook express de": "-----Ursprüngliche Nachricht-----\nVon: Estafette",
    "outlook express nl": "-----Oorspronkelijk bericht-----\nVan: Estafette",
    "thunderbird fr": "-------- Message original --------\nSujet : Votre tour",
    "zimbra": "----- Original Message -----\nFrom: \"Estafette\" <r-7k2m@play.example.net>",
    "samsung": "-------- Original message --------From: Estafette <r-7k2m@play.example.net> Date: 03/06/2024  10:12  (GMT+01:00) To: ann@example.org Subject: Your turn",
    "qq": "------------------ 原始邮件 ------------------\n发件人: \"Estafette\"",
    "apple forward": "Begin forwarded message:\n\nFrom: Estafette <r-7k2m@play.example.net>",
    "gmail forward": "---------- Forwarded message ---------\nFrom: Estafette <r-7k2m@play.example.net>",
    "our own line": "Please reply above this line.",
}  # fmt: skip


@pytest.mark.parametrize("block", OLDER_MAIL.values(), ids=OLDER_MAIL)
def test_what_follows_the_header_of_older_mail_is_no_answer(block: str) -> None:
    assert own_words(f"place 2 O1.3\n\n{block}\n\nIt is your turn.\ntake 1L\n") == "place 2 O1.3"


SIGNATURES = [
    "-- \nAnn\nThe Hague", "--\nAnn", "—\nAnn", "Sent from my iPhone", "Sent from my Samsung Galaxy S21", "Sent from Mail for Windows",
    "Sent from Yahoo Mail on Android", "Sent with Proton Mail secure email.", "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Verstuurd vanaf mijn iPhone", "Verzonden vanaf Outlook voor Android", "Von meinem iPhone gesendet", "Gesendet mit der GMX Mail App",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.", "Envoyé de mon iPhone", "Envoyé depuis mon appareil Galaxy",
    "Inviato da iPhone", "Enviado desde mi iPhone", "Enviado do meu iPhone", "Skickat från min iPhone", "Sendt fra min iPhone",
    "Lähetetty iPhonesta", "Wysłane z iPhone'a", "Odesláno z iPhonu", "Отправлено с iPhone", "Отправлено из мобильной Почты Mail.ru",
    "iPhoneから送信", "发自我的 iPhone", "從我的 iPhone 傳送", "나의 iPhone에서 보냄", "iPhone'umdan gönderildi",
]  # fmt: skip


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_and_what_stands_below_it_are_no_words_of_the_writer(signature: str) -> None:
    assert own_words(f"take 1L\n\n{signature}\ntake 2R\n") == "take 1L"


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_above_the_quote_leaves_the_answer_alone(signature: str) -> None:
    assert own_words(f"take 1L\n\n{signature}\n\nOn 3/6/24 10:12, Ben wrote:\n{QUOTE}") == "take 1L"


@pytest.mark.parametrize(
    "sentence",
    [
        "Sent from my desk, this is much easier than on my phone.",
        "On the other hand, as Ben wrote: it may be wrong.",
        "On 3 June I am away.",
        "I moved it from box 1 to box 2.",
        "From: nobody to nobody",
        "Warning: I may be late tomorrow.",
        "He wrote a lot, then sent it from Paris.",
        "-\nfirst\n*\nsecond",
    ],
)
def test_sentences_that_resemble_what_programs_write_stay(sentence: str) -> None:
    assert own_words(f"take 1L\n\n{sentence}\n\nAnn") == f"take 1L\n\n{sentence}\n\nAnn"


BANNERS = [
    "CAUTION: This email originated from outside of the organization. Do not click links or open attachments\n"
    "unless you recognize the sender and know the content is safe.",
    "[EXTERNAL EMAIL]",
    "*** EXTERNAL SENDER ***",
    "Warning: external mail. take 2R",
    "You don't often get email from r-7k2m@play.example.net. Learn why this is important"
    "<https://aka.ms/LearnAboutSenderIdentification>",
    "LET OP: deze e-mail is afkomstig van buiten de organisatie. Klik niet op links.",
    "Let op! Externe afzender",
    "ACHTUNG: Diese E-Mail stammt von außerhalb der Organisation. Klicken Sie nicht auf Links.",
    "Vorsicht: externe E-Mail! Öffnen Sie keine Anhänge.",
    "ATTENTION : ce courriel provient de l'extérieur de l'organisation. Ne cliquez pas sur les liens.",
    "This Message Is From an External Sender\nThis message came from outside your organization.",
]


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n________________________________\n\n"])
def test_a_banner_on_top_is_not_the_writers(banner: str, gap: str) -> None:
    assert own_words(f"{banner}{gap}take 1L\n") == "take 1L"


DISCLAIMERS = [
    "This e-mail and any attachments are confidential and intended solely for the addressee.",
    "CONFIDENTIALITY NOTICE: take 2R",
    "Diese E-Mail enthält vertrauliche oder rechtlich geschützte Informationen.",
    "De informatie in dit e-mailbericht is uitsluitend bestemd voor de geadresseerde.",
    "Ce message et toutes les pièces jointes sont confidentiels et établis à l'intention exclusive de ses destinataires.",
    "Este mensaje y sus adjuntos son confidenciales y van dirigidos exclusivamente a su destinatario.",
    "Please consider the environment before printing this e-mail.",
]


@pytest.mark.parametrize("disclaimer", DISCLAIMERS)
def test_a_companys_disclaimer_is_not_the_writers(disclaimer: str) -> None:
    assert own_words(f"take 1L\n\nAnn\n\n{disclaimer}\nMore of it.\n") == "take 1L\n\nAnn"


def test_answers_between_the_pieces_of_a_quote_stay_and_the_pieces_go() -> None:
    mail = "Hi,\n\nOn 3/6/24 10:12, Ben wrote:\n> Do you take it?\nYes.\n\n> And then?\n\nI mark it.\n\n> Bye\n"
    assert own_words(mail) == "Hi,\n\nYes.\n\nI mark it."


def test_words_below_the_only_quote_are_a_signature_when_there_are_words_above_it() -> None:
    mail = "I take it.\n\nOn 3/6/24 10:12, Ben wrote:\n> Do you?\n\nAnn Smith, Example Ltd\n"
    assert own_words(mail) == "I take it."


def test_words_below_a_quote_that_is_introduced_within_itself_are_a_signature_too() -> None:
    mail = "I take it.\n\n> Il 3 giugno 2024 alle 10.12 Ben <ben@example.org> ha scritto:\n>\n> Allora?\n\nAnn Smith, editor\n"
    assert own_words(mail) == "I take it."


def test_an_announcement_torn_apart_by_blank_lines_is_one() -> None:
    mail = (
        "end\n\nOn Mon, Jun 3, 2024 at 10:12 AM Ben Smith\n\n<\nmailto:Ben Smith <ben@example.org>\n> wrote:\ntake 1L\n"
    )
    assert own_words(mail) == "end"


def test_below_a_salutation_and_a_quote_stand_the_writers_words() -> None:
    assert own_words("Hello Ben,\n\nAm 03.06.24 um 10:12 schrieb Ben:\n> Und?\n\nend\n") == "Hello Ben,\n\nend"


def test_an_answer_that_shares_its_line_with_the_announcement_is_found() -> None:
    assert own_words("take 1L On Mon, Jun 3, 2024 at 10:12 AM, ben@example.org wrote:\n> Your turn") == "take 1L"


def test_the_tail_of_a_quoted_line_that_was_wrapped_is_quoted_too() -> None:
    long = "> " + "x" * 70
    assert own_words(f"end\n\nOn 3/6/24 10:12, Ben wrote:\n{long}\nof it\n> more\n") == "end"


def test_a_line_of_dashes_between_own_paragraphs_stays_and_one_at_the_end_goes() -> None:
    assert own_words("one\n\n------\n\ntwo\n\n------\n") == "one\n\n------\n\ntwo"


def test_a_card_below_a_line_of_dashes_is_a_signature() -> None:
    assert own_words("end\n\n--------------\nAnn Smith\nwww.example.org\nTel. +31 70 1234567\n") == "end"


def test_a_mailing_lists_footer_is_not_the_writers() -> None:
    assert (
        own_words("end\n_______________________________________________\nplayers mailing list\nplayers@x.org\n")
        == "end"
    )


def test_the_frame_of_a_signed_mail_is_not_the_writers() -> None:
    mail = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\ntake 1L\n- -- \nAnn\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"
    )
    assert own_words(mail) == "take 1L"


def test_empty_and_quoted_only_mails_have_no_own_words() -> None:
    assert [own_words(text) for text in ("", "\n \n", QUOTE, f"On 3/6/24 10:12, Ben wrote:\n{QUOTE}", "-- \nAnn")] == [
        ""
    ] * 5


# HTML as the programs write it: what is quoted, hidden or a signature never counts.
HTML = {
    "gmail": '<div dir="ltr">take 1L</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Jun 3, 2024 at 10:12 AM Ben &lt;<a href="mailto:b@x.org">b@x.org</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px">take 2R</blockquote></div>',
    "thunderbird": '<html><head><meta charset="utf-8"></head><body><p>take 1L</p><div class="moz-cite-prefix">On 03/06/2024 10:12, Ben wrote:<br></div><blockquote type="cite" cite="mid:1@x"><p>take 2R</p></blockquote></body></html>',
    "thunderbird below": '<body><div class="moz-cite-prefix">On 03/06/2024 10:12, Ben wrote:<br></div><blockquote type="cite">take 2R</blockquote><p>take 1L</p><pre class="moz-signature" cols="72">-- \nAnn</pre></body>',
    "apple": '<html><body style="overflow-wrap: break-word;">take 1L<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>On 3 Jun 2024, at 10:12, Ben &lt;b@x.org&gt; wrote:</div><br><div>take 2R</div></blockquote></div></body></html>',
    "outlook desktop": '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!--\np.MsoNormal {margin:0cm;}\n--></style></head><body><div class="WordSection1"><p class="MsoNormal">take 1L<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal"><b>From:</b> Ben<br><b>Sent:</b> Monday</p></div></div><p class="MsoNormal">take 2R</p></div></body></html>',
    "outlook web": '<html><body><div class="elementToProof">take 1L</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> Ben</div><div>take 2R</div></body></html>',
    "outlook phone": '<html><body><div dir="auto">take 1L</div><div id="ms-outlook-mobile-signature"><div>Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div></div><hr><div id="divRplyFwdMsg">From: Ben</div><div>take 2R</div></body></html>',
    "hotmail, old": '<body class="hmmessage"><div dir="ltr">take 1L<br><br><div><hr id="stopSpelling">Date: Mon, 3 Jun 2024<br>Subject: Your turn<br>take 2R</div></div></body>',
    "yahoo": '<div class="ydp1yahoo-style-wrap"><div dir="ltr">take 1L</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Monday, June 3, 2024, Ben wrote:</div><div>take 2R</div></div>',
    "proton": '<div>take 1L</div><div class="protonmail_signature_block"><div>Sent with Proton Mail</div></div><div class="protonmail_quote">On Monday, Ben wrote:<br><blockquote type="cite">take 2R</blockquote></div>',
    "gmx": '<div><div>take 1L</div><div name="quote" style="margin:10px 5px"><div><b>Gesendet:</b> Montag</div><div name="quoted-content">take 2R</div></div></div>',
    "zimbra": '<div>take 1L<br><hr id="zwchr"><b>From: </b>Ben<br>take 2R</div>',
    "mail.ru": "<HTML><BODY><p>take 1L</p><br>Понедельник, 3 июня 2024, 10:12 +03:00 от Ben &lt;b@x.org&gt;:<br><blockquote>take 2R</blockquote></BODY></HTML>",
    "zoho": '<div>take 1L<br></div><div class="zmail_extra_hr"></div><div class="zmail_extra">---- On Mon, Ben wrote ----<div>take 2R</div></div>',
    "hidden": '<head><style>.pre { display: none; } @media print { .own { display:none } }</style></head><body><span class="pre">take 2R</span><div style="display:none">take 3L</div><div style="mso-hide:all;font-size:0px">take 4L</div><p hidden>end</p><div class="own">take 1L</div></body>',
    "gmail signature": '<div>take 1L</div><span class="gmail_signature_prefix">-- </span><br><div class="gmail_signature" data-smartmail="gmail_signature">take 2R</div>',
    "never closed": "<div><p>take 1L<blockquote><p>take 2R",
    "comments and scripts": "<!-- take 2R --><script>take 3L</script>take 1L<!-- open",
}  # fmt: skip


@pytest.mark.parametrize("markup", HTML.values(), ids=HTML)
def test_the_answer_is_found_in_html(markup: str) -> None:
    mail = read_mail(a_mail(markup, content_type="text/html; charset=utf-8"))
    assert (mail.text, mail.moves) == ("take 1L", ("take 1L",))


def test_lines_paragraphs_and_tables_of_html_stay_apart() -> None:
    markup = "<p>one</p><p>two<br>three</p><div>four</div><div><br></div><div>five &lt;6&gt;</div><table><tr><td>a</td><td>b</td></tr></table>"
    assert read_mail(a_mail(markup, content_type="text/html")).text == "one\n\ntwo\nthree\n\nfour\n\nfive <6>\n\na b"


def test_the_plain_alternative_is_read_unless_it_is_useless() -> None:
    rich = a_part("<p>take 2R</p>", "text/html; charset=utf-8")
    plain = a_multipart(a_part("take 1L\n"), rich, subtype="alternative")
    useless = a_multipart(a_part("This message requires an HTML viewer.\n"), rich, subtype="alternative")
    blank = a_multipart(a_part(" \n"), rich, subtype="alternative")
    assert [read_mail(mail).text for mail in (plain, useless, blank)] == ["take 1L", "take 2R", "take 2R"]


def test_attachments_and_enclosed_mails_are_no_words_of_the_writer() -> None:
    mail = a_multipart(
        a_part("end\n"),
        a_part("take 2R\n", "text/plain", "Content-Disposition: attachment; filename=moves.txt"),
        a_part("Subject: x\r\n\r\ntake 3L\r\n", "message/rfc822"),
    )
    assert read_mail(mail).text == "end"


def test_text_around_an_inline_picture_is_read_together() -> None:
    mail = a_multipart(a_part("take 1L\n"), a_part("R0lG", "image/gif"), a_part("Thanks\n"))
    assert read_mail(mail).text == "take 1L\n\nThanks"


def test_flowed_text_is_joined_again() -> None:
    body = "take 1L \r\n3R\r\n\r\n>> quoted \r\n>> more\r\n-- \r\nAnn\r\n"
    assert read_mail(a_mail(body, content_type="text/plain; format=flowed")).text == "take 1L 3R"
    spaced = "take 1 \r\nL\r\n"
    assert read_mail(a_mail(spaced, content_type="text/plain; format=flowed; delsp=yes")).text == "take 1L"


@pytest.mark.parametrize(
    ("charset", "label", "words"),
    [
        ("utf-8", "utf-8", "Zet ik morgen, één uur"),
        ("cp1252", "iso-8859-1", "“Schöne” Grüße – 5 €"),
        ("utf-8", "us-ascii", "naïef"),
        ("cp1252", "utf-8", "naïef"),
        ("koi8-r", "koi8-r", "беру карту"),
        ("cp1251", "windows-1251", "беру карту"),
        ("shift_jis", "shift_jis", "手番です"),
        ("iso2022_jp", "iso-2022-jp", "手番です"),
        ("iso2022_jp", "us-ascii", "手番です"),
        ("gbk", "gb2312", "轮到我了"),
        ("big5", "big5", "輪到我了"),
        ("cp949", "ks_c_5601-1987", "내 차례"),
        ("utf-16", "utf-16", "end"),
        ("utf-8", "x-unknown-thing", "één"),
        ("utf-8", "zip", "één"),
        ("utf-8", "unicode_escape", "één \\ud800"),
        ("utf-7", "utf-7", "één"),
    ],
)
def test_letters_are_read_whatever_their_label_says(charset: str, label: str, words: str) -> None:
    assert read_mail(a_mail(words.encode(charset), content_type=f"text/plain; charset={label}")).text == words


def test_transfer_encodings_are_undone_also_broken_ones() -> None:
    quoted = a_mail("Ik zet =C3=A9=C3=A9n=\r\n stap\r\n", content_transfer_encoding="Quoted-Printable")
    encoded = a_mail("dGFrZSAxTA", content_transfer_encoding="BASE64")
    torn = a_mail("dGFr!ZSAx\r\nTAo=\r\ngarb*", content_transfer_encoding="base64")
    assert read_mail(quoted).text == "Ik zet één stap"
    assert read_mail(encoded).text == "take 1L"
    assert read_mail(torn).text.startswith("take 1L")


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\r"])
def test_whatever_ends_a_line_ends_it(end: str) -> None:
    assert read_mail(a_mail(f"take 1L{end}Thanks", content_type="text/plain; charset=utf-8")).text == "take 1L\nThanks"
