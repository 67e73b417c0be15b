"""Sentences as templates with parts, read by each reader as far as their eyes and in the language they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from server.rules.hidden import Hidden


class Seat(int):
    """A seat's number, 1 first. In a sentence it reads as the name of the player who sits there."""

    __slots__ = ()


HOST: Final = "host"
Viewer: TypeAlias = int | Literal["host"] | None
"""Who looks: a seat's number, None for a spectator, HOST for the one who may see everything."""


class Speech(NamedTuple):
    """How a language says what the rules say: `translate` turns a template into it, `word` the name of a card, a
    place or a piece into the reader's word for it."""

    translate: Callable[[str], str] = str
    word: Callable[[str], str] = str

    def say(self, template: str, **parts: object) -> str:
        """A template with its parts, which are words of people or numbers."""
        return self.translate(template).format_map(parts) if parts else self.translate(template)

    def number(self, number: object) -> str:
        return str(number).replace("-", "−")


ENGLISH: Final = Speech()
AS_TYPED: Final = frozenset({"text", "move", "example"})
"""Parts of these names are moves as people type them: the same in all languages."""


class Sentence(NamedTuple):
    """An English template like "{seat} takes {card}." and its parts.

    Parts are seats (`Seat`), numbers, words and names of cards and places (`str`), hidden cards (`Hidden`),
    further sentences, or lists of all these. The front of a hidden part may itself be a tuple of parts (a whole hand).
    """

    template: str
    parts: Mapping[str, Any] = {}


class Hint(NamedTuple):
    """What a kind of decision is about, in some plain sentences, and the paragraph of the rules to read on."""

    told: Sentence
    rule: str


def sentence(template: str, **parts: Any) -> Sentence:
    return Sentence(template, parts)


def wording(text: str) -> str:
    """Marks a text for the languages that is said elsewhere than where it is written."""
    return text


def say(
    told: Sentence,
    viewer: Viewer,
    names: Sequence[str],
    speech: Speech = ENGLISH,
) -> str:
    """The sentence as `viewer` may read it; `names` are the players' names in seat order."""
    translate, word = speech

    def read(part: Any) -> str:
        if isinstance(part, str):
            return word(part)
        if isinstance(part, Seat):
            return names[part - 1]
        if isinstance(part, Sentence):
            return say(part, viewer, names, speech)
        if isinstance(part, Hidden):
            if not part.known_to(viewer):
                return translate(part.back)
            return read(part.front) if isinstance(part.front, tuple) else word(str(part.front))
        if isinstance(part, (list, tuple)):
            return ", ".join(read(each) for each in _known_first(part, viewer)) or "–"
        return str(part).replace("-", "−") if isinstance(part, int) else str(part)

    if not told.parts:
        return translate(told.template)
    return translate(told.template).format_map(
        {name: part if name in AS_TYPED and isinstance(part, str) else read(part) for name, part in told.parts.items()}
    )


class Reading:
    """What one viewer reads, in one language: to be put into lines by each game."""

    def __init__(self, names: Sequence[str], viewer: Viewer, speech: Speech) -> None:
        self.names = names
        self.viewer = viewer
        self.speech = speech
        self.say = speech.say
        self.word = speech.word

    def read(self, told: Sentence) -> str:
        return say(told, self.viewer, self.names, self.speech)


def _known_first(parts: Sequence[Any], viewer: Viewer) -> Sequence[Any]:
    """Hidden cards of a list in an order that tells nothing: the known ones by name, then the backs."""
    if not any(isinstance(part, Hidden) for part in parts):
        return parts
    known = sorted(str(card.front) for card in parts if card.known_to(viewer))
    return [*known, *(card for card in parts if not card.known_to(viewer))]
