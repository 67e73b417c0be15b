"""Chapter 1: the sheets are shuffled, everybody takes agents, money and jewels."""

from __future__ import annotations

from server.rules.intrigues.table import Box, IntriguesTable


def lay_out(table: IntriguesTable) -> None:
    """INT 1.2, 1.4, 7.1: agents to their owners, the first three sheets of each stack to the boxes."""
    for colour in table.hands:
        agents = table.edition.agents if colour in table.seats else table.edition.neutral_agents
        for value in agents:
            table.new_agent(colour, value)
    stack_up(table, "richelieu", table.edition.richelieu)
    stack_up(table, "opposition", table.edition.opposition)
    for box in table.boxes:
        draw_sheets(table, box)


def stack_up(table: IntriguesTable, name: str, sheets: list[str]) -> None:
    table.stacks[name] = [table.hide(sheet, "a sheet", f"{name} stack") for sheet in table.chance.shuffle(name, sheets)]


def draw_sheets(table: IntriguesTable, box: Box) -> None:
    """INT 5.10: the top sheet of each stack comes to the box, while there are any."""
    if not all(table.stacks.values()):
        table.tell("No sheets are left for box {box}.", box=box.number)
        return
    for field, stack in zip(box.fields, table.stacks.values(), strict=True):
        card = stack.pop(0)
        card.show_all()
        field.lay(table.edition.sheets[card.front])
    table.tell(
        "In box {box} lie {richelieu} and {opposing}.",
        box=box.number,
        richelieu=box.richelieu.lying.name,
        opposing=box.opposing.lying.name,
    )
