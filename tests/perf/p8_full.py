"""P8: every page and tick with 10,000 players, 20,000 running matches and 2 million moves, beside 100 matches.

A dozen real matches are played; the database multiplies them, so that each copy replays. A player has as many matches
in the small instance as in the large one. On SQLite, or on PostgreSQL where ESTAFETTE_TEST_POSTGRES names one;
`--matches 1000` fills less.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, func, insert, literal_column, select, text
from sqlalchemy import Table as NewTable
from sqlalchemy.sql import ColumnElement

from db import queries, table
from db.copying import copy_rows
from db.engine import Store
from db.migrate import upgrade
from db.models import Event, InboundMail, Player, Row
from emails.transport import Delivery, Phase, Status
from server import accounts, beginning, create_app
from server.beginning import SeatWish, Wish
from server.clock import Worker
from server.config import Settings
from server.service import Service, open_service
from tests.perf.figures import Figure
from tests.perf.p9_processes import a_database
from tests.server.browsing import Browser, sign_in
from tests.server.builders import address_of

MATCHES = 20_000
FEW = 100
MATCHES_A_PLAYER = 2
ROUNDS = 15
KEY = "k" * 40
PLAYED = (("regions", 2, 66), ("regions", 4, 70), ("intrigues", 2, 112), ("intrigues", 4, 150), ("crusade", 5, 82),
          ("crusade", 8, 176))  # fmt: skip
"""Game, seats, and after how many moves it goes on: about 109 on average."""
EACH = 2


class Taken:
    """A mail server that takes everything."""

    @contextmanager
    def connection(self) -> Iterator[Taken]:
        yield self

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        return Delivery(Status.SENT, Phase.DOT, 250, f"2.0.0 Ok: queued as {random.getrandbits(44):011X}")


def settings(url: str | None, folder: Path) -> Settings:
    told = {"ESTAFETTE_DATA": str(folder), "ESTAFETTE_SECRET_KEYS": KEY, "ESTAFETTE_ADMINS": address_of("p0")}
    return Settings.load(told | ({"ESTAFETTE_DATABASE_URL": url} if url else {}))


# What is multiplied


def played(service: Service) -> list[str]:
    """Running matches of every game, as they come about: with their letters sent."""
    service = replace(service, transport=Taken())
    return [_play(service, Worker(service), *each, number) for each in PLAYED for number in range(EACH)]


def _play(service: Service, worker: Worker, game: str, seats: int, moves: int, number: int) -> str:
    people = [SeatWish(f"T{seat}", f"t{seat}@bench.example") for seat in range(seats)]
    luck, now = random.Random(f"{game}/{seats}/{number}"), datetime.now(UTC) - timedelta(hours=4)
    while True:
        begun = now
        match_id = beginning.create(service.matches, Wish(game, people, pace="week"), host=None, now=begun, start=True)
        for _ in range(moves):
            waiting = service.matches.view(match_id, None).waiting_for
            if not waiting:
                break
            seat = luck.choice(waiting).number
            view, link = service.matches.view(match_id, seat), service.matches.link_of(match_id, seat)
            assert view.decision
            assert link
            begun += timedelta(minutes=1)
            service.matches.play(link, luck.choice(view.decision.choices).text, now=begun)
            worker.tick(begun)
        if service.matches.status(match_id).status == "running":
            return match_id


COPY = NewTable("bench_copy", MetaData(), Column("n", Integer, primary_key=True), Column("source", String),
                Column("id", String))  # fmt: skip


def multiplied(store: Store, sources: list[str], matches: int, now: datetime) -> None:
    """So many copies of these matches, their moves and their letters, and the people who play them."""
    players = max(matches // MATCHES_A_PLAYER, 10)
    with store.writing() as session:
        connection = session.connection()
        connection.execute(insert(Player), [_player(number, now) for number in range(players)])
        COPY.create(connection)
        luck = random.Random(matches)
        letters = "23456789bcdfghjkmnpqrstvwxyz"
        ids = {"".join(luck.choices(letters, k=6)) for _ in range(matches * 2)} - set(sources)
        copies = [{"n": n, "source": sources[n % len(sources)], "id": id_}
                  for n, id_ in enumerate(sorted(ids)[:matches])]  # fmt: skip
        connection.execute(insert(COPY), copies)
        _copy(connection, table.MATCH, table.MATCH.c.id, {"id": COPY.c.id})
        for of, of_match, number in (
            (table.SEAT, table.SEAT.c.match_id, table.SEAT.c.number),
            (table.MOVE, table.MOVE.c.match_id, table.MOVE.c.seat),
            (table.LETTER, table.LETTER.c.match_id, table.LETTER.c.seat),
        ):
            _copy(connection, of, of_match, _of_a_copy(of, number, players))
        for model, row in ((Event, _event), (InboundMail, _inbound)):
            connection.execute(insert(model), [row(each, now) for each in copies])
        _drop_sources(connection, sources)
        COPY.drop(connection)
    if not store.is_sqlite:  # which PostgreSQL does by itself, and nobody does for SQLite
        with store.rebuilding() as connection:
            connection.execute(text("ANALYZE"))
    store.tidy()


def _of_a_copy(of: Table, number: ColumnElement[Any], players: int) -> dict[str, ColumnElement[Any]]:
    who: ColumnElement[Any] = literal_column("'p'") + ((COPY.c.n * 8 + number) % players).cast(String)
    changed: dict[str, ColumnElement[Any]] = {"match_id": COPY.c.id}
    if of is table.LETTER:
        new = func.substr(of.c.id, 1, 7) + COPY.c.n.cast(String)
        changed |= {
            "id": new,
            "occasion": func.replace(of.c.occasion, COPY.c.source, COPY.c.id),
            "message_id": func.replace(of.c.message_id, of.c.id, new),
        }
    return changed | {"player_id": who}


def _copy(connection: Connection, of: Table, of_match: ColumnElement[Any], changed: dict[str, Any]) -> None:
    """One statement a table: the rows of each source once for each of its copies."""
    columns = [changed.get(column.name, column) for column in of.columns]
    rows = select(*columns).select_from(COPY).join(of, of_match == COPY.c.source).order_by(COPY.c.id)
    connection.execute(insert(of).from_select([column.name for column in of.columns], rows))


def _drop_sources(connection: Connection, sources: list[str]) -> None:
    for of in (table.LETTER, table.MOVE, table.SEAT):
        connection.execute(of.delete().where(of.c.match_id.in_(sources)))
    connection.execute(table.MATCH.delete().where(table.MATCH.c.id.in_(sources)))


def _player(number: int, now: datetime) -> dict[str, Any]:
    address = address_of(f"p{number}")
    player = Player(id=f"p{number}", name=f"P{number}", email=address, email_key=address, created_at=now)
    return player.model_dump()


def _event(copy: dict[str, Any], now: datetime) -> dict[str, Any]:
    return {"match_id": copy["id"], "at": now, "who": "operator", "what": "gave seat 1 more time", "why": "asked"}


def _inbound(copy: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A mail that was read long ago; what it said is forgotten."""
    then = now - timedelta(days=60)
    return {"hash": f"{copy['n']:064x}", "raw": b"", "received_at": then, "state": "done", "attempts": 1}


# What is measured


@dataclass(frozen=True)
class Somebody:
    """A player who is asked in a match, and in how many they play and are asked."""

    who: str
    match: str
    seat: int
    seed: str
    held: int
    waiting: int

    def differs(self, other: Somebody) -> int:
        return abs(self.held - other.held) + abs(self.waiting - other.waiting)


def most_alike(small: Instance, large: Instance) -> tuple[Somebody, Somebody]:
    """A player of each, in copies of the same match and with about as many others."""
    few = list(small.asked())
    pairs = [(one, other) for other in large.asked(most=400) for one in few
             if (one.seed, one.seat) == (other.seed, other.seat)]  # fmt: skip
    return min(pairs, key=lambda pair: pair[0].differs(pair[1]))


class Instance:
    """One of the two, with a player's and an operator's device."""

    def __init__(
        self, url: str | None, folder: Path, matches: int, source: Store, sources: list[str], like: Any = None
    ) -> None:
        self.service = open_service(settings(url, folder), demo=True)
        upgrade(self.service.store)
        copy_rows(source, self.service.store)
        begun = time.perf_counter()
        multiplied(self.service.store, sources, matches, datetime.now(UTC))
        self.filled_in = time.perf_counter() - begun
        self.worker = Worker(self.service)
        self.worker.tick()
        site = create_app(self.service)
        self.anybody, self.player, self.operator = Browser(site), Browser(site), Browser(site)
        sign_in(self.service, self.operator, "p0")
        with self.service.store.reading() as session:
            self.moves = queries.oversight.moves_made(session)

    def asked(self, most: int = 10**6) -> Iterator[Somebody]:
        """Players with a decision to make."""
        rows = select(table.SEAT.c.player_id, table.SEAT.c.match_id, table.SEAT.c.number, table.MATCH.c.seed)
        rows = rows.join(table.MATCH, table.MATCH.c.id == table.SEAT.c.match_id)
        rows = rows.where(table.SEAT.c.asked.is_not(None), table.SEAT.c.player_id.is_not(None)).limit(most)
        with self.service.store.reading() as session:
            for who, match_id, number, seed in session.execute(rows):
                held, waiting = len(queries.matches.of_player(session, who)), len(table.next_waiting(session, who))
                yield Somebody(who, match_id, number, seed, held, waiting)

    def look_as(self, somebody: Somebody) -> None:
        self.who, self.match, self.seat = somebody.who, somebody.match, somebody.seat
        sign_in(self.service, self.player, self.who)
        with self.service.store.writing() as session:
            self.key = accounts.new_api_key(session, self.who, self.service.now())

    def move_path(self, match_id: str | None = None, seat: int | None = None) -> str:
        link = self.service.matches.link_of(match_id or self.match, seat or self.seat)
        assert link
        return urllib.parse.urlsplit(self.service.links.move_url(link)).path

    def cold(self) -> None:
        self.service.matches.plays.forget(self.match)
        self.anybody.get(f"/g/{self.match}")

    def move(self) -> None:
        """Somebody who is asked plays a confirmed move, and the mail about it leaves."""
        while not (view := self.service.matches.view(self.match, None)).waiting_for:  # it is over by now
            self.match = self.another_like(self.match)
        seat = view.waiting_for[0].number
        path = self.move_path(seat=seat)
        page = self.anybody.get(path)
        found = re.search(r'name="once" value="([^"]+)"', page.source)
        own = self.service.matches.view(self.match, seat).decision
        assert found
        assert own
        answer = self.anybody.client.post(path, data={"move": own.choices[0].text, "confirm": "1", "once": found[1]})
        assert answer.status_code == 303, answer.status_code
        self.worker.tick()

    def another_like(self, match_id: str) -> str:
        """A copy of the same match that is still being played."""
        copies = select(table.MATCH.c.id).where(
            table.MATCH.c.seed == self.service.matches.status(match_id).seed, table.MATCH.c.status == "running"
        )
        with self.service.store.reading() as session:
            return str(session.execute(copies.limit(1)).scalar_one())

    def tidy(self) -> None:
        self.worker.steps["tidy"](self.service.now())


def looks(browser: str, path: str) -> Callable[[Instance], None]:
    def look(instance: Instance) -> None:
        page = getattr(instance, browser).get(path.format(match=instance.match, who=instance.who))
        assert page.status == 200, f"{path}: {page.status}"

    return look


def _api(path: str) -> Callable[[Instance], None]:
    def ask(instance: Instance) -> None:
        answer = instance.anybody.client.get(
            path.format(match=instance.match, seat=instance.seat), headers={"Authorization": f"Bearer {instance.key}"}
        )
        assert answer.status_code == 200, answer.status_code

    return ask


MEASURED: dict[str, Callable[[Instance], None]] = {
    "start": looks("anybody", "/"),
    "start, signed in": looks("player", "/"),
    "own matches": looks("player", "/games"),
    "account": looks("player", "/me"),
    "a player": looks("player", "/p/{who}"),
    "new match": looks("player", "/games/new?game=regions"),
    "a match": looks("anybody", "/g/{match}"),
    "a match, own": looks("player", "/g/{match}"),
    "a match, step 40": looks("anybody", "/g/{match}?at=40"),
    "a match, cold": lambda instance: instance.cold(),
    "move page": lambda instance: _ok(instance.anybody.get(instance.move_path()).status),
    "API position": _api("/api/v1/games/{match}"),
    "API moves": _api("/api/v1/games/{match}/moves?seat={seat}"),
    "console": looks("operator", "/admin"),
    "console, matches": looks("operator", "/admin/matches"),
    "console, a match": looks("operator", "/admin/m/{match}"),
    "console, mails": looks("operator", "/admin/mails"),
    "console, mails sent": looks("operator", "/admin/mails?state=sent"),
    "console, mails failed": looks("operator", "/admin/mails?state=failed"),
    "console, people": looks("operator", "/admin/people"),
    "console, log": looks("operator", "/admin/log"),
    "mailbox": looks("anybody", "/mailbox"),
    "readyz": looks("anybody", "/readyz"),
    "metrics": looks("anybody", "/metrics"),
    "tick, nothing due": lambda instance: instance.worker.tick(),
    "move, and its mail": lambda instance: instance.move(),
    "tidying": lambda instance: instance.tidy(),
}


def _ok(status: int) -> None:
    assert status == 200, status


def timed(instance: Instance, deed: Callable[[Instance], None]) -> float:
    """Milliseconds: of the processor where it does all the work, of the clock where another process does."""
    begun = time.process_time() if instance.service.store.is_sqlite else time.perf_counter()
    deed(instance)
    ended = time.process_time() if instance.service.store.is_sqlite else time.perf_counter()
    return (ended - begun) * 1000


def octets(store: Store) -> tuple[int, int]:
    """Of the moves with their indexes, and of everything."""
    with store.reading() as session:
        connection = session.connection()
        if store.is_sqlite:
            of = "SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN"
            names = "(SELECT name FROM sqlite_master WHERE tbl_name = 'move')"
            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return (connection.execute(text(f"{of} {names}")).scalar_one(),
                    connection.execute(text(pages)).scalar_one())  # fmt: skip
        whole = sum(connection.execute(select(func.pg_total_relation_size(each.name))).scalar_one()
                    for each in Row.metadata.sorted_tables)  # fmt: skip
        return connection.execute(select(func.pg_total_relation_size("move"))).scalar_one(), whole


@contextmanager
def databases() -> Iterator[tuple[str | None, str | None]]:
    """SQLite in the data folders, or two schemas of PostgreSQL."""
    server = os.environ.get("ESTAFETTE_TEST_POSTGRES")
    if not server:
        yield None, None
        return
    with a_database(server) as one, a_database(server) as other:
        yield one, other


def measured() -> list[Figure]:
    return on(parsed([]))


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.perf.p8_full", description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--played", type=Path, help="a folder that keeps the matches that are multiplied")
    return parser.parse_args(arguments)


def on(chosen: argparse.Namespace) -> list[Figure]:
    folder = tempfile.TemporaryDirectory
    with folder() as once, folder() as few, folder() as many, databases() as urls:
        source = open_service(settings(None, chosen.played or Path(once)))
        upgrade(source.store)
        with source.store.reading() as session:
            sources = sorted(match.id for match in queries.matches.with_status(session, "running"))
        sources = sources or played(source)
        small = Instance(urls[0], Path(few), FEW, source.store, sources)
        large = Instance(urls[1], Path(many), chosen.matches, source.store, sources)
        source.close()
        pair = most_alike(small, large)
        for instance, somebody in zip((small, large), pair, strict=True):
            instance.look_as(somebody)
        of_moves, of_all = octets(large.service.store)
        kind = "SQLite" if large.service.store.is_sqlite else "PostgreSQL"
        print(f"P8  {kind}: {chosen.matches:,} matches, {large.moves:,} moves beside {FEW} matches, "
              f"{chosen.rounds} rounds; filled in {large.filled_in:.0f} s")  # fmt: skip
        print(f"players of {pair[0].held} and {pair[1].held} matches, asked in {pair[0].waiting} and {pair[1].waiting}")
        print(f"{'':24}{'few':>9}{'many':>9}{'times':>8}   milliseconds")
        reached, slowest = True, (0.0, "")
        for name, deed in MEASURED.items():
            for instance in (small, large):
                instance.worker.steps["mark"](instance.service.now())
                deed(instance)
            seen = [(timed(small, deed), timed(large, deed)) for _ in range(chosen.rounds)]
            one, other = median(few for few, _ in seen), median(many for _, many in seen)
            worse = other > 1.5 * one
            reached, slowest = reached and not worse, max(slowest, (other / one, name))
            print(f"{name:24}{one:9.2f}{other:9.2f}{other / one:8.2f}{'   slower' if worse else ''}", flush=True)
        weight = of_moves / large.moves
        print(f"goal: none slower than 1.5 times: {'reached' if reached else 'missed'}")
        print(f"a move takes {weight:.0f} bytes, with everything about it {of_all / large.moves:.0f}; "
              f"goal 600: {'reached' if weight < 600 else 'missed'}")  # fmt: skip
        small.service.close()
        large.service.close()
    of_few = f"beside {FEW} matches; the slowest: {slowest[1]}"
    return [
        Figure("P8", f"{kind}: pages and ticks of {chosen.matches:,} matches", slowest[0], "times", 1.5, False, of_few),
        Figure("P8", f"{kind}: a move in the database", weight, "bytes", 600, False, f"{large.moves:,} moves"),
    ]


if __name__ == "__main__":
    on(parsed())
