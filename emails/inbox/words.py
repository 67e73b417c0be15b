"""The writer's own words in a text: without quotes and their announcements, signatures, banners and disclaimers."""

import re
from dataclasses import dataclass, field

from emails.inbox import phrases
from emails.inbox.markup import QUOTE_FROM_HERE

MAX_LINES = 1_500
_MAX_LINE = 400
_MAX_ANNOUNCEMENT = 5

_QUOTED = re.compile(r"^[ \t]{0,4}(?:[A-Za-z]{0,10}[>＞]|&gt;)")
_BARRED = re.compile(r"^[ \t]{0,4}\|")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe0f\u034f]")
_WROTE_AT_END = re.compile(rf"{phrases.WROTE}[\s\u00a0]*(?:\([^()]{{0,80}}\))?[\s\u00a0]*[:：︰]?\s*$", re.IGNORECASE)
_WROTE_INSIDE = re.compile(rf"(?<!\w){phrases.WROTE}(?!\w)", re.IGNORECASE)
_SHARED_LINE = re.compile(r"^(.*?\S)[\s-]+((?:On|Am|Op|Le|El|Il|Em|Den|På|W dniu|Dne|Dnia) .{10,300}[:：])\s*$")
_OPENS = re.compile(rf"^[\s*_\"-]*{phrases.OPENER}(?=\W|\d|$)", re.IGNORECASE)
_HAS_ADDRESS = re.compile(rf"[<(\[]\s*(?:mailto:)?{phrases.ADDRESS}|{phrases.ADDRESS}")
_HAS_TIME = re.compile(phrases.TIME)
_HAS_DATE = re.compile(phrases.DATE, re.IGNORECASE)
_DATE_THEN_ADDRESS = re.compile(rf"^\s*\d{{4}}[-/年.]\d{{1,2}}[-/月.]\d{{1,2}}.{{0,80}}<\s*{phrases.ADDRESS}\s*>:?\s*$")


def own_words(text: str) -> str:
    """What the writer wrote, inner lines as they were, without blank lines at both ends.

    Above a quote, below it or between its pieces; quoted lines are left out. What follows a quote that has words above
    it is taken for a signature, unless those words are only a salutation or there are answers between quotes as well.
    What a mail program announces as older mail without marking its lines is left out to the end.
    """
    lines = [_INVISIBLE.sub("", line) for line in text.split("\n")[:MAX_LINES]]
    lines = _without_banner(_without_armour([line if line.strip() else "" for line in lines]))
    passages = [_trimmed(_without_signature(passage)) for passage in _own_passages(_blocks(lines))]
    return "\n\n".join("\n".join(passage) for passage in passages if passage).strip()


def unflowed(text: str, *, delete_space: bool) -> str:
    """A text in the form of RFC 3676 with its soft line breaks taken back, quote marks kept."""
    lines: list[str] = []
    open_depth = -1
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        words = line[depth:].removeprefix(" ")
        soft = words.endswith(" ") and words != "-- "
        if depth == open_depth and words != "-- ":
            lines[-1] += words
        else:
            lines.append(">" * depth + (" " if depth else "") + words)
        if soft and delete_space:
            lines[-1] = lines[-1][:-1]
        open_depth = depth if soft else -1
    return "\n".join(lines)


@dataclass
class _Block:
    """Lines that follow each other and are all the writer's own, or all quoted."""

    quoted: bool
    announced: bool = False
    lines: list[str] = field(default_factory=list)


def _blocks(lines: list[str]) -> list[_Block]:
    """The lines in blocks, up to where only older mail follows."""
    blocks = [_Block(quoted=False)]
    position = 0
    while position < len(lines):
        line = lines[position]
        if _QUOTED.match(line) or (_BARRED.match(line) and blocks[-1].quoted):
            _block(blocks, quoted=True).lines.append(line)
        elif _only_older_mail_follows(lines, position):
            break
        elif (own := _before_announcement(line)) and _quote_or_nothing_follows(lines, position + 1):
            _block(blocks, quoted=False).lines.append(own)
            _block(blocks, quoted=True).announced = True
        elif length := _announcement(lines, position):
            if not _quote_follows(lines, position + length):
                break
            _block(blocks, quoted=True).announced = True
            position += length
            continue
        elif blocks[-1].quoted and (not line.strip() or _is_broken_off(lines, position)):
            blocks[-1].lines.append(line)
        else:
            _block(blocks, quoted=False).lines.append(line)
        position += 1
    return blocks


def _block(blocks: list[_Block], *, quoted: bool) -> _Block:
    if blocks[-1].quoted is not quoted:
        blocks.append(_Block(quoted=quoted))
    return blocks[-1]


def _own_passages(blocks: list[_Block]) -> list[list[str]]:
    own = [block for block in blocks if not block.quoted and _has_words(block.lines)]
    quotes = [block for block in blocks if block.quoted]
    if len(own) == 2 and len(quotes) == 1 and _is_announced(quotes[0]) and not _is_salutation(own[0].lines):
        own = own[:1]
    return [block.lines for block in own]


def _is_announced(quote: _Block) -> bool:
    """Does a program introduce the quote, before it or in its first line?"""
    bare = [line.lstrip("> \t") for line in quote.lines[:12]]
    first = next((number for number, line in enumerate(bare) if line.strip()), None)
    return quote.announced or (first is not None and _announcement(bare, first) > 0)


def _is_broken_off(lines: list[str], position: int) -> bool:
    """Is this the end of a quoted line that a mail program wrapped without marking it again?"""
    if position == 0 or position + 1 >= len(lines):
        return False
    before, line, after = lines[position - 1], lines[position].strip(), lines[position + 1]
    return bool(
        _QUOTED.match(before) and len(before) >= 64 and _QUOTED.match(after) and len(line) <= 30 and line[:1].islower()
    )


def _only_older_mail_follows(lines: list[str], position: int) -> bool:
    line = lines[position][:_MAX_LINE]
    if line == QUOTE_FROM_HERE:
        return True
    if phrases.ORIGINAL_LINE.match(line) or phrases.FORWARD_LINE.match(line):
        return True
    if phrases.ABOVE_THIS_LINE.search(line):
        return True
    return _is_header_block(lines, position)


def _is_header_block(lines: list[str], position: int) -> bool:
    """Do the headers of an older mail begin here ("From: … Sent: … To: … Subject: …", in any of the languages)?"""
    if _label(lines[position]) is None:
        return False
    seen: set[int] = set()
    blank = folded = 0
    for line in lines[position : position + 16]:
        label = _label(line)
        if label is not None:
            seen.add(label)
            blank = folded = 0
        elif not line.strip():
            blank += 1
        else:
            folded += 1
        if blank > 1 or folded > 2 or (blank and folded):
            break
    if len(seen) >= 3:
        return True
    one_line = " ".join(lines[position : position + 2])[:_MAX_LINE]
    if len(seen) == 2 and seen & {0, 1}:
        return bool(_HAS_ADDRESS.search(one_line) or _after_ruler(lines, position))
    return bool(
        re.search(r"From:.{3,120}(?:Date|Sent|To):.{3,160}(?:To|Subject):", one_line)
        or (re.search(r"From:.{3,120}(?:Date|Sent):", one_line) and _HAS_TIME.search(one_line))
    )


def _label(line: str) -> int | None:
    line = line[:_MAX_LINE]
    if ":" not in line and "：" not in line:
        return None
    return next((kind for kind, pattern in enumerate(phrases.HEADER_LABELS) if pattern.match(line)), None)


def _after_ruler(lines: list[str], position: int) -> bool:
    before = [line for line in lines[max(0, position - 3) : position] if line.strip()]
    return bool(before and phrases.RULER.match(before[-1]))


def _announcement(lines: list[str], position: int) -> int:
    """How many lines from here are "On Monday, Ann wrote:", wrapped as it may be; 0 if none."""
    if not lines[position].strip():
        return 0
    joined = ""
    for length in range(1, _MAX_ANNOUNCEMENT + 1):
        if position + length > len(lines) or len(joined) > _MAX_LINE:
            return 0
        line = lines[position + length - 1].strip()
        if not line and length > 1 and _opens_an_address(lines, position + length):
            continue
        is_quote = _QUOTED.match(line) and joined.count("<") <= joined.count(">")
        if not line or is_quote or (length > 1 and not _goes_on(joined, line)):
            return 0
        joined = f"{joined} {line}".strip()
        if _announces(joined):
            return length + _rest_of_announcement(joined, lines, position + length)
    return 0


def _opens_an_address(lines: list[str], position: int) -> bool:
    """Polymail puts a blank line before the address in its announcement."""
    return position < len(lines) and lines[position].strip() == "<"


def _rest_of_announcement(joined: str, lines: list[str], position: int) -> int:
    """One more line where the name came first and the address is wrapped into the next."""
    following = lines[position].strip() if position < len(lines) else ""
    if joined.endswith((":", "：")) or not following.endswith((":", "：")) or _QUOTED.match(following):
        return 0
    return int(_announces(f"{joined} {following}"))


def _goes_on(joined: str, following: str) -> bool:
    """Can an announcement that begins with `joined` go on in the next line? Not after a sentence."""
    if following.startswith(("<", "(", "[", ">", "mailto:")) or _WROTE_AT_END.fullmatch(following):
        return bool(_OPENS.match(joined) or _HAS_DATE.search(joined) or _HAS_ADDRESS.search(following))
    if joined.endswith(("!", "?")):
        return False
    if joined.startswith("--") or (_OPENS.match(joined) and _HAS_ADDRESS.search(joined)):
        return True
    return bool((_HAS_DATE.search(joined) or _HAS_TIME.search(joined)) and (_OPENS.match(joined) or len(joined) > 20))


def _before_announcement(line: str) -> str:
    """The writer's words at the head of a line that goes on with "On Monday, Ann wrote:"; empty if it does not."""
    match = _SHARED_LINE.match(line[:_MAX_LINE])
    if match and _HAS_DATE.search(match[2]) and _HAS_TIME.search(match[2]) and _announces(match[2]):
        return match[1].rstrip("- \t")
    return ""


def _announces(text: str) -> bool:
    """Is this the line with which a mail program introduces a quote, in whatever language?"""
    if len(text) > _MAX_LINE or len(text) < 6:
        return False
    text = text.strip("*_ \u00a0")
    has_address = bool(_HAS_ADDRESS.search(text))
    has_date = bool(_HAS_DATE.search(text)) or bool(_HAS_TIME.search(text))
    if text.endswith((":", "：", "︰")):
        if has_address and has_date:
            return True
        if phrases.QUOTING.match(text):
            return True
        if _WROTE_AT_END.search(text) and (has_date or has_address or _is_a_name(text)):
            return True
        return has_date and bool(_WROTE_INSIDE.search(text)) and (bool(_OPENS.match(text)) or len(text) < 100)
    if _WROTE_AT_END.search(text):
        return has_date and (has_address or bool(_OPENS.match(text)))
    if phrases.DASHED_WROTE.match(text):
        return True
    return bool(_DATE_THEN_ADDRESS.match(text))


def _is_a_name(text: str) -> bool:
    """ "Ann Smith wrote:" with nothing else."""
    before = _WROTE_AT_END.sub("", text).strip()
    return 0 < len(before.split()) <= 4 and all(word[:1].isupper() for word in before.split())


def _quote_follows(lines: list[str], position: int) -> bool:
    following = next((line for line in lines[position : position + 6] if line.strip()), "")
    return bool(_QUOTED.match(following) or _BARRED.match(following))


def _quote_or_nothing_follows(lines: list[str], position: int) -> bool:
    return _quote_follows(lines, position) or not any(line.strip() for line in lines[position : position + 6])


def _without_armour(lines: list[str]) -> list[str]:
    """The text inside an OpenPGP signature."""
    if "-----BEGIN PGP SIGNED MESSAGE-----" not in lines:
        return lines
    start = lines.index("-----BEGIN PGP SIGNED MESSAGE-----")
    blank = next((number for number in range(start, len(lines)) if not lines[number].strip()), start)
    end = next((n for n, line in enumerate(lines) if line.startswith("-----BEGIN PGP SIGNATURE-----")), len(lines))
    return lines[:start] + [line.removeprefix("- ") for line in lines[blank + 1 : end]]


def _without_banner(lines: list[str]) -> list[str]:
    """The lines without the warnings that a mail gateway wrote above them."""
    for _ in range(4):
        start = next(
            (number for number, line in enumerate(lines) if line.strip() and not phrases.RULER.match(line)), None
        )
        if start is None:
            return lines
        end = _paragraph_end(lines, start)
        if not phrases.BANNER.match(" ".join(lines[start : min(end, start + 8)])[: 2 * _MAX_LINE]):
            break
        lines = _without_leading_rulers(lines[_banner_end(lines, start, end) :])
    if lines and (tag := phrases.BANNER_TAG.match(next((line for line in lines if line.strip()), ""))):
        number = next(number for number, line in enumerate(lines) if line.strip())
        lines = [lines[number][tag.end() :], *lines[number + 1 :]]
    return lines


def _paragraph_end(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and lines[end].strip() and not (end > start and phrases.RULER.match(lines[end])):
        end += 1
    return end


def _banner_end(lines: list[str], start: int, end: int) -> int:
    """Where the banner that begins at `start` ends: with its paragraph, or before a line in it that is not its own."""
    for number in range(start + 1, end):
        wrapped = len(lines[number - 1]) >= 55 and not lines[number - 1].rstrip().endswith((".", "!", "]", ">"))
        if not wrapped and not phrases.BANNER.match(lines[number]) and not phrases.BANNER_MORE.search(lines[number]):
            return number
    following = next((number for number in range(end, len(lines)) if lines[number].strip()), len(lines))
    if following < len(lines) and not phrases.RULER.match(lines[following]):
        paragraph = " ".join(lines[following : _paragraph_end(lines, following)])
        if phrases.BANNER_MORE.search(paragraph) and len(phrases.BANNER_MORE.findall(paragraph)) >= 2:
            return _paragraph_end(lines, following)
    return end


def _without_signature(lines: list[str]) -> list[str]:
    for number, line in enumerate(lines):
        if phrases.SIGNATURE_LINE.match(line) or phrases.MOBILE_SIGNATURE.match(line[:_MAX_LINE]):
            return lines[:number]
        if phrases.RULER.match(line) and _is_a_card(lines[number + 1 :]):
            return lines[:number]
        if (number == 0 or not lines[number - 1].strip()) and _is_disclaimer(lines, number):
            return lines[:number]
        if phrases.LIST_FOOTER.search(line[:_MAX_LINE]) and number > 0 and not _has_words(lines[number + 12 :]):
            return lines[:number]
    return _without_trailing_rulers(lines)


def _is_a_card(lines: list[str]) -> bool:
    """Are these few lines with an address, a number or a list's footer, as people put them under a line of dashes?"""
    written = [line for line in lines if line.strip()]
    if not 0 < len(written) <= 12:
        return False
    return any(phrases.LIST_FOOTER.search(line) for line in written[:3]) or (
        len(written) <= 8
        and any(phrases.CONTACT.search(line) for line in written)
        and all(len(line) < 90 for line in written)
    )


def _is_disclaimer(lines: list[str], number: int) -> bool:
    if not lines[number].strip():
        return False
    return bool(phrases.DISCLAIMER.match(" ".join(lines[number : min(number + 5, _paragraph_end(lines, number))])))


def _without_trailing_rulers(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and (not lines[end - 1].strip() or phrases.RULER.match(lines[end - 1])):
        end -= 1
    return lines[:end]


def _without_leading_rulers(lines: list[str]) -> list[str]:
    start = 0
    while start < len(lines) and (not lines[start].strip() or phrases.RULER.match(lines[start])):
        start += 1
    return lines[start:]


def _trimmed(lines: list[str]) -> list[str]:
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]


def _has_words(lines: list[str]) -> bool:
    return any(line.strip() and not phrases.RULER.match(line) for line in lines)


def _is_salutation(lines: list[str]) -> bool:
    written = [line for line in lines if line.strip()]
    return len(written) == 1 and bool(phrases.SALUTATION.match(written[0]))
