"""Setting up (chapter 1): the supply and the hands, loyalties, counselors, events and the first Crusade deck."""

from __future__ import annotations

from server.rules.asking import Decision, Script, ask, refuse, reveal
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.effects import draw, draw_counselor
from server.rules.crusade.table import JOHN, RICHARD, SIDES, CrusadeTable
from server.rules.telling import Sentence, sentence

IN_SUPPLY = 12
COUNSELOR_SHUFFLES = {side: f"counselors {side}" for side in SIDES}
LOYALTIES = tuple(f"loyal {side}" for side in SIDES)
CHOOSE_LOYALTY = sentence("Choose whom you are loyal to, openly: Richard or John.")


def set_up(table: CrusadeTable) -> Script:
    deal_hands(table)
    shuffle_counselors(table)
    yield from choose_loyalties(table)
    build_crusade_deck(table)
    yield from reveal()
    for seat in table.seats:
        draw_counselor(table, seat)
    shuffle_events(table)


def deal_hands(table: CrusadeTable) -> None:
    """1.2 and 1.3."""
    cards = [table.reserve[colour].pop() for colour in COLOURS for _ in range(IN_SUPPLY)]
    table.supply = table.shuffled("supply", cards)
    for seat in table.seats:
        draw(table, seat, cards_dealt(len(table.seats)))


def cards_dealt(seats: int) -> int:
    return 7 if seats >= 5 else 6


def loyalty_cards(seats: int) -> int:
    """How many players each side can have (1.5)."""
    return (seats + 1) // 2


def shuffle_counselors(table: CrusadeTable) -> None:
    for side in SIDES:
        cards = [table.hide(name, "a counselor", f"counselor of {side}") for name in table.edition.side(side)]
        table.counselor_decks[side] = table.shuffled(COUNSELOR_SHUFFLES[side], cards)


def choose_loyalties(table: CrusadeTable) -> Script:
    """1.5: in turn and openly; whoever has no choice is not asked."""
    for seat in table.seats:
        left = [side for side in SIDES if len(table.loyal_to(side)) < loyalty_cards(len(table.seats))]
        if len(left) == 1:
            table.loyalty[seat] = left[0]
            table.tell("Only cards loyal to {side} are left: {seat} takes one.", seat=seat, side=left[0])
            continue
        answer = yield from ask(seat, loyalty_decision())
        side = answer.removeprefix("loyal ")
        table.loyalty[seat] = side
        table.tell("{seat} is loyal to {side}.", seat=seat, side=side)


def loyalty_decision() -> Decision:
    return Decision("loyalty", CHOOSE_LOYALTY, listing=lambda: LOYALTIES, reading=read_loyalty, saying=say_loyalty)


def read_loyalty(words: list[str]) -> str:
    raise refuse(
        "crusade 1.5", "Choose your loyalty with “{richard}” or “{john}”.", richard=LOYALTIES[0], john=LOYALTIES[1]
    )


def say_loyalty(text: str) -> Sentence:
    return sentence("Be loyal to {side} until the end; everybody sees it.", side=text.removeprefix("loyal "))


def build_crusade_deck(table: CrusadeTable) -> None:
    """1.8: one card of each peaceful colour, and two against each player's own wish."""
    cards = ["yellow", "purple", "blue", "white"]
    cards += ["red"] * (2 * len(table.loyal_to(JOHN)))
    cards += ["green"] * (2 * len(table.loyal_to(RICHARD)))
    table.add_openly(cards)
    table.tell(
        "The Crusade deck begins with 1 yellow, 1 purple, 1 blue, 1 white, {red} red and {green} green.",
        red=cards.count("red"),
        green=cards.count("green"),
    )


def shuffle_events(table: CrusadeTable) -> None:
    """1.10: all shuffled, or those with a numeral in their order above the others."""
    wanted = table.options["events"]
    if wanted == "off":
        return
    names = list(table.edition.events)
    calendar = table.edition.calendar if wanted == "history" else []
    deck = [table.hide(name, "an event", "event") for name in names if name not in calendar]
    known = [table.hide(name, "an event", "event") for name in reversed(calendar)]
    for card in known:
        card.show_all()
    table.events = [*table.shuffled("events", deck), *known]
