"""Opening a raw mail: headers and parts as positions in the bytes, so that no mail is too broken or too large."""

import binascii
import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.header import decode_header
from urllib.parse import unquote_to_bytes

MAX_DEPTH = 10
MAX_PARTS = 200
MAX_HEADER_BYTES = 256 * 1024
MAX_HEADERS = 1_000
MAX_VALUE = 8_000
MAX_TEXT_BYTES = 256 * 1024
MAX_TEXT = 200_000

_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*:(.*)", re.DOTALL)
_TYPE = re.compile(r"\s*([\w.+-]+/[\w.+-]+)")
_PARAMETER = re.compile(r';\s*([\w.-]+)(\*\d{1,2})?(\*)?\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)')

# Labels that real mail uses and Python does not know, or knows too narrowly.
_CHARSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
    "cp-850": "cp850",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
}
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WESTERN = {"", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252", "cp1252"}


class Headers:
    """The header fields of a part in their order, as text, unfolded, encoded words left as they are."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self.fields = fields

    def __contains__(self, name: str) -> bool:
        return any(field == name for field, _ in self.fields)

    def get(self, name: str) -> str:
        """The topmost field of that (lower-case) name, or the empty text."""
        return next((value for field, value in self.fields if field == name), "")

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field == name]

    def text(self, name: str) -> str:
        """The topmost field with its encoded words read."""
        return read_encoded_words(self.get(name))


@dataclass(frozen=True)
class Part:
    """One part of a mail: `raw[start:end]` is its body, not yet decoded; nothing is copied before it is asked for."""

    raw: bytes
    start: int
    end: int
    headers: Headers
    content_type: str
    parameters: dict[str, str]
    children: tuple["Part", ...]

    def walk(self) -> Iterator["Part"]:
        """This part and all below it, in the order of the mail."""
        yield self
        for child in self.children:
            yield from child.walk()

    def own_parts(self) -> Iterator["Part"]:
        """This part and all below it, without looking into mails that are enclosed."""
        yield self
        if not self.content_type.startswith("message/"):
            for child in self.children:
                yield from child.own_parts()

    @property
    def is_attachment(self) -> bool:
        disposition = self.headers.get("content-disposition").lower()
        return disposition.lstrip().startswith("attachment") or "filename" in disposition

    def decoded(self) -> bytes:
        """The body without its transfer encoding, at most `MAX_TEXT_BYTES` of it."""
        encoding = self.headers.get("content-transfer-encoding").strip().lower()
        body = self.raw[self.start : min(self.end, self.start + 2 * MAX_TEXT_BYTES)]
        if encoding == "base64":
            return _from_base64(body)[:MAX_TEXT_BYTES]
        if encoding == "quoted-printable":
            return binascii.a2b_qp(body)[:MAX_TEXT_BYTES]
        return body[:MAX_TEXT_BYTES]

    def text(self) -> str:
        """The body as text, whatever its label says, with plain line ends and at most `MAX_TEXT` characters."""
        text = read_bytes(self.decoded(), self.parameters.get("charset", ""))
        text = _LINE_END.sub("\n", text).replace("\0", "").removeprefix("\ufeff")
        return text[:MAX_TEXT]


def open_mail(raw: bytes) -> Part:
    """The parts of a mail, at most `MAX_PARTS`. Never fails: what cannot be split stays one text part."""
    raw = _with_line_feeds(raw)
    return _open(raw, _skip_envelope(raw), len(raw), depth=0, room=[MAX_PARTS], default="text/plain")


def read_bytes(data: bytes, label: str) -> str:
    """Bytes as text. A label that does not fit the bytes is not believed; the rest is replaced, never refused."""
    label = label.strip().strip("\"'").lower()
    if b"\x1b$" in data[:20_000] and label in _WESTERN:
        label = "iso-2022-jp"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not label.startswith("utf-32"):
        label = "utf-16"
    if label in _WESTERN or not _is_text_encoding(label):
        return _utf_8_or_western(data)
    if label in ("utf-8", "utf8"):
        return _utf_8_or_western(data)
    return _SURROGATE.sub("\ufffd", data.decode(_CHARSETS.get(label, label), "replace"))


def read_encoded_words(value: str) -> str:
    """A header's text with its `=?…?=` words read, and as it stands where they cannot be."""
    value = value[:MAX_VALUE]
    if "=?" not in value:
        return value
    try:
        chunks = decode_header(value)
    except Exception:  # whatever the library trips over, the header stays readable as it was sent
        return value
    read = [chunk if isinstance(chunk, str) else read_bytes(chunk, label or "") for chunk, label in chunks]
    return re.sub(r"[\r\n\0]+", " ", "".join(read))


def _open(raw: bytes, start: int, end: int, *, depth: int, room: list[int], default: str) -> Part:
    room[0] -= 1
    headers, body = _read_headers(raw, start, end)
    content_type, parameters = _read_content_type(headers.get("content-type"), default)
    children: tuple[Part, ...] = ()
    if depth < MAX_DEPTH:
        if content_type.startswith("multipart/"):
            inner = "message/rfc822" if content_type == "multipart/digest" else "text/plain"
            spans = _split(raw, body, end, parameters.get("boundary", ""), room)
            children = tuple(_open(raw, a, b, depth=depth + 1, room=room, default=inner) for a, b in spans)
        elif content_type in ("message/rfc822", "message/global") and room[0] > 0:
            children = (_open(raw, body, end, depth=depth + 1, room=room, default="text/plain"),)
    if content_type.startswith("multipart/") and not children:
        content_type = "text/plain"
    return Part(raw, body, end, headers, content_type, parameters, children)


def _with_line_feeds(raw: bytes) -> bytes:
    """Some old programs end lines with a carriage return alone."""
    start = raw[: 64 * 1024]
    return raw.replace(b"\r", b"\n") if b"\n" not in start and b"\r" in start else raw


def _skip_envelope(raw: bytes) -> int:
    """Where the headers begin: after blank lines and a mailbox file's `From ` line."""
    position = 0
    while raw[position : position + 1] in (b"\n", b"\r", b" ", b"\t") and position < 1_000:
        position += 1
    if raw[position : position + 5] == b"From " or raw[position : position + 6] == b">From ":
        line_end = raw.find(b"\n", position, position + 2_000)
        return line_end + 1 if line_end >= 0 else position
    return position


def _read_headers(raw: bytes, start: int, end: int) -> tuple[Headers, int]:
    """The header fields from `start`, and where the body begins. A stray line between headers is passed over."""
    block = raw[start : min(end, start + MAX_HEADER_BYTES)]
    fields: list[tuple[str, bytes]] = []
    position = 0
    while position < len(block) and len(fields) < MAX_HEADERS:
        line_end = block.find(b"\n", position)
        following = len(block) if line_end < 0 else line_end + 1
        line = block[position:following].rstrip(b"\r\n")
        if not line.strip():
            position = following
            break
        if line[:1] in (b" ", b"\t") and fields:
            name, value = fields[-1]
            if len(value) < MAX_VALUE:
                fields[-1] = (name, value + b" " + line.strip())
        elif match := _FIELD.fullmatch(line):
            fields.append((match[1].decode("ascii").lower(), match[2].strip()))
        elif not _headers_follow(block, following):
            break
        position = following
    return Headers([(name, _header_text(value)) for name, value in fields]), min(start + position, end)


def _headers_follow(block: bytes, position: int) -> bool:
    lines = block[position : position + 2_000].split(b"\n")[:3]
    for line in lines:
        if not line.strip():
            return False
        if re.match(rb"[A-Za-z][A-Za-z0-9-]{1,60}:", line):
            return True
    return False


def _header_text(value: bytes) -> str:
    return read_bytes(value[:MAX_VALUE], "utf-8").replace("\0", "")


def _read_content_type(value: str, default: str) -> tuple[str, dict[str, str]]:
    match = _TYPE.match(value)
    content_type = match[1].lower() if match else default
    parameters: dict[str, str] = {}
    for name, number, encoded, text in _PARAMETER.findall(value[:MAX_VALUE]):
        if text.startswith('"'):
            text = re.sub(r"\\(.)", r"\1", text[1:-1])
        if encoded:
            text = _read_extended(text, first=number in ("", "*0"))
        key = name.lower()
        parameters[key] = parameters.get(key, "") + text if number else text
    return content_type, parameters


def _read_extended(text: str, *, first: bool) -> str:
    """A parameter in the percent form of RFC 2231."""
    label = ""
    if first and text.count("'") >= 2:
        label, _, text = text.split("'", 2)
    return read_bytes(unquote_to_bytes(text), label or "utf-8")


def _split(raw: bytes, start: int, end: int, boundary: str, room: list[int]) -> list[tuple[int, int]]:
    """Where the parts between the boundary lines lie."""
    mark = boundary.encode("utf-8", "replace").rstrip()
    if not mark:
        return []
    line = re.compile(rb"(?m)^--" + re.escape(mark) + rb"(?:(--)|[ \t]*\r?(?:\n|\Z))")
    spans: list[tuple[int, int]] = []
    begun = -1
    position = start
    while len(spans) < room[0]:
        found = line.search(raw, position, end)
        if begun >= 0:
            spans.append((begun, _before_line_break(raw, begun, found.start()) if found else end))
        if found is None or found[1]:
            break
        begun = position = found.end()
    return spans


def _before_line_break(raw: bytes, begun: int, found: int) -> int:
    """The line break before a boundary belongs to the boundary."""
    if found > begun and raw[found - 1 : found] == b"\n":
        found -= 1
        if found > begun and raw[found - 1 : found] == b"\r":
            found -= 1
    return found


def _from_base64(body: bytes) -> bytes:
    """What can be read of base64, also with foreign characters, wrong padding or an end cut off."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
    whole = letters[: len(letters) // 4 * 4]
    rest = letters[len(whole) :]
    data = binascii.a2b_base64(whole)
    return data + binascii.a2b_base64(rest + b"==="[: 4 - len(rest)]) if len(rest) > 1 else data


def _is_text_encoding(label: str) -> bool:
    """Is it a character set? Python's table also holds `zip`, `hex` and source forms, which no mail may reach."""
    try:
        found = codecs.lookup(_CHARSETS.get(label, label))
    except (LookupError, ValueError):
        return False
    return bool(found._is_text_encoding) and found.name.replace("_", "-") not in _NO_CHARSETS


def _utf_8_or_western(data: bytes) -> str:
    """UTF-8 if most of it is (a broken letter or a cut end is forgiven), else the old western set."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken == 0 or 4 * broken <= sum(1 for letter in text if letter > "\x7f"):
        return text
    return data.decode("cp1252", "replace")
