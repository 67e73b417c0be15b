"""Links: what was put in comes out, whatever the mail program did; and nothing else does."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.models import new_id
from server.links import (
    BadLink,
    BounceAddress,
    JoinLink,
    Links,
    MoveLink,
    OfferLink,
    ReplyAddress,
    TogetherLink,
    UnsubscribeLink,
)

OLD, NEW, FOREIGN = "o" * 32, "n" * 32, "f" * 32
URL = "https://play.estafette.example.org/games"
NOW = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
LINKS = Links([NEW, OLD], URL)
MOVE = MoveLink("k7f3qx", 2, 14, 1)

ids = st.text("23456789bcdfghjkmnpqrstvwxyz", min_size=1, max_size=12)
numbers = st.integers(0, 10**6)
moves = st.builds(MoveLink, ids, numbers, numbers, numbers)


def token(url: str) -> str:
    return url.rsplit("/", 1)[1]


A_TOKEN = token(LINKS.move_url(MOVE))


@given(moves)
def test_a_move_link_says_what_was_put_in(link: MoveLink) -> None:
    assert LINKS.read_move(token(LINKS.move_url(link))) == link


@given(st.builds(JoinLink, ids, numbers, numbers) | st.builds(OfferLink, ids, numbers, numbers, ids, numbers))
def test_an_invitation_says_what_was_put_in(link: JoinLink | OfferLink) -> None:
    assert LINKS.read_join(token(LINKS.join_url(link))) == link


@given(ids, numbers, st.datetimes(datetime(2026, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_sign_in_link_says_what_was_put_in_until_its_time(player: str, logins: int, until: datetime) -> None:
    made = token(LINKS.login_url(player, logins, until))
    link = LINKS.read_login(made, until - timedelta(minutes=1))
    assert (link.player, link.logins) == (player, logins)
    with pytest.raises(BadLink, match="for a short time only"):
        LINKS.read_login(made, until)


@given(ids, ids | st.sampled_from(["all", "reminders"]))
def test_an_unsubscribe_link_says_what_was_put_in(player: str, scope: str) -> None:
    link = UnsubscribeLink(player, scope)
    assert LINKS.read_unsubscribe(token(LINKS.unsubscribe_url(link))) == link
    assert LINKS.read_local_part(LINKS.local_part(link)) == link


@given(st.builds(ReplyAddress, ids, numbers, numbers, numbers) | st.builds(BounceAddress, ids))
def test_an_address_says_what_was_put_in_and_is_a_local_part(link: ReplyAddress | BounceAddress) -> None:
    local = LINKS.local_part(link)
    assert LINKS.read_local_part(local) == link
    assert re.fullmatch(r"[rb]-[a-z0-9-]*[a-z0-9]", local)
    assert len(local) <= 64
    assert LINKS.read_local_part(local.upper()) == link


@given(moves, moves)
def test_two_meanings_never_share_a_token(one: MoveLink, other: MoveLink) -> None:
    assert (LINKS.move_url(one) == LINKS.move_url(other)) == (one == other)


def test_fields_do_not_run_into_each_other() -> None:
    meanings = [MoveLink("bc", 1, 11, 1), MoveLink("bc", 11, 1, 1), MoveLink("bc1", 1, 1, 1), MoveLink("bc", 1, 1, 11)]
    assert len({LINKS.move_url(link) for link in meanings}) == len(meanings)


def test_a_scope_cannot_be_taken_for_a_match() -> None:
    assert not {"all", "reminders"} & {new_id(length) for length in (3, 9) for _ in range(200)}
    assert set("all") - set("23456789bcdfghjkmnpqrstvwxyz")
    assert set("reminders") - set("23456789bcdfghjkmnpqrstvwxyz")


def test_a_move_link_fits_on_its_line() -> None:
    assert len(URL) == 40
    assert len(LINKS.move_url(MoveLink("k7f3qx", 8, 1295, 9))) <= 76
    assert len(LINKS.join_url(JoinLink("k7f3qx", 8, 9))) <= 76


def test_a_usual_host_has_room_for_every_link() -> None:
    links = Links([NEW], "https://estafette.example.org")
    urls = [
        links.move_url(MoveLink("k7f3qx", 8, 46655, 35)),
        links.join_url(JoinLink("k7f3qx", 8, 35)),
        links.join_url(OfferLink("k7f3qx", 8, 35, "b7f3qx", 1)),
        links.login_url("k7f3qx", 35, NOW),
        links.unsubscribe_url(UnsubscribeLink("k7f3qx", "b7f3qx")),
    ]
    assert max(map(len, urls)) <= 76


def test_a_token_is_small_letters_digits_and_hyphens_and_ends_in_a_letter_or_digit() -> None:
    assert re.fullmatch(r"[a-z0-9-]*[a-z0-9]", A_TOKEN)


def test_the_signature_has_at_least_96_bits() -> None:
    signature = A_TOKEN.removeprefix("k7f3qx-2-e-1")
    assert re.fullmatch(r"[a-z2-7]+", signature)
    assert len(signature) * 5 >= 96


@pytest.mark.parametrize(
    "as_arrived",
    [
        "{}.", "{},", "{})", "{}>", "<{}>", "{};", '"{}"', " {}\n", "{}.)", "{}!", "{}=", "{}-", "{}\r\n>",
    ],
)  # fmt: skip
def test_what_mail_programs_put_around_a_link_is_forgiven(as_arrived: str) -> None:
    assert LINKS.read_move(as_arrived.format(A_TOKEN)) == MOVE


def test_case_does_not_matter() -> None:
    assert LINKS.read_move(A_TOKEN.upper()) == MOVE
    assert LINKS.read_move(A_TOKEN.title()) == MOVE


@pytest.mark.parametrize("position", range(len(A_TOKEN)))
def test_a_token_with_one_letter_missing_or_changed_is_none(position: int) -> None:
    missing = A_TOKEN[:position] + A_TOKEN[position + 1 :]
    other = "b" if A_TOKEN[position] != "b" else "c"
    changed = A_TOKEN[:position] + other + A_TOKEN[position + 1 :]
    for wrong in (missing, changed, A_TOKEN[:position], A_TOKEN + "b"):
        with pytest.raises(BadLink):
            LINKS.read_move(wrong)


@given(st.text(max_size=300) | st.text("abcdefghij234567-", max_size=60))
def test_nothing_else_is_read_and_nothing_breaks(anything: str) -> None:
    for read in (LINKS.read_move, LINKS.read_join, LINKS.read_unsubscribe, LINKS.read_local_part):
        with pytest.raises(BadLink):
            read(anything)
    with pytest.raises(BadLink):
        LINKS.read_login(anything, NOW)


def test_a_refusal_does_not_say_how_close_it_was() -> None:
    foreign = token(Links([FOREIGN], URL).move_url(MOVE))
    sentences = set()
    for wrong in ("", "x", A_TOKEN[:-1], A_TOKEN[:-1] + "b", A_TOKEN + "b", foreign, token(_join()), "é", "b" * 999):
        with pytest.raises(BadLink) as caught:
            LINKS.read_move(wrong)
        sentences.add(str(caught.value))
    assert len(sentences) == 1


def _join() -> str:
    return LINKS.join_url(JoinLink("k7f3qx", 2, 1))


def test_case_B37_purposes_do_not_mix() -> None:
    reply = ReplyAddress("k7f3qx", 2, 14, 1)
    made = {
        "move": A_TOKEN,
        "join": token(_join()),
        "together": token(LINKS.together_url(TogetherLink("k7f3qx", 2, 1))),
        "login": token(LINKS.login_url("k7f3qx", 2, NOW + timedelta(hours=1))),
        "unsubscribe": token(LINKS.unsubscribe_url(UnsubscribeLink("k7f3qx", "all"))),
        "reply": LINKS.local_part(reply).removeprefix("r-"),
        "bounce": LINKS.local_part(BounceAddress("k7f3qx")).removeprefix("b-"),
    }
    reads = {
        "move": LINKS.read_move,
        "join": LINKS.read_join,
        "together": LINKS.read_together,
        "login": lambda text: LINKS.read_login(text, NOW),
        "unsubscribe": LINKS.read_unsubscribe,
        "reply": lambda text: LINKS.read_local_part(f"r-{text}"),
        "bounce": lambda text: LINKS.read_local_part(f"b-{text}"),
    }
    for made_for, text in made.items():
        for read_as, read in reads.items():
            if made_for == read_as:
                read(text)
            else:
                with pytest.raises(BadLink):
                    read(text)


def test_case_B37_links_work_while_their_key_is_kept_and_not_after() -> None:
    before = Links([OLD], URL).move_url(MOVE)
    assert LINKS.read_move(token(before)) == MOVE
    with pytest.raises(BadLink):
        Links([NEW], URL).read_move(token(before))


def test_case_B37_the_newest_key_signs() -> None:
    assert LINKS.move_url(MOVE) == Links([NEW], URL).move_url(MOVE)
    assert LINKS.move_url(MOVE) != Links([OLD], URL).move_url(MOVE)


def test_links_of_another_instance_are_none() -> None:
    with pytest.raises(BadLink):
        Links([FOREIGN], URL).read_move(A_TOKEN)


def test_all_links_of_all_mails_about_one_decision_are_the_same() -> None:
    assert LINKS.move_url(MOVE) == LINKS.move_url(MoveLink("k7f3qx", 2, 14, 1))


def test_every_address_begins_with_the_configured_one() -> None:
    links = Links([NEW], "https://example.org/games/")
    assert links.url("g/k7f3qx") == "https://example.org/games/g/k7f3qx"
    assert links.move_url(MOVE) == f"https://example.org/games/m/{A_TOKEN}"


@pytest.mark.parametrize("link", [MoveLink("k7-f3", 1, 1, 1), MoveLink("", 1, 1, 1), MoveLink("K7", 1, 1, 1)])
def test_what_cannot_stand_in_a_link_is_refused_when_it_is_made(link: MoveLink) -> None:
    with pytest.raises(ValueError, match="cannot stand in a link"):
        LINKS.move_url(link)


def test_a_negative_number_cannot_stand_in_a_link() -> None:
    with pytest.raises(ValueError, match="-1 cannot stand in a link"):
        LINKS.move_url(MoveLink("k7f3qx", -1, 1, 1))


def test_links_do_not_show_their_keys() -> None:
    assert NEW not in repr(LINKS)
