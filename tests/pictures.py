"""Pictures of the pages and mails in light and dark, small and wide: python -m tests.pictures [FOLDER] [--all]."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from db.engine import Store
from db.migrate import upgrade
from emails.mailbox import inbox
from server.rules import GAMES
from server.service import Service
from tests.server.builders import address_of, answers, link_of, play_to_the_end, worker_of
from tests.stories.chromium import DESK, PHONE, Tab, a_browser
from tests.stories.serving import serving
from tests.stories.tour import Stop, half_way, tour

LOOKS: Final = [(size, dark) for size in (PHONE, DESK) for dark in (False, True)]
_PEOPLE: Final = ("Ann", "Ben", "Cat", "Dan", "Eve")
_MATCHES: Final = {"regions": (4, 48), "intrigues": (4, 90), "crusade": (5, 75)}
"""For each game: how many play, and after how many moves we look."""


def main() -> None:
    reading = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    reading.add_argument("folder", nargs="?", type=Path, default=Path("pictures"))
    reading.add_argument("--all", action="store_true", help="every page that there is, not only those of the games")
    told = reading.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, a_browser(Path(scratch) / "browser") as tab:
        url = f"sqlite:///{scratch}/estafette.db"
        _migrate(url)
        with serving(url, Path(scratch)) as service:
            names = [_take(tab, stop, told.folder) for stop in _of_the_games(service)]
            names += _of_the_tour(tab, service, told.folder) if told.all else []
    (told.folder / "index.html").write_text(_contact_sheet(names), encoding="utf-8")
    print(f"{len(names)} pages in {len(LOOKS)} looks: {told.folder / 'index.html'}")


def _migrate(url: str) -> None:
    store = Store(url)
    upgrade(store)
    store.close()


def _of_the_games(service: Service) -> Iterator[Stop]:
    """Of each game the mail, the choices, the question before a move, and the end; each when its match is there."""
    url = service.links.url
    for game in GAMES:
        seats, moves = _MATCHES.get(game, (GAMES[game].least_seats, 40))
        match_id = half_way(service, game, _PEOPLE[:seats], moves)
        address = service.links.move_url(link_of(service.matches, match_id))
        yield _newest_mail(service, f"{game} mail turn")
        yield Stop(f"{game} move", address)
        yield Stop(f"{game} confirm", f"{address}?move={answers(service.matches, match_id)[-1]}")
        play_to_the_end(service.matches, match_id, service.now())
        yield _newest_mail(service, f"{game} mail finished")
        yield Stop(f"{game} end", url(f"g/{match_id}"))


def _newest_mail(service: Service, name: str) -> Stop:
    worker_of(service).tick()
    newest = inbox(service.store, address_of("Ann"), limit=1)[0]
    return Stop(name, service.links.url(f"mailbox/{newest.id}/html"))


def _of_the_tour(tab: Tab, service: Service, folder: Path) -> list[str]:
    walked, who, names = tour(service), "", []
    for stop in walked.stops:
        if stop.who != who:
            who = stop.who
            tab.session(service.links.url(""), walked.sessions[who])
        names.append(_take(tab, stop, folder))
    return names


def _take(tab: Tab, stop: Stop, folder: Path) -> str:
    """The page in each look; its name in the folder."""
    name = re.sub(r"[^a-z0-9]+", "-", stop.name.casefold()).strip("-")[:60]
    tab.held_as(PHONE)
    if stop.fields:
        tab.send(stop.address, stop.fields)
    else:
        tab.open(stop.address)
    for size, dark in LOOKS:
        tab.held_as(size, dark=dark)
        (folder / _file(name, size, dark)).write_bytes(tab.picture())
    return name


def _file(name: str, size: tuple[int, int], dark: bool) -> str:
    return f"{name}-{size[0]}-{'dark' if dark else 'light'}.png"


def _contact_sheet(names: list[str]) -> str:
    rows = ""
    for name in names:
        shown = "".join(f'<img src="{_file(name, size, dark)}" width="{size[0]}" alt="">' for size, dark in LOOKS)
        rows += f"<h2>{name}</h2><p>{shown}</p>"
    style = "p { display: flex; align-items: flex-start; gap: 1rem }"
    return f"<!doctype html><meta charset=utf-8><title>Pictures</title><style>{style}</style>{rows}"


if __name__ == "__main__":
    main()
