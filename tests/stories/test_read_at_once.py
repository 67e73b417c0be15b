"""Two workers that read the same mails at the same instant: each mail counts once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlmodel import select

from db.models import InboundMail
from server.inbound import take_in
from tests.server.builders import a_match, a_service, letters, mails, text_of, worker_of
from tests.stories.mail_programs import reply
from tests.stories.processes import processes


def test_two_workers_at_the_same_instant_play_and_answer_each_reply_once(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path)
    with processes(2, database_url, tmp_path) as workers:
        for words, moves, first in (
            ("take 1L; end", 2, "Played (move 2): "),
            ("take everything", 0, "Nothing was played."),
        ):
            ids = [a_match(service.matches, now) for _ in range(5)]
            worker_of(service).tick(now)
            for mail in mails(service, "Ann", "turn"):
                if mail["X-Estafette-Game"] in ids:
                    take_in(service, reply(mail, words).raw, now=now)
            for worker in workers:
                worker.send("tick", now)
            assert [worker.result() for worker in workers] == ["ticked", "ticked"]
            for match_id in ids:
                assert service.matches.view(match_id, None).version == moves
                assert len(letters(service, match_id=match_id, kind="receipt")) == 1
                [receipt] = [mail for mail in mails(service, "Ann", "receipt") if mail["X-Estafette-Game"] == match_id]
                assert text_of(receipt).startswith(first)
    with service.store.reading() as session:
        states = [mail.state for mail in session.exec(select(InboundMail)).all()]
    assert states == ["done"] * 10
    service.close()
