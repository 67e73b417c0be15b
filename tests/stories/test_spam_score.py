"""What SpamAssassin thinks of the letters, with its local rules: it has no reason to hold one back."""

from __future__ import annotations

import re
import shutil
import subprocess
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from pathlib import Path

import pytest

from db import queries
from server import accounts, addresses, signing_in, upkeep
from server.inbound import take_in
from server.service import Service
from tests.emails.servers import Postbox, a_mail_server
from tests.server.builders import HOUR, PEOPLE, a_match, a_service, address_of, play_to_the_end, worker_of
from tests.stories.mail_programs import reply

MOST = 0.5

pytestmark = [
    pytest.mark.postfix,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("spamassassin") is None, reason="Debian's spamassassin is not installed"),
]


@pytest.fixture(scope="module")
def letters_of_all_kinds(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """One mail of each kind and game as it leaves."""
    folder = tmp_path_factory.mktemp("scored")
    shutil.copyfile(migrated_file, folder / "estafette.db")
    with a_mail_server(postbox := Postbox()) as port:
        service = a_service(
            f"sqlite:///{folder}/estafette.db",
            folder,
            ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}",
            ESTAFETTE_PUBLIC_URL="https://play.example.org",
            ESTAFETTE_MAIL_FROM="Estafette <games@example.org>",
            ESTAFETTE_INBOUND="lmtp://127.0.0.1:8024",
        )
        _let_everything_happen(service, postbox)
        service.close()
    found = {}
    for _, _, raw in postbox.got:
        head = message_from_bytes(raw.partition(b"\r\n\r\n")[0])
        game = re.search(rb"Richelieu =?\(2003\)|Richelieu =?\(2012\)|Richard I", raw)
        found[f"{head['X-Estafette-Kind']} {game[0].decode() if game else ''}".strip()] = raw
    return found


def _let_everything_happen(service: Service, postbox: Postbox) -> None:
    now, tick = service.now(), worker_of(service).tick
    for game, people in (("regions", PEOPLE[:2]), ("intrigues", PEOPLE[:3]), ("crusade", PEOPLE[:3])):
        match_id = a_match(service.matches, now, game=game, people=people)
    a_match(service.matches, now, start=False)
    signing_in.ask(service, address_of("Ann"))
    tick(service.now())
    turn = next(message_from_bytes(raw) for _, _, raw in postbox.got if b"\r\nX-Estafette-Kind: turn" in raw)
    for words in ("hello there", "take 1L"):
        take_in(service, reply(_modern(turn), words).raw, now=now)
    tick(now + 40 * HOUR)
    upkeep.pause(service.matches, match_id, "Holidays", now=now + 40 * HOUR, who="host")
    play_to_the_end(service.matches, a_match(service.matches, now, options={"short": True}), now + 40 * HOUR)
    with service.store.reading() as session:
        cat = queries.players.by_address(session, address_of("Cat"))
    assert cat is not None
    accounts.set_rhythm(service, cat.id, rhythm="together", minutes=1, hour=0)
    for _ in range(2):
        a_match(service.matches, now + 40 * HOUR, people=("Cat", "Dan"))
    addresses.ask(service, cat.id, "cat@new.example.org")
    tick(now + 41 * HOUR)


def _modern(mail: Message) -> EmailMessage:
    return message_from_bytes(mail.as_bytes(), policy=policy.default)


KINDS = ("address", "finished", "invitation", "login", "notice", "receipt", "reminder", "started", "turn", "waiting")


def test_spamassassin_has_nothing_against_any_letter(letters_of_all_kinds: dict[str, bytes]) -> None:
    assert {kind.split()[0] for kind in letters_of_all_kinds} == set(KINDS)
    scores = {kind: _score(raw) for kind, raw in letters_of_all_kinds.items()}
    assert {kind: score for kind, score in scores.items() if score > MOST} == {}


def test_spamassassin_is_awake() -> None:
    assert _score(b"Subject: x\r\n\r\nXJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n") > 100


def _score(raw: bytes) -> float:
    done = subprocess.run(["spamassassin", "-L", "-t"], input=raw, capture_output=True, check=True)
    found = re.search(rb"^X-Spam-Status: \w+, score=(-?[0-9.]+)", done.stdout, re.MULTILINE)
    assert found is not None
    return float(found[1])
