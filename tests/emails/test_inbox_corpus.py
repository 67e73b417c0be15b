"""How many mails of programs and servers the world over are read as they are meant: exact words, verdicts, machines."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from emails.inbox import read_mail
from tests.emails.corpus_machines import GONE, MACHINES, OUR_FAULT, PASSES, PEOPLE
from tests.emails.corpus_replies import REPLIES


@dataclass(frozen=True)
class Measure:
    """What was found among what should be: by precision and recall."""

    what: str
    found: frozenset[str]
    wanted: frozenset[str]

    @property
    def precision(self) -> float:
        return len(self.found & self.wanted) / len(self.found)

    @property
    def recall(self) -> float:
        return len(self.found & self.wanted) / len(self.wanted)

    def __str__(self) -> str:
        wrong = sorted(self.found ^ self.wanted)
        told = f"{self.what:<32} {len(self.wanted):>4}  precision {self.precision:.2f}  recall {self.recall:.2f}"
        return f"{told}  {', '.join(wrong)}".rstrip()


def measured(what: str, found: object, *, among: dict[str, bytes], wanted: dict[str, bytes]) -> Measure:
    assert callable(found)
    return Measure(what, frozenset(name for name, raw in among.items() if found(read_mail(raw))), frozenset(wanted))


REPORTS = {
    **{f"gone: {name}": raw for name, raw in GONE.items()},
    **{f"passes: {name}": raw for name, raw in PASSES.items()},
    **{f"ours: {name}": raw for name, raw in OUR_FAULT.items()},
}
MAILS = {
    **{f"machine: {name}": raw for name, raw in MACHINES.items()},
    **{f"person: {name}": raw for name, raw in PEOPLE.items()},
}


def _named(kind: str, among: dict[str, bytes]) -> dict[str, bytes]:
    return {name: raw for name, raw in among.items() if name.startswith(f"{kind}: ")}


def measures() -> list[Measure]:
    return [
        measured("reports that are reports", lambda mail: mail.kind == "bounce", among=REPORTS | MAILS, wanted=REPORTS),
        measured(
            "addresses that are gone",
            lambda mail: mail.permanent is True,
            among=REPORTS,
            wanted=_named("gone", REPORTS),
        ),
        measured("faults of ours", lambda mail: mail.our_fault, among=REPORTS, wanted=_named("ours", REPORTS)),
        measured("machines", lambda mail: mail.kind == "machine", among=MAILS, wanted=_named("machine", MAILS)),
        measured("people", lambda mail: mail.kind in ("person", "move"), among=MAILS, wanted=_named("person", MAILS)),
    ]


def test_of_the_replies_of_all_programs_nearly_all_are_read_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [name for name, (raw, words) in REPLIES.items() if read_mail(raw).text != words]
    with capsys.disabled():
        print(f"\nreplies read exactly: {len(REPLIES) - len(wrong)} of {len(REPLIES)}  {', '.join(wrong)}")
    assert len(REPLIES) >= 64
    assert len(wrong) <= len(REPLIES) * 4 / 64


def test_no_reply_is_read_as_a_machines_or_a_report() -> None:
    kinds = {name: read_mail(raw).kind for name, (raw, words) in REPLIES.items() if words}
    assert set(kinds.values()) <= {"move", "person"}, kinds


def test_no_move_comes_from_what_the_writer_did_not_write() -> None:
    """Each quote has a line that would be a move: it is never among those that are read."""
    for name, (raw, words) in REPLIES.items():
        for move in read_mail(raw).moves:
            assert move in words, name


def test_reports_machines_and_people_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    found = measures()
    with capsys.disabled():
        print("", *found, sep="\n")
    gone = next(each for each in found if each.what == "addresses that are gone")
    assert gone.precision >= 0.92, "nobody's mail is stopped for nothing"
    assert gone.recall >= 0.85
    people = next(each for each in found if each.what == "people")
    assert people.recall == 1, "no human mail is lost"
    machines = next(each for each in found if each.what == "machines")
    assert machines.recall >= 0.96
