"""Setting up (chapter 1): the cards face up in four rows, eight tiles face down on them."""

from __future__ import annotations

from server.rules.regions.table import DisplayTable
from server.rules.telling import wording

TILE_BACK = wording("a tile")


def lay_out(table: DisplayTable) -> None:
    lay_cards(table)
    lay_tiles(table)


def lay_cards(table: DisplayTable) -> None:
    order = table.chance.shuffle("cards", table.edition.names)
    table.lay([table.edition.named[name] for name in order])
    table.tell("The cards lie in four rows of twelve, and each of you has three markers.")


def lay_tiles(table: DisplayTable) -> None:
    """The first eight tiles of the shuffle come to the display; the other six are out of the game, unseen."""
    order = table.chance.shuffle("tiles", table.edition.tiles)
    tiles = [table.hide(front, TILE_BACK, "tile") for front in order]
    table.tiles = dict(zip(table.edition.tile_places, tiles, strict=False))
