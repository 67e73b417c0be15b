"""The catalogues of words: what there is to say is found in code and templates, and each language has it all.

`python -m emails.catalogues` brings every `translations/…/messages.po` up to date and tells what is missing; with
tags of languages it begins theirs. Catalogues are compiled when they are first wanted (`emails.language`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, get_args

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from db.models import LetterState
from emails.language import DOMAIN, TRANSLATIONS, lacks
from server.rules import GAMES
from server.rules.playing import Game

ROOT: Final = Path(__file__).parent.parent
PARTS: Final = ("emails", "server")

_JINJA: Final = {"encoding": "utf-8", "silent": "false"}
_ENGLISH: Final = ("server/cli/", "server/pages/templates/admin/", "server/pages/admin.py", "server/pages/openapi.json")
"""What operators and programs read."""

KEYWORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("_", "gettext", "marked", "say", "_say", "wording", "tell", "sentence", "Sentence", "Drop"), None),
    **dict.fromkeys(("ngettext", "count"), (1, 2)),
    "refuse": (2,),  # the rule's number comes first
    "hide": (2,),  # the back of a card
    "Option": (3,),
}
"""The functions whose text is for people, with the places of the texts among their arguments."""

KINDS: Final = (
    *("invitation", "started", "turn", "reminder", "nudge", "waiting", "receipt", "finished", "notice", "login"),
    "address",
)
"""The kinds of letters, as people are told of them."""

_PLACES: Final = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w+)\}|(</?\w+[^>]*>)")


def found() -> Catalog:
    """Everything that can be said to people, in English."""
    template = Catalog(domain=DOMAIN, project="Estafette", copyright_holder="", charset="utf-8")
    for where, text, context in _extracted():
        template.add(text, locations=[(where, 0)], context=context)
    for game in GAMES.values():
        for word in game.vocabulary:
            template.add(word, locations=[(f"server/rules/{game.name}", 0)], context=game.name)
        for label in labels(game):
            template.add(label, locations=[(f"server/rules/{game.name}", 0)], context=f"{game.name} label")
    for label in (*KINDS, *get_args(LetterState)):
        template.add(label, locations=[("emails", 0)], context="letter label")
    return template


def _extracted() -> list[tuple[str, Any, str | None]]:
    """Where it is said, the text, its context."""
    told = []
    for part in PARTS:
        messages = extract_from_dir(ROOT / part, _METHODS, {"**/templates/**": _JINJA}, KEYWORDS)
        for file, _line, text, _comments, context in messages:
            if any(text) and not f"{part}/{file}".startswith(_ENGLISH):
                told.append((f"{part}/{file}", text, context))
    return told


_Found: TypeAlias = tuple[int, str, list[str | None], list[str]]


def _python(file: IO[bytes], keywords: Collection[str], _tags: object, options: object) -> Iterator[_Found]:
    """The texts in calls of the keywords. Babel's own reader of Python takes any name like a keyword for a call."""
    calls = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call) and node.args]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in keywords:
            yield node.lineno, name, [_text(argument) for argument in node.args], []


_METHODS: Final[list[tuple[str, Any]]] = [
    ("transport.py", "ignore"),  # there a `say` speaks to servers
    ("autoplay.py", "ignore"),
    ("house/**.py", "ignore"),  # house players think without words
    ("**.py", _python),
    ("**/templates/**.html", "jinja2"),
    ("**/templates/**.txt", "jinja2"),
]


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def labels(game: Game) -> Iterator[str]:
    """What stands on its own in forms and tables."""
    yield from game.kinds
    yield from game.parts
    for option in game.options:
        yield option.name.replace("_", " ")
        yield from (str(value) for value in option.values if not isinstance(value, bool))


def languages() -> list[str]:
    """The tags of the languages that have a catalogue, whole or not."""
    return sorted(file.parent.parent.name for file in TRANSLATIONS.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def catalogue(tag: str) -> Catalog:
    with _file(tag).open("rb") as opened:
        return read_po(opened, locale=tag, domain=DOMAIN)


def wrong_with(translated: Catalog, template: Catalog) -> list[str]:
    """What a translator has to put right, a line each."""
    told = []
    for message in _messages(template):
        own = translated.get(message.id, message.context)
        if own is None or lacks(own):
            told.append(f"missing: {_shown(message)}")
        elif any(places(text) != places(_english(message, text, own)) for text in _texts(own.string)):
            told.append(f"other places than the English: {_shown(message)}")
    told += [
        f"not said any more: {_shown(own)}"
        for own in _messages(translated)
        if template.get(own.id, own.context) is None
    ]
    return told


def places(text: str) -> list[str]:
    """What stands in a text besides words: its parts, its tags."""
    return sorted("".join(each) for each in _PLACES.findall(text))


def update(tag: str, template: Catalog) -> Catalog:
    """Bring a language's file up to date; what is new has no translation yet."""
    old = catalogue(tag) if _file(tag).is_file() else Catalog(locale=tag, domain=DOMAIN)
    name = Locale(tag).get_display_name("en")
    fresh = Catalog(
        locale=tag, domain=DOMAIN, header_comment=f"# Estafette in {name}.", project="Estafette", version="1",
        last_translator="Estafette", language_team=str(name), msgid_bugs_address="none", charset="utf-8", fuzzy=False,
    )  # fmt: skip
    fresh.creation_date, fresh.revision_date = old.creation_date, old.revision_date
    for message in _messages(template):
        own = old.get(message.id, message.context)
        fresh.add(
            message.id, own.string if own else "", locations=message.locations, flags=message.flags,
            context=message.context,
        )  # fmt: skip
    _file(tag).parent.mkdir(parents=True, exist_ok=True)
    with _file(tag).open("wb") as opened:
        write_po(opened, fresh, width=0, sort_by_file=True, include_lineno=False, omit_header=False)
    return fresh


def _file(tag: str) -> Path:
    return TRANSLATIONS / tag / "LC_MESSAGES" / f"{DOMAIN}.po"


def _messages(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


def _texts(told: Any) -> tuple[str, ...]:
    return tuple(told) if isinstance(told, (list, tuple)) else (told,)


def _english(message: Message, text: str, own: Message) -> str:
    """The English of a translated text: of its own number, where there are several."""
    first, last = _texts(message.id)[0], _texts(message.id)[-1]
    return first if text == _texts(own.string)[0] and len(_texts(own.string)) > 1 else last


def _shown(message: Message) -> str:
    return f"{message.context}: {message.id}" if message.context else str(message.id)


def main() -> int:
    template = found()
    wrong = 0
    for tag in sorted({*languages(), *sys.argv[1:]}):
        told = wrong_with(update(tag, template), template)
        wrong += len(told)
        print(f"{tag}: {len(template) - len(told)} of {len(template)}", *told, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
