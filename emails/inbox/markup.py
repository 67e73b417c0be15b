"""HTML as lines of text: what is quoted gets a `>` as in plain mail, what is hidden or a signature is left out.

Written as one pass over the tags because the standard parser takes quadratic time on hostile input.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

QUOTE_FROM_HERE = "\x1equoted from here on"
"""The line put where a mail program marks that only the older mail follows."""

MAX_MARKUP = 400_000
_MAX_TAG = 4_000
# A mail nested deeper is not looked into: its writer's words come first.
_MAX_OPEN = 400

_ATTRIBUTE = re.compile(r"""([a-zA-Z_:][\w:.-]*)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]{0,30})")
_CLASS_RULE = re.compile(r"\.([\w-]{1,60})\s*\{([^{}]{0,400})\}")

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "wbr"}
)
_SILENT = frozenset({"head", "script", "style", "title", "template", "noscript", "object", "svg", "select", "textarea"})
_SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "table"})
_BLOCKS = _SPACED | {
    *("address", "article", "aside", "blockquote", "body", "center", "dd", "div", "dl", "dt", "fieldset", "footer"),
    *("form", "header", "hr", "html", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr"),
}
# Elements whose end may be left out: the next one of the same name ends them.
_CLOSES_ITSELF = frozenset({"p", "li", "td", "tr", "dt", "dd", "option"})
# What may close a table or a cell that was left open; a stray `</p>` may not.
_OUTSIDE_TABLES = frozenset({"table", "tbody", "tr", "td", "div", "body", "html"})

_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|max-height\s*:\s*0"
    r"|font-size\s*:\s*(?:0(?:\.0+)?(?:px|pt|r?em|%)?|1(?:px|pt))\s*(?:!important\s*)?(?:;|$)"
    r"|opacity\s*:\s*0(?:\.0+)?\s*(?:!important\s*)?(?:;|$)|(?<![-\w])color\s*:\s*transparent"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}"
)
_QUOTE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:x_)*(?:gmail_quote(?:_container)?|gmail_attr|gmail_extra_quote|moz-cite-prefix|yahoo_quoted|protonmail_quote"
    r"|tutanota_quote|zmail_extra|ik_mail_quote|aol_quote|quoted-?text|mailru-quote|spark_quote|messagereplysection"
    r"|outlookmessageheader|olk_src_body_section|mail-editor-reference-message-container|wpmailquote|hey_quote|front-blockquote"
    r"|freemail_quote|elided-text|unibox-quote|quotedmessage|mailquote|__quoted_text__)(?:$|\s)"
)
_FROM_HERE_NAMES = re.compile(
    r"(?:^|\s)(?:x_)*(?:appendonsend|divrplyfwdmsg|stopspelling|ec_stopspelling|zwchr|__divider__"
    r"|mail-editor-reference-message|isforwardcontent|isreplycontent)(?:$|\s)"
)
_SIGNATURE_NAMES = re.compile(
    r"(?:^|\s)(?:x_)*(?:gmail_signature(?:_prefix)?|moz-signature|applemailsignature|ms-outlook-mobile-signature|protonmail_signature_block(?:-\w+)*"
    r"|signature|signature_container|messagesignaturesection|ymail_android_signature|yahoo[-_]signature|zm-signature|mail_android_signature"
    r"|composer_signature|tutanota_signature|ms-outlook-ios-signature|outlook-signature|spark-signature|ymail_ios_signature"
    r"|zmail_signature|aweber_signature|wisestamp\S*)(?:$|\s)"
)
# Outlook for the desktop puts the older mail's header block below a line in one of its colours.
_OUTLOOK_RULE = re.compile(r"border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)\s+1(?:\.0)?pt", re.IGNORECASE)


def text_of(markup: str) -> str:
    """The text a reader sees, quotes marked with `>`. Never fails; takes time in proportion to the length."""
    markup = markup[:MAX_MARKUP]
    page = _Page(_hidden_classes(markup))
    for kind, name, body in _pieces(markup):
        if kind == "text":
            page.write(html.unescape(body))
        elif kind == "open":
            page.open(name, body)
        else:
            page.close(name)
    return page.finish()


@dataclass
class _Element:
    name: str
    silent: bool = False
    quote: bool = False
    preformatted: bool = False
    spaced: bool = False


@dataclass
class _Page:
    """The lines written so far and the elements that are open."""

    hidden_classes: frozenset[str]
    lines: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    open_elements: list[_Element] = field(default_factory=list)
    silent: int = 0
    quotes: int = 0
    preformatted: int = 0
    blank_due: bool = False

    def write(self, text: str) -> None:
        if self.silent:
            return
        if self.preformatted:
            first, *others = text.replace("\r\n", "\n").split("\n")
            self._put(first)
            for other in others:
                self.break_line()
                self._put(other)
            return
        text = re.sub(r"[ \t\r\n\f]+", " ", text)
        if text == " " and not self.line:
            return
        if text.strip(" ") or self.line:
            self._put(text if self.line else text.lstrip(" "))

    def open(self, name: str, attributes_text: str) -> None:
        attributes = _attributes(attributes_text)
        if name in _CLOSES_ITSELF and self.open_elements and self.open_elements[-1].name == name:
            self.close(name)
        if name == "br":
            if not self.silent:
                self.break_line()
            return
        element = _Element(name, silent=self._is_silent(name, attributes), quote=self._is_quote(name, attributes))
        element.preformatted = name == "pre" or "pre-wrap" in attributes.get("style", "")
        element.spaced = name in _SPACED and not _has_no_margin(attributes)
        if name in _BLOCKS and not self.silent:
            self.end_line(blank=element.spaced)
        if self._starts_the_older_mail(name, attributes) and not self.silent:
            self.end_line()
            self.lines.append(QUOTE_FROM_HERE)
        if name == "td" and self.line:
            self._put(" ")
        if name in _VOID:
            return
        if len(self.open_elements) >= _MAX_OPEN:
            self.lines.append(QUOTE_FROM_HERE)
            return
        self.open_elements.append(element)
        self._count(element, 1)

    def close(self, name: str) -> None:
        for depth, element in enumerate(reversed(self.open_elements)):
            if element.name == name:
                break
            if depth > 100 or (element.name in ("table", "td") and name not in _OUTSIDE_TABLES):
                return
        else:
            return
        while self.open_elements:
            element = self.open_elements[-1]
            if element.name in _BLOCKS and not self.silent:
                self.end_line(blank=element.spaced)
            self.open_elements.pop()
            self._count(element, -1)
            if element.name == name:
                return

    def break_line(self) -> None:
        """A line ends here, also an empty one."""
        prefix = "> " if self.quotes else ""
        self.lines.append((prefix + "".join(self.line)).rstrip(" "))
        self.line.clear()
        self.blank_due = False

    def end_line(self, *, blank: bool = False) -> None:
        """A line ends here if one was begun."""
        if self.line:
            self.break_line()
        if blank and self.lines and self.lines[-1].strip("> "):
            self.blank_due = True

    def finish(self) -> str:
        self.end_line()
        return "\n".join(self.lines)

    def _put(self, text: str) -> None:
        if not text:
            return
        if self.blank_due:
            self.lines.append(">" if self.quotes else "")
            self.blank_due = False
        self.line.append(text.replace("\u00a0", " "))

    def _count(self, element: _Element, step: int) -> None:
        self.silent += step * element.silent
        self.quotes += step * element.quote
        self.preformatted += step * element.preformatted

    def _is_silent(self, name: str, attributes: dict[str, str]) -> bool:
        if name in _SILENT or "hidden" in attributes:
            return True
        if self.hidden_classes.intersection(attributes.get("class", "").lower().split()):
            return True
        if _HIDDEN_STYLE.search(attributes.get("style", "").lower()):
            return True
        return bool(_SIGNATURE_NAMES.search(_names(attributes)))

    def _is_quote(self, name: str, attributes: dict[str, str]) -> bool:
        if name == "blockquote" or attributes.get("name") == "quote":
            return True
        return bool(_QUOTE_NAMES.search(_names(attributes)))

    def _starts_the_older_mail(self, name: str, attributes: dict[str, str]) -> bool:
        if _FROM_HERE_NAMES.search(_names(attributes)):
            return True
        return name in ("div", "p", "td") and bool(_OUTLOOK_RULE.search(attributes.get("style", "")))


def _pieces(markup: str) -> Iterator[tuple[str, str, str]]:
    """The markup as (`text` | `open` | `close`, name of the element, text or attributes)."""
    lowered = markup.lower()
    position = 0
    while (start := markup.find("<", position)) >= 0:
        if start > position:
            yield "text", "", markup[position:start]
        tag = _TAG.match(markup, start)
        if tag is not None:
            position = _after_tag(markup, start)
            name = tag[2].lower()
            yield ("close" if tag[1] else "open"), name, markup[tag.end() : position].removesuffix(">")
            if not tag[1] and name in ("script", "style"):  # what stands in them is no markup
                closing = lowered.find(f"</{name}", position)
                position = closing if closing >= 0 else len(markup)
        elif markup.startswith("<!--", start):
            position = _after(markup, "-->", start + 2)
        elif markup.startswith(("<!", "<?", "</"), start):
            position = _after(markup, ">", start)
        else:
            yield "text", "", "<"
            position = start + 1
    yield "text", "", markup[position:]


def _after(markup: str, mark: str, position: int) -> int:
    """Behind the next `mark`, or at the end of all: what is opened and never closed hides the rest."""
    found = markup.find(mark, position)
    return found + len(mark) if found >= 0 else len(markup)


def _after_tag(markup: str, start: int) -> int:
    """Behind the tag that begins at `start`. A `>` within quotation marks does not end it."""
    position = start
    for _ in range(5):
        end = markup.find(">", position + 1, start + _MAX_TAG)
        if end < 0:
            break
        inside = markup[start:end]
        if inside.count('"') % 2 == 0 and (inside.count("'") % 2 == 0 or '"' in inside):
            return end + 1
        position = end
    return _after(markup, ">", start)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), html.unescape(value.strip("\"'")))
    if re.search(r"(?:^|\s)hidden(?:\s|/|$)", text):
        found["hidden"] = ""
    return found


def _names(attributes: dict[str, str]) -> str:
    """What the element is called: its classes, its id and its name."""
    return " ".join(attributes.get(key, "") for key in ("class", "id", "name", "data-smartmail", "data-marker")).lower()


def _has_no_margin(attributes: dict[str, str]) -> bool:
    style = attributes.get("style", "").lower().replace(" ", "")
    return "msonormal" in attributes.get("class", "").lower() or "margin:0" in style or "margin-top:0" in style


def _hidden_classes(markup: str) -> frozenset[str]:
    """The classes that the mail's own style sheet hides, leaving out what holds for small screens or print only."""
    hidden: set[str] = set()
    position = 0
    for _ in range(10):
        start = markup.find("<style", position)
        end = markup.find("</style", start) if start >= 0 else -1
        if end < 0:
            break
        sheet = markup[start:end].partition("@media")[0]
        hidden.update(name.lower() for name, rules in _CLASS_RULE.findall(sheet) if _HIDDEN_STYLE.search(rules.lower()))
        position = end
    return frozenset(hidden)
