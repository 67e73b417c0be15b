"""What mail programs of many languages write around a person's own words: attributions, headers, signatures, banners."""

# ruff: noqa: E501  one phrase book: a family of languages a line, however long

import re


def _any(*patterns: str) -> str:
    return "(?:" + "|".join(patterns) + ")"


# --- "On Monday, Ann wrote:" -----------------------------------------------------------------------------------------

WROTE = _any(
    # English, Dutch, German
    r"wrote", r"writes", r"has written", r"said", r"sent", r"schreef", r"schrijft", r"heeft\b.{0,120}?\bgeschreven", r"schrieb", r"schreibt",
    r"hat\b.{0,120}?\bgeschrieben", r"geschrieben", r"geschreven",
    # French, Italian, Spanish, Catalan, Portuguese, Romanian
    r"a écrit", r"a ecrit", r"écrivait", r"ha scritto", r"scrisse", r"scrive", r"escribió", r"escribio", r"ha escrito", r"va escriure",
    r"escriu", r"escreveu", r"escreve", r"a scris",
    # Swedish, Danish, Norwegian, Finnish, Icelandic, Estonian, Latvian, Lithuanian
    r"skrev", r"skriver", r"kirjoitti", r"skrifaði", r"kirjutas", r"rakstīja", r"parašė", r"rašė",
    # Polish, Czech, Slovak, Slovene, Croatian, Serbian, Hungarian
    r"napisał(?:\(a\)|a|/a|\(-a\))?", r"pisze", r"napsal(?:\(a\)|a)?", r"píše", r"napísal(?:\(a\)|a)?", r"je napisala?",
    r"napisala?(?: je)?", r"piše", r"ezt írta", r"írta",
    # Russian, Ukrainian, Bulgarian, Serbian, Greek, Turkish
    r"написал(?:\(а\)|а)?", r"пишет", r"писал(?:\(а\)|а)?", r"написав(?:\(ла\))?", r"пише", r"написа", r"је написао", r"έγραψε",
    r"yazdı", r"şöyle yazdı", r"şunları yazdı",
    # Japanese, Chinese, Korean
    r"さんは書きました", r"は書きました", r"のメール", r"写道", r"寫道", r"写到", r"님이 작성", r"작성", r"쓴 글", r"이\(가\) 쓴 글",
    # Hebrew, Arabic, Persian, Hindi, Vietnamese, Indonesian, Thai
    r"כתב(?:/ה|ה)?", r"מאת", r"كتب", r"نوشت", r"ने लिखा", r"đã viết", r"viết", r"menulis", r"เขียนว่า", r"เขียน",
)  # fmt: skip

OPENER = _any(
    r"On", r"Op", r"Am", r"Den", r"Le", r"El", r"Il(?: giorno)?", r"Em", r"No dia", r"A(?:m)?", r"På", r"Dne", r"Dnia", r"W dniu", r"Dana",
    r"Dňa", r"V", r"U", r"În", r"Στις", r"На", r"В", r"Vào", r"Pada", r"Pe", r"Na", r"At", r"Il dì", r"En", r"Ons?", r"在", r"於", r"في",
    r"‫?בתאריך", r"ในวันที่", r"Missatge", r"Wiadomość", r"Kuupäeval", r"In message", r"In article", r"Thus spake", r"Quoting",
)  # fmt: skip

# Openers that name the writer and end with a colon, without a word for writing.
QUOTING = re.compile(
    r"^(?:Quoting|Zitat von|Citeren|Citando|Citando a|Quoting from|Zitiere|Citerar|Citiert von)\b.{2,120}:$"
)

ADDRESS = r"[^\s<>()\[\],;:\"]+@[^\s<>()\[\],;:\"]+\.?[^\s<>()\[\],;:\"]*"
TIME = r"\d{1,2}[:.h]\d{2}"
DATE = _any(
    r"\d{1,4}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}\d{1,4}",
    r"\d{4} ?[年년]",
    r"\d{1,2}(?:st|nd|rd|th|er|\.|º|-го)?,? (?:de |d['’] ?)?[^\W\d]{3,12}\.?,?(?: de| del|,)? ?\d{0,4}",
    r"[^\W\d]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?(?:,|\b)",
    r"\d{4}年",
)

# --- header blocks and lines of dashes -------------------------------------------------------------------------------

_FROM = _any(
    r"From", r"Von", r"Van", r"De", r"Da", r"Från", r"Fra", r"Lähettäjä", r"Od", r"Nadawca", r"Odesílatel", r"Odosielateľ",
    r"Feladó", r"От", r"От кого", r"Від", r"Kimden", r"Gönderen", r"Από", r"De la", r"Expéditeur", r"Absender", r"Afzender", r"Mittente",
    r"Remitente", r"Remetente", r"差出人", r"送信者", r"发件人", r"寄件者", r"寄件人", r"發件人", r"보낸 사람", r"보낸사람", r"מאת",
    r"من", r"Từ", r"Dari", r"จาก", r"Saatja", r"No", r"Nuo", r"Poslao", r"Pošiljatelj", r"Reply-To", r"Odgovori",
)  # fmt: skip
_SENT = _any(
    r"Sent", r"Date", r"Sent On", r"Gesendet", r"Gesendet am", r"Datum", r"Verzonden", r"Verstuurd", r"Envoyé", r"Envoyé le",
    r"Date d['’]envoi", r"Inviato", r"Data", r"Data invio", r"Enviado", r"Enviado el", r"Enviado em", r"Enviada", r"Enviada em", r"Fecha",
    r"Skickat", r"Sendt", r"Dato", r"Lähetetty", r"Päivämäärä", r"Päiväys", r"Pvm", r"Wysłano", r"Odesláno", r"Odoslané", r"Elküldve",
    r"Küldve", r"Dátum", r"Отправлено", r"Дата", r"Надіслано", r"Gönderildi", r"Gönderilme Tarihi", r"Tarih", r"Στάλθηκε", r"Ημερομηνία",
    r"Trimis", r"送信日時", r"日時", r"日付", r"发送时间", r"日期", r"寄件日期", r"發送日期", r"傳送時間", r"보낸 날짜", r"날짜", r"נשלח",
    r"تاريخ الإرسال", r"Ngày", r"Tanggal", r"Poslano", r"Saadetud", r"Kuupäev", r"Izsūtīts", r"Išsiųsta",
)  # fmt: skip
_TO = _any(
    r"To", r"An", r"Aan", r"À", r"A", r"Para", r"Pour", r"Till", r"Til", r"Vastaanottaja", r"Do", r"Komu", r"Pro", r"Címzett", r"Кому",
    r"Kime", r"Alıcı", r"Προς", r"Către", r"Destinataire", r"Destinatario", r"Destinatário", r"Empfänger", r"Ontvanger", r"宛先",
    r"收件人", r"收件者", r"받는 사람", r"받는사람", r"אל", r"إلى", r"Đến", r"Kepada", r"ถึง", r"Prima", r"Saaja", r"Kam",
)  # fmt: skip
_OTHER = _any(
    r"Cc", r"CC", r"Bcc", r"Kopie", r"Kopi", r"Kopia", r"Kopio", r"Copie", r"Copie à", r"Copia", r"Kopija", r"DW", r"Másolatot kap",
    r"Копия", r"Копія", r"Bilgi", r"Κοιν", r"抄送", r"副本", r"参照", r"참조", r"Subject", r"Betreff", r"Onderwerp", r"Objet", r"Oggetto",
    r"Asunto", r"Assunto", r"Assumpte", r"Ämne", r"Emne", r"Aihe", r"Temat", r"Předmět", r"Predmet", r"Tárgy", r"Тема", r"Konu", r"Θέμα",
    r"Subiect", r"件名", r"主题", r"主旨", r"主題", r"제목", r"נושא", r"الموضوع", r"Chủ đề", r"Subjek", r"เรื่อง", r"Teema", r"Tēma",
    r"Importance", r"Wichtigkeit", r"Priorität", r"Prioriteit", r"Attachments?", r"Anlagen?", r"Bijlagen?", r"Allegati", r"Reply[- ]To",
    r"Antwort an", r"Répondre à", r"Responder a", r"Priority", r"Organization", r"Newsgroups", r"Message-ID",
)  # fmt: skip


def _label(names: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[\s*_\u200e\u202a-\u202e|]*{names}[\s\u00a0]*\*{{0,2}}[:：]\*{{0,2}}(?=\s|$|[\"<*\w])(?!//)", re.IGNORECASE
    )


HEADER_LABELS = (_label(_FROM), _label(_SENT), _label(_TO), _label(_OTHER))

_ORIGINAL_WORDS = _any(
    r"original message", r"reply message", r"antwort nachricht", r"original appointment", r"original mail", r"original e-?mail", r"original", r"ursprüngliche (?:nachricht|mail|e-?mail)",
    r"originalnachricht", r"original ?nachricht", r"original-?mail", r"oorspronkelijk(?:e)? (?:bericht|mail|e-?mail|afspraak)",
    r"origineel bericht", r"message d['’]origine", r"message original", r"message initial", r"mail original", r"messaggio originale",
    r"messaggio orig\.?", r"mensaje original", r"missatge original", r"mensagem original", r"ursprungligt meddelande",
    r"originalmeddelande", r"oprindelig (?:meddelelse|besked|mail)", r"opprinnelig (?:melding|e-post)", r"original(?:t)? meddelelse",
    r"alkuperäinen viesti", r"oryginalna wiadomość", r"wiadomość oryginalna", r"původní (?:zpráva|e-?mail)",
    r"pôvodná správa", r"eredeti üzenet", r"исходное сообщение", r"оригинальное сообщение", r"пересылаемое сообщение", r"вихідне повідомлення",
    r"orijinal (?:mesaj|ileti)", r"özgün ileti", r"αρχικό μήνυμα", r"mesajul? original", r"izvorna poruka", r"izvirno sporočilo",
    r"元のメッセージ", r"原始邮件", r"原始郵件", r"原邮件", r"원본 메[시세]지", r"הודעה מקורית", r"الرسالة الأصلية", r"pesan asli", r"thư gốc",
)  # fmt: skip
_FORWARDED_WORDS = _any(
    r"forwarded (?:message|by)", r"weitergeleitete (?:nachricht|mail)", r"weitergeleitet von", r"doorgestuurd bericht",
    r"message transféré", r"message réexpédié", r"courriel transféré", r"messaggio inoltrato", r"mensaje reenviado",
    r"mensagem (?:encaminhada|reencaminhada)", r"vidarebefordrat (?:meddelande|brev)", r"videresendt (?:meddelelse|besked|melding)",
    r"edelleenlähetetty viesti", r"välitetty viesti", r"treść przekazanej wiadomości", r"przekazana wiadomość", r"přeposlaná zpráva",
    r"preposlaná správa", r"továbbított üzenet", r"пересланное сообщение", r"переслане повідомлення", r"iletilen mesaj",
    r"προωθημένο μήνυμα", r"転送されたメッセージ", r"转发的邮件", r"轉寄郵件", r"转发邮件", r"전달된 메[시세]지", r"הודעה שהועברה",
)  # fmt: skip

ORIGINAL_LINE = re.compile(
    rf"^[\s*_]*[-–—_=]{{2,}}[\s*]*{_any(_ORIGINAL_WORDS, _FORWARDED_WORDS)}.{{0,80}}?[\s*]*(?:[-–—_=]{{2,}}.{{0,200}})?$"
    rf"|^[\s*_]*(?!original\s*:?\s*$){_ORIGINAL_WORDS}\s*:?[\s*]*$",
    re.IGNORECASE,
)
FORWARD_LINE = re.compile(
    r"^[\s*]*(?:begin forwarded message|forwarded message|anfang der weitergeleiteten (?:nachricht|e-?mail)|begin doorgestuurd bericht|début du message (?:réexpédié|transféré)"
    r"|inizio messaggio inoltrato|inicio del mensaje reenviado|inicio da mensagem reencaminhada|início da mensagem (?:reencaminhada|encaminhada)"
    r"|vidarebefordrat brev|start på videresendt besked|videresendt e-?mail|edelleenlähetetty viesti alkaa|początek przekazywanej wiadomości"
    r"|začátek přeposlané zprávy|начало переадресованного сообщения|転送されたメッセージ|下面是被转发的邮件|開始轉寄郵件|전달된 메[시세]지)\s*[:：]?\s*$",
    re.IGNORECASE,
)
# Zoho: "---- On Mon, 03 Jun 2024 10:12:00 +0200 Ann <…> wrote ----"
DASHED_WROTE = re.compile(rf"^\s*-{{2,}}.{{4,200}}{WROTE}.{{0,5}}-{{2,}}\s*$", re.IGNORECASE)
ABOVE_THIS_LINE = re.compile(
    r"(?:reply|respond|answer|write|type your reply|your reply|antwoord|antworten?|répondre|répondez|responda|responder|rispond\w+)\b.{0,40}"
    r"(?:above this line|boven deze (?:lijn|regel)|oberhalb dieser (?:zeile|linie)|über dieser (?:zeile|linie)|au-dessus de cette ligne"
    r"|por encima de esta línea|acima desta linha|sopra questa (?:linea|riga))",
    re.IGNORECASE,
)

# --- signatures ------------------------------------------------------------------------------------------------------

SIGNATURE_LINE = re.compile(r"^\s*(?:--|—|–|- --|-- ?\*|&#8212;|\*--\*?)\s*$")
RULER = re.compile(r"^[\s>]*(?:[-–—_=*#~·•.+]\s?){3,}\s*$|^\s*[_]{2}\s*$")

_DEVICE = (
    r"(?:i?phones?|ipads?|ipods?|iphonesta|ipadista|iphonu|iphone['’]?\w*|ipad['’]?\w*|android\w*|samsung|galaxy|huawei|xiaomi|oneplus|pixel|"
    r"nokia|sony|xperia|htc|lg|motorola|moto|blackberry|windows|mobile|mobil\w*|mobiltelefon\w*|mobiele?|smartphone|handy|tablet|tablette|"
    r"phone|cell|telefoon|telefon\w*|téléphone|móvil|celular|cellulare|puhelime\w*|telefonu|device|gerät|toestel|apparaat|appareil|dispositivo|"
    r"outlook|yahoo|gmail|mail|mailbox|email|proton\w*|thunderbird|k-9|spark|airmail|polymail|newton|edison|inbox|nine|bluemail|mailbird|"
    r"fairemail|aquamail|typeapp|mailspring|canary|superhuman|hey|gmx|web\.de|t-online|libero|orange|free|sfr|tutanota|tuta|posteo|zoho|yandex|"
    r"mail\.ru|mymail|mac\w*|treo|palm|ti-\d+|computer|laptop|\w*mail|почт\w*|телефон\w*|iphone\w*)"
)
MOBILE_SIGNATURE = re.compile(
    r"^[\s<(\[*_|>]*(?!sent .*\b(?:is|was|were|are|because|than|but|to)\b)(?:"
    # English
    rf"sent (?:\w+ )?(?:from|via|with|by|on|using)\b(?=.{{0,100}}\b{_DEVICE}\b).{{0,100}}"
    r"|sent (?:from|via) (?:my|a|an|the) (?:[\w.+&-]+ ?){1,3}"
    r"|sent from my .{1,60}(?:excuse|pardon|forgive|typos?|brevity).{0,60}"
    rf"|from my {_DEVICE}\b.{{0,30}}"
    r"|someone from mobile|get outlook for .{2,60}|get bluemail .{2,40}|download outlook .{2,40}"
    rf"|(?:this (?:message|e-?mail) was )?(?:sent|written|composed|typed) (?:from|on|with|using) (?:my |a )?(?=.{{0,60}}\b{_DEVICE}\b).{{1,80}}"
    # German, Dutch
    rf"|(?:diese (?:nachricht|e-?mail|mail) wurde )?(?:von|mit|aus|über) (?:meine[mr]|einem|der|dem)? ?(?=.{{0,80}}\b{_DEVICE}).{{0,80}}(?:gesendet|geschrieben|verfasst|verschickt)"
    rf"|(?:gesendet|geschrieben|verschickt|versendet) (?:von|mit|über|aus|via)\b.{{1,80}}"
    rf"|(?:verstuurd|verzonden|gestuurd|geschreven) (?:vanaf|vanuit|via|met|met behulp van|door|van)\b.{{1,80}}"
    # Romance languages
    r"|envoyé(?:e|s)? (?:de|depuis|à partir d|avec|par|via)\b.{0,80}|provenance : .{2,60}"
    r"|enviad[oa] (?:desde|do|da|de|via|pelo|pela|com|a partir d[eo]|con|mediante)\b.{1,80}|enviat des d.{1,60}"
    r"|inviat[oa] (?:da|dal|dall|con|tramite|via|mediante)\b.{1,80}|trimis (?:de pe|de la|prin|din)\b.{1,80}"
    r"|(?:télécharger|obtenir|obtener|obtén|scarica|ottieni|obter|obtenha|baixar|hämta|hanki|pobierz|získat|downloaden|download|hent|outlook)\b.{0,30}\b(?:outlook|ios|android)\b.{0,60}"
    # Nordic languages
    r"|skickat (?:från|med|via)\b.{1,80}|sendt (?:fra|med|via)\b.{1,80}|lähetetty\b.{1,80}|sent úr .{1,60}"
    # Slavic, Baltic and Finno-Ugric languages
    rf"|wysłan[eoya]\w* (?:z|ze|za pomocą|przez|przy)\b.{{1,80}}|odesláno (?:z|ze|pomocí|přes)\b.{{1,80}}|odoslané (?:z|zo|pomocou)\b.{{1,80}}"
    r"|poslano (?:z|s|sa|iz)\b.{1,80}|elküldve .{1,80}|saadetud .{1,80}|nosūtīts .{1,80}|išsiųsta .{1,80}"
    r"|отправлено (?:с|из|через|от)\b.{1,80}|надіслано (?:з|із|через)\b.{1,80}|изпратено от .{1,60}"
    # Greek, Turkish, Asian and Semitic languages
    rf"|στάλθηκε από .{{1,60}}|(?=.{{0,60}}\b{_DEVICE}).{{1,60}}(?:gönderildi|gönderdim)"
    r"|(?:發送自|发送自|发自|發自|從我的|从我的|傳送自|來自我的|来自我的|由我的).{1,40}|.{1,40}(?:から送信|傳送|发送|에서 보냄|에서 보냈습니다)"
    r"|נשלח (?:מ|באמצעות).{1,60}|أ[ُ]?رسلت? من .{1,60}|(?:được )?(?:đã )?gửi từ .{1,60}|dikirim (?:dari|dengan|melalui) .{1,60}|ส่งจาก.{1,60}"
    r")[\s>)\]*_.|]*$",
    re.IGNORECASE,
)
LIST_FOOTER = re.compile(
    r"you received this (?:message|e-?mail) because you (?:are|were)|to unsubscribe from this (?:group|list)|mailing list(?:\s*$|\s*[-–(<:]|\s+\S+@)"
    r"|unsubscribe(?:\s*:|\s+here|\s+from)|^_{20,}\s*\n.*mailing list",
    re.IGNORECASE,
)
CONTACT = re.compile(
    r"https?://|www\.|\S@\S+\.\w|(?:tel|phone|mobile|mobil|mob|fax|tél)\b\.?\s*:?\s*[+(\d]|\+\d[\d ()/.-]{6,}|\(\d{3}\) ?\d{3}",
    re.IGNORECASE,
)

DISCLAIMER = re.compile(
    r"^[\s*_>]*(?:"
    r"(?:this|the) (?:e-?mail|message|communication|electronic|transmission|information (?:contained|in this)|contents? of this)\b.{0,160}\b(?:confidential|privileged|intended (?:only|solely|for)|sole use|proprietary)"
    r"|(?:confidentiality|legal|privacy|e-?mail|important) (?:notice|disclaimer|note)\b|(?:legal )?disclaimer\b\s*[:\-]?|important\s*[:\-].{0,80}confidential"
    r"|if you (?:are not|have received) .{0,60}(?:intended recipient|in error|by mistake)"
    r"|please (?:consider|think (?:about|of)) (?:the environment|our environment)\b.{0,60}print"
    r"|(?:diese|dieses) (?:e-?mail|nachricht|mail)\b.{0,160}\b(?:vertraulich|rechtlich geschützt|ausschließlich für|bestimmt)|der inhalt dieser e-?mail\b|vertraulichkeitshinweis"
    r"|(?:deze|dit|de (?:informatie|inhoud)|de in dit)\b.{0,100}\b(?:e-?mail|bericht|mail)\w*\b.{0,160}\b(?:vertrouwelijk|uitsluitend|bestemd|geadresseerde)"
    r"|(?:ce|cet|les informations|le contenu de ce)\b.{0,60}\b(?:message|e-?mail|courriel)\b.{0,200}\b(?:confidentiel|destin|exclusi|établi)|avis de confidentialité"
    r"|(?:este|esta|la información contenida|as informações|o conteúdo)\b.{0,80}\b(?:mensaje|correo|e-?mail|mensagem)\b.{0,200}\b(?:confidencial|exclusiv|destinatari|destinad)|aviso (?:legal|de confidencialidad)"
    r"|(?:questo|questa|il presente|la presente|le informazioni|il contenuto)\b.{0,80}\b(?:messaggio|e-?mail|comunicazione|posta)\b.{0,200}\b(?:riservat|confidenzial|esclusiv|destinatari)"
    r"|(?:detta|denna|dette|denne|den här)\b.{0,40}\b(?:meddelande|meddelelse|e-?mail|e-?post|mail|melding)\w*\b.{0,160}\b(?:konfidenti|fortroli|avsed|tiltenkt|beregnet)"
    r"|(?:ta|niniejsza|treść tej) (?:wiadomość|wiadomości|korespondencja|e-?mail)\b.{0,160}\b(?:poufn|przeznaczon)"
    r"|(?:これは|本メール|本電子メール|此邮件|本邮件|本郵件).{0,80}(?:機密|秘密|保密|机密)"
    r"|(?:virus-free|virenfrei|virusvrij|sans virus|libre de virus|privo di virus|livre de vírus)[.\s]"
    r"|this (?:e-?mail|message) has been (?:checked|scanned) (?:for|by)\b|diese e-?mail wurde von .{1,30} (?:auf viren )?geprüft"
    r"|(?:registered|company) (?:office|in england|number|no)\b.{0,80}\b(?:registered|company|number|no\.?|ltd|limited)"
    r")",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip

# --- banners that mail gateways put on top ---------------------------------------------------------------------------

_OUTSIDE = (
    r"(?:outside|external|from (?:an|a)? ?(?:unknown|unverified)|first time|don['’]t often|not often|"
    r"extern\w*|außerhalb|ausserhalb|unbekannt\w*|buiten (?:de|onze|het|uw)|buitenaf|externe?|"
    r"extérieur\w*|externe|hors de|extern[oa]|fuera de|esterno|esterna|de fora|ekstern\w*|ulkopuol\w*|zewn\w+|vněj\w*|extern\w*|внешн\w*|"
    r"社外|外部)"
)
_WARNING = (
    r"(?:caution|warning|attention|alert|notice|be careful|beware|external (?:e-?mail|sender|message|mail)|"
    r"achtung|vorsicht|warnung|hinweis|let op|opgelet|waarschuwing|pas op|attention|avertissement|prudence|"
    r"precaución|atención|advertencia|aviso|cuidado|attenzione|avviso|atenção|varning|advarsel|obs|huom\w*|varoitus|uwaga|pozor|upozornění|внимание|注意|警告)"
)
BANNER = re.compile(
    rf"^[\s*_\[(<!⚠️🛑>|-]*(?:"
    rf"{_WARNING}\b[\s*\])>:!.,–-]*(?=.{{0,300}}?{_OUTSIDE})"
    r"|(?:this|the) (?:e-?mail|message|sender|mail)\b.{0,80}\b(?:originated|came|comes|sent|received|is|was)\b.{0,60}\b(?:outside|external)\b"
    r"|(?:external|extern|externe|externes?) (?:e-?mail|email|mail|sender|message|absender|afzender|bericht|nachricht|expéditeur|courriel)\b(?=\W|$)"
    r"|you (?:don['’]t|do not) often (?:get|receive) e-?mail from\b|some people who received this message don['’]t often get email"
    r"|sie erhalten nicht (?:oft|häufig) e-?mails? von|(?:u|je) ontvangt niet vaak e-?mails? van|vous n['’](?:obtenez|recevez) pas souvent"
    r"|no suele recibir correo|non si ricevono spesso|você não costuma receber|normalmente não recebe"
    r"|diese (?:e-?mail|nachricht)\b.{0,60}\b(?:stammt|kommt|wurde)\b.{0,60}(?:extern|außerhalb|ausserhalb)"
    r"|(?:dit|deze) (?:bericht|e-?mail|mail)\b.{0,60}(?:afkomstig|komt|verzonden|verstuurd)\b.{0,60}(?:buiten|extern)"
    r"|ce (?:message|courriel|mail|e-?mail)\b.{0,80}(?:extérieur|externe)"
    r"|zjqcmqryfpfptbanner\w*|this message is from an external sender|this message came from outside"
    r"|sender notify|use caution with (?:links|attachments)"
    r")",
    re.IGNORECASE | re.DOTALL,
)
BANNER_MORE = re.compile(
    r"do not click|don['’]t click|not click|links? (?:or|and|in|oder|of)|attachments?|recogni[sz]e the sender|know the content|content is safe|report|phish|"
    r"klicken sie|öffnen sie|anhänge|anlagen|absender|klik niet|klik alleen|bijlagen?|afzender|open geen|vertrouw|"
    r"cliquez|n['’]ouvrez|pièces? jointes?|expéditeur|liens|no haga clic|adjuntos|remitente|learn why this is important|aka\.ms/learnabout|"
    r"ms-?learnabout|banner(?:start|end)|report suspicious|erfahren sie|meer informatie|découvrez|nicht vertrauen|sicher ist|veilig is|sûr",
    re.IGNORECASE,
)
BANNER_TAG = re.compile(
    r"^\s*[\[(*]{1,3}\s*(?:external|extern|externe?|ext|caution|outside)(?:[ _-](?:e-?mail|sender|message|mail))?\s*[\])*]{1,3}\s*:?\s*",
    re.IGNORECASE,
)

SALUTATION = re.compile(
    r"^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|hallo|hoi|beste|geachte|dag|goedemorgen|goedemiddag|liebe[rs]?|"
    r"sehr geehrte\w*|guten (?:tag|morgen|abend)|moin|servus|bonjour|salut|cher|chère|bonsoir|ciao|salve|buongiorno|gentile|hola|buenos días|"
    r"buenas|estimad\w+|querid\w+|olá|oi|prezad\w+|bom dia|boa tarde|hej|hejsan|hei|moi|terve|cześć|witam|dzień dobry|szanown\w+|ahoj|dobrý den|"
    r"привет|здравствуйте|добрый день|こんにちは|你好|您好|안녕하세요)\b.{0,40}$|^\s*[^\W\d]+(?: [^\W\d]+)?\s*[,:!]\s*$",
    re.IGNORECASE,
)
