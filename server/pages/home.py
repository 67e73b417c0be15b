"""The start page and the rules of each game."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Final

from flask import Blueprint, Response, abort
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markupsafe import Markup

from server.pages.lobby import to_join
from server.pages.showing import page, reader_of, signed_in, waiting_for
from server.rules import GAMES

pages = Blueprint("home", __name__)

_NUMBER: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\b")


@pages.get("/")
def start() -> Response:
    """What this is, what waits for the reader, how to begin."""
    player = signed_in()
    return page("home.html", reader=reader_of(player), player=player, waiting=waiting_for(player), to_join=to_join())


@pages.get("/rules/<game>")
def rules(game: str) -> Response:
    if game not in GAMES:
        abort(404)
    answer = page("rules.html", game=GAMES[game], text=rules_of(game))
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer


@lru_cache
def rules_of(game: str) -> Markup:
    """The game's numbered rules as HTML; every paragraph is an anchor under its number."""
    text = (resources.files(f"server.rules.{game}") / "rules.md").read_text(encoding="utf-8")
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.core.ruler.push("numbered", _anchor_paragraphs)
    return Markup(reader.render(text))


def _anchor_paragraphs(state: StateCore) -> None:
    for opening, inline in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type in ("paragraph_open", "heading_open") and inline.type == "inline":
            number = _NUMBER.match(inline.content)
            if number:
                opening.attrSet("id", number[1])
