"""Letters: what stands in them, in which order, for whom, and in both parts the same."""

from __future__ import annotations

import dataclasses
import html
import re
from datetime import timedelta

import pytest
from babel.support import Translations

from emails import language, letters
from emails.letters import Content, Drawing, Entry, Links, OneTap, Reader
from server.rules import GAMES
from server.views import MatchView
from tests.emails.builders import ANN, DUE, LINKS, NOW, SITE, TOKEN, a_play, a_view, asked_view
from tests.emails.pages import page

WITHOUT_REPLIES = dataclasses.replace(LINKS, reply_to=None)
ENTRY = Entry(f"{SITE}/join/{TOKEN}", "482913", NOW + timedelta(days=30))


def each_letter(match: MatchView | None = None) -> dict[str, Content]:
    """Every kind of letter, about a match in which the reader is asked."""
    match = match or asked_view(20)
    over = a_play(10_000)
    return {
        "invitation": letters.invitation(ANN, match, LINKS, NOW, entry=ENTRY, host="Hugo"),
        "started": letters.started(ANN, match, LINKS, NOW),
        "turn": letters.turn(ANN, match, LINKS, NOW),
        "reminder": letters.reminder(ANN, match, LINKS, NOW),
        "nudge": letters.nudge(ANN, match, LINKS, NOW, by="Ben"),
        "waiting": letters.waiting(ANN, [(match, LINKS.move_url or "")] * 2, Links(), NOW),
        "receipt": letters.receipt(ANN, match, LINKS, NOW, played=["Take Bourgogne 2 from 1L."]),
        "finished": letters.finished(ANN, a_view(over, since=over.version - 3), LINKS, NOW),
        "notice": letters.notice(ANN, LINKS, NOW, first="Your time was up.", more=["The house moved."], match=match),
        "login": letters.login(ANN, Links(), NOW, entry=ENTRY),
    }


KINDS = tuple(each_letter())
OF_NO_MATCH = ("login", "waiting")
"""Letters about all matches, or about none."""


def first_line(content: Content) -> str:
    return content.text.partition("\n")[0]


# What is wanted, and by when


def test_the_first_line_says_what_is_wanted_and_by_when():
    assert first_line(letters.turn(ANN, asked_view(20), LINKS, NOW)) == (
        "Your turn (move 21): Take one card or two from the ends of the rows. By Thursday, 3 December 2026, 18:00 "
        "Central European Standard Time, in about 48 hours (2 days)."
    )


@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("Pacific/Kiritimati", "Friday, 4 December 2026, 07:00 Line Islands Time"),
        ("Pacific/Honolulu", "Thursday, 3 December 2026, 07:00 Hawaii Time"),
        ("Europe/Brussels", "Thursday, 3 December 2026, 18:00 Central European Standard Time"),
        (None, "Thursday, 3 December 2026, 17:00 UTC"),
        ("No/Such_Zone", "Thursday, 3 December 2026, 17:00 UTC"),
    ],
)
def test_case_B49_the_moment_is_in_the_readers_zone_and_names_it(zone, moment):
    turn = letters.turn(Reader("Ann", zone=zone), a_view(), LINKS, NOW)
    assert f"By {moment}, in about 48 hours" in first_line(turn)
    assert f"By {moment}, in about 48 hours" in page(turn.html).words


def test_case_B49_american_readers_have_the_month_first_and_twelve_hours():
    turn = letters.turn(Reader("Ann", "en-US", "America/New_York"), a_view(), LINKS, NOW)
    assert "Thursday, December 3, 2026, 12:00\u202fPM Eastern Standard Time" in first_line(turn)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(seconds=20), "in about 1 minute."),
        (timedelta(minutes=40), "in about 40 minutes."),
        (timedelta(minutes=59, seconds=45), "in about 1 hour."),
        (timedelta(hours=46, minutes=20), "in about 46 hours."),
        (timedelta(hours=60), "in about 60 hours (2.5 days)."),
        (timedelta(hours=120), "in about 120 hours (5 days)."),
    ],
)
def test_the_time_left_is_said_in_hours(left, said):
    assert first_line(letters.turn(ANN, a_view(), LINKS, DUE - left)).endswith(said)


def test_a_time_that_is_up_is_not_said_to_come():
    assert "The time was up on Thursday, 3 December 2026" in first_line(letters.turn(ANN, a_view(), LINKS, DUE))


def test_without_a_time_limit_the_letter_says_so():
    view = a_view()
    seats = tuple(dataclasses.replace(seat, due_at=None) for seat in view.seats)
    turn = letters.turn(ANN, dataclasses.replace(view, seats=seats), LINKS, NOW)
    assert first_line(turn).endswith("There is no time limit.")


def test_a_reminder_says_how_much_time_is_left_and_what_happens_then():
    reminder = letters.reminder(ANN, a_view(), LINKS, DUE - timedelta(hours=14))
    assert first_line(reminder).startswith("Reminder (move 1): ")
    assert first_line(reminder).endswith("in about 14 hours.")
    for part in (reminder.text, page(reminder.html).words):
        assert "When the time is up: The house moves for whoever is late." in part


def test_in_the_grace_period_a_reminder_promises_no_other():
    view = asked_view(20)
    assert view.me
    seats = tuple(
        dataclasses.replace(seat, overdue_at=DUE - timedelta(hours=6)) if seat is view.me else seat
        for seat in view.seats
    )
    late = dataclasses.replace(view, seats=seats, pace={"hours": 72, "grace": 6})
    told = letters.reminder(ANN, late, LINKS, DUE - timedelta(hours=5)).text
    assert "By Thursday, 3 December 2026, 18:00 Central European Standard Time, in about 5 hours." in told
    assert (
        "Your time was up on Thursday, 3 December 2026, 12:00 Central European Standard Time; "
        "the grace period is running. Then: The house moves for whoever is late.\n"
    ) in told
    assert "there is a grace period" not in told


def test_a_turn_letter_without_an_open_decision_is_refused():
    with pytest.raises(ValueError, match="open decision"):
        letters.turn(ANN, a_view(a_play(), 2), LINKS, NOW)


# The order, and both parts


def test_the_turn_letter_is_in_the_order_in_which_it_is_wanted():
    match = asked_view(20)
    turn = letters.turn(ANN, match, LINKS, NOW)
    assert match.decision
    landmarks = [
        match.decision.prompt, LINKS.move_url, LINKS.choice_urls[0].label, LINKS.choice_urls[0].url,
        LINKS.choice_urls[2].url, "All choices (", "What happened since your last decision", match.news[0],
        match.news[-1], match.words[0], match.words[-1], "reply with your move", match.decision.choices[0].text + "\n",
        "The match waits for nobody else.", "do not forward it", LINKS.mute_url, LINKS.settings_url,
    ]  # fmt: skip
    at = 0
    for landmark in landmarks:
        assert landmark
        found = turn.text.find(landmark, at)
        assert found >= 0, f"“{landmark}” does not come next"
        at = found


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_stands_alone_on_its_line(kind):
    lines = each_letter()[kind].text.splitlines()
    with_links = [line for line in lines if "http" in line]
    assert with_links
    assert [line for line in with_links if not re.fullmatch(r"https://[a-z0-9./-]+[a-z0-9]", line)] == []
    assert max(map(len, with_links)) <= 76


@pytest.mark.parametrize("kind", KINDS)
def test_both_parts_have_the_same_facts(kind):
    content = each_letter()[kind]
    shown = page(content.html)
    assert {link.url for link in shown.links} == set(re.findall(r"https://\S+", content.text))
    facts = [line.strip(" -–") for line in content.text.splitlines() if "http" not in line]
    in_lists = [re.sub(r"^\d+\. ", "", fact).rstrip(":") for fact in facts]
    in_tables = [re.sub(r": (\S+) points.*", "", fact) for fact in in_lists]
    buttons = {"See the match", "All choices (8)"}
    missing = [fact for fact in in_tables if " ".join(fact.split()) not in shown.words and fact not in buttons]
    assert missing == []


def test_the_text_part_stands_on_its_own():
    turn = letters.turn(ANN, asked_view(20), LINKS, NOW)
    assert not re.search(r"[<>]|&\w+;", turn.text)
    assert "\n\n\n" not in turn.text
    assert turn.text.endswith("\n")


def test_two_letters_of_a_match_share_one_subject_without_secrets():
    subjects = {kind: content.subject for kind, content in each_letter().items() if kind not in OF_NO_MATCH}
    assert set(subjects.values()) == {"Richelieu (2003) · Ann, Ben · #k7f3q2"}


# Deciding and answering


def test_at_most_three_choices_are_one_tap_away_and_all_choices_one_more():
    many = dataclasses.replace(LINKS, choice_urls=tuple(OneTap(f"Tap {n}.", f"{SITE}/m/{n}") for n in range(9)))
    turn = letters.turn(ANN, asked_view(20), many, NOW)
    taps = [link for link in page(turn.html).links if link.words.startswith("Tap")]
    assert [link.url for link in taps] == [f"{SITE}/m/{n}" for n in range(3)]
    assert turn.text.count("Tap ") == 3
    everything = next(link for link in page(turn.html).links if link.words.startswith("All choices"))
    assert everything.url == LINKS.move_url


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_are_answers_that_would_be_taken(game):
    seats = GAMES[game].least_seats
    play = a_play(12, game=game, seats=seats)
    seat = int(play.waiting_for()[0])
    turn = letters.turn(ANN, a_view(play, seat), LINKS, NOW)
    told = turn.text[turn.text.index("written like this:") :].partition("\n\n")[2].partition("\n\n")[0].splitlines()
    examples = [line.strip() for line in told]
    assert [play.decision(seat).read(example) for example in examples] == examples
    assert len(set(examples)) == min(2, len(play.decision(seat).answers()))


@pytest.mark.parametrize(("moves", "game"), [(20, "regions"), (10, "intrigues"), (9, "crusade")])
def test_who_answers_by_mail_reads_how_each_kind_of_move_is_written_and_what_it_does(moves, game):
    match = asked_view(moves, game=game, seats=3)
    assert match.decision
    choices = match.decision.choices
    told = letters.turn(ANN, match, LINKS, NOW)
    for part in (told.text, page(told.html).words):
        how = " ".join(part[part.index("written like this:") :].replace(" – ", " ").split())
        said = {choice.text for choice in choices if f"{choice.text} {choice.says}" in how}
        assert {text.split()[0] for text in said} == {choice.text.split()[0] for choice in choices}
        assert (len(said) == len(choices)) is (len(choices) <= 12)


def test_where_replies_are_not_read_the_letter_says_so():
    for content in (
        letters.turn(ANN, asked_view(20), WITHOUT_REPLIES, NOW),
        letters.reminder(ANN, asked_view(20), WITHOUT_REPLIES, NOW),
        letters.started(ANN, asked_view(20), WITHOUT_REPLIES, NOW),
        letters.login(ANN, Links(), NOW, entry=ENTRY),
    ):
        assert content.text.count("Replies to this mail are not read.") == 1
        assert page(content.html).words.count("Replies to this mail are not read.") == 1
        assert "reply with" not in content.text


def test_where_replies_are_read_no_letter_says_otherwise():
    said = [kind for kind, content in each_letter().items() if "not read" in content.text]
    assert said == ["waiting", "login"]


def test_it_says_whom_else_the_match_waits_for():
    view = asked_view(0)
    seats = tuple(dataclasses.replace(seat, asked=True) for seat in view.seats)
    assert view.decision
    decision = dataclasses.replace(view.decision, sealed="offer 0", together=True)
    together = dataclasses.replace(view, seats=seats, decision=decision)
    for part in (
        letters.turn(ANN, together, LINKS, NOW).text,
        page(letters.turn(ANN, together, LINKS, NOW).html).words,
    ):
        assert "The match waits for Ben." in part
        assert "Others decide at the same time. All answers stay secret until the last one is in." in part
        assert "You have answered “offer 0” and can still change it." in part


# What happened


def test_long_news_are_cut_to_the_latest_and_the_history_is_linked():
    news = tuple(f"Sentence {number} of a long story." for number in range(300))
    turn = letters.turn(ANN, dataclasses.replace(asked_view(20), news=news), LINKS, NOW)
    for part in (turn.text, page(turn.html).words):
        assert "Sentence 299 of" in part
        assert "Sentence 260 of" in part
        assert "Sentence 259 of" not in part
        assert "260 earlier sentences are in the history" in part
    assert turn.text.index(LINKS.game_url or "") < turn.text.index("Sentence 260")


def test_without_news_there_is_no_heading_for_them():
    turn = letters.turn(ANN, dataclasses.replace(asked_view(20), news=()), LINKS, NOW)
    assert "What happened" not in turn.text
    assert "What happened" not in turn.html


def biggest_game() -> str:
    return max(GAMES, key=lambda game: GAMES[game].most_seats)


def test_case_B20_thirty_turn_mails_in_a_row_differ_where_a_program_looks_first():
    game = biggest_game()
    play = a_play(0, game=game, seats=GAMES[game].most_seats)
    starts: list[tuple[str, str]] = []
    subjects = set()
    while len(starts) < 30:
        seat = play.waiting_for()[0]
        match = a_view(play, int(seat), since=max(0, len(play.moves) - 20))
        for write in (letters.turn, letters.reminder):
            content = write(ANN, match, LINKS, NOW)
            assert len(content.html.encode()) < 80_000
            assert LINKS.move_url in content.text[:300]
            assert page(content.html).links[0].url == LINKS.move_url
            starts.append((content.text[:100], page(content.html).words[:100]))
            subjects.add(content.subject)
        play.answer(int(seat), play.decision(seat).answers()[-1])
    assert len({text for text, _ in starts}) == len({words for _, words in starts}) == len(starts)
    assert len(subjects) == 1


@pytest.mark.parametrize("sentence", ["&" * 600, "{0} gives {1} what {2} had, as {3} wished."])
def test_case_B20_the_worst_mail_stays_below_80_kB(sentence):
    names = ["&" * 37 + f"<{number}>" for number in range(8)]
    game = biggest_game()
    view = a_view(a_play(0, game=game, seats=GAMES[game].most_seats, names=names))
    worst = dataclasses.replace(view, news=(sentence.format(*names),) * 500, words=("&" * 40,) * 120)
    taps = dataclasses.replace(LINKS, choice_urls=tuple(OneTap("&" * 300, f"{SITE}/m/{n}") for n in range(3)))
    turn = letters.turn(ANN, worst, taps, NOW, drawing=Drawing(b"PNG", "\n".join(worst.words)))
    assert len(turn.html.encode()) < 80_000


# Names


AWKWARD = ("D'Arc & <b>Söhne</b>", 'The "Hat" 🎩')


@pytest.mark.parametrize("kind", KINDS)
def test_case_B34_names_are_literal_in_subject_and_text_and_escaped_once_in_html(kind):
    play = a_play(20, names=AWKWARD)
    over = a_play(10_000, names=AWKWARD)
    match = a_view(play, int(play.waiting_for()[0]), since=14)
    content = {
        **each_letter(match),
        "finished": letters.finished(ANN, a_view(over, since=over.version - 9), LINKS, NOW),
    }[kind]
    assert "<b>" not in content.html
    assert not re.search(r"&amp;(amp|lt|gt|quot|#)", content.html)
    assert not re.search(r"&(amp|lt|gt|quot|#\d+);", content.text + content.subject)
    if kind in OF_NO_MATCH:
        return
    assert all(name in content.subject for name in AWKWARD)
    named = [name for name in AWKWARD if name in content.text]
    assert named
    assert [name for name in named if name not in page(content.html).words] == []


def test_a_name_cannot_make_lines_of_its_own_or_turn_the_text_around():
    lines = "Ann\r\nhttps://evil.example\u2028https://evil.example"
    view = asked_view(20)
    seats = tuple(
        dataclasses.replace(seat, name=lines + "\u202e" if seat is not view.me else "Ann") for seat in view.seats
    )
    turn = letters.turn(ANN, dataclasses.replace(view, seats=seats, news=(f"{lines} takes a card.",)), LINKS, NOW)
    assert "takes a card." in turn.text
    assert not [line for line in turn.text.splitlines() if line.startswith("https://evil.example")]
    assert "\u202e" not in turn.text + turn.html


# The other letters


def test_the_finished_letter_has_the_table_with_its_breakdown_winners_first():
    outcome = {
        "scores": [
            {"seat": 1, "total": -3, "parts": {"emblems": 2, "regions": -5}},
            {"seat": 2, "total": 27, "parts": {"emblems": 20, "regions": 7}},
        ],
        "winners": [2],
    }
    over = letters.finished(ANN, a_view(decision=None, outcome=outcome), LINKS, NOW)
    assert first_line(over) == "The match is over: Ben wins with 27 points."
    assert over.text.index("Ben: 27 points, winner\n  emblems 20, regions 7") < over.text.index(
        "Ann: −3 points\n  emblems 2, regions −5"
    )
    assert "Ben (winner) 27 emblems 20, regions 7 Ann −3 emblems 2, regions −5" in page(over.html).words


def test_several_winners_share_the_win():
    scores = [{"seat": seat, "total": 9, "parts": {"emblems": 9}} for seat in (1, 2)]
    over = letters.finished(ANN, a_view(decision=None, outcome={"scores": scores, "winners": [1, 2]}), LINKS, NOW)
    assert first_line(over) == "The match is over: Ann and Ben share the win."


def test_a_match_that_was_ended_has_no_table():
    over = letters.finished(ANN, a_view(decision=None, status="aborted"), LINKS, NOW)
    assert first_line(over) == "The match of Richelieu (2003) has ended without a result."
    assert "final table" not in over.text + over.html


def test_the_started_letter_commits_to_the_shuffles_and_names_the_seats():
    started = letters.started(ANN, a_view(commitment="ab12" * 16), LINKS, NOW)
    assert "\n" + "ab12" * 16 + "\n" in started.text
    assert "ab12" * 16 in page(started.html).words
    assert "1. Ann (you)\n2. Ben\n" in started.text
    assert "3 days for each decision. The clock never stands still." in started.text
    assert "When the time is up: The house moves for whoever is late." in started.text
    assert "The first decision is yours" in started.text


def test_the_invitation_says_who_invites_to_what_and_how_to_get_in():
    invitation = letters.invitation(ANN, a_view(), LINKS, NOW, entry=ENTRY, host="Hugo")
    assert first_line(invitation) == "Hugo invites you to a match of Richelieu (2003) with Ben."
    by_ben = letters.invitation(ANN, a_view(), LINKS, NOW, entry=ENTRY, host="Ben")
    assert first_line(by_ben) == "Ben invites you to a match of Richelieu (2003)."
    for part in (invitation.text, page(invitation.html).words):
        assert "482913" in part
        assert "until Thursday, 31 December 2026, 17:47 Central European Standard Time" in part
    assert f"\n{ENTRY.url}\n" in invitation.text


def test_the_login_letter_shows_the_code_large_and_the_link():
    login = letters.login(ANN, Links(), NOW, entry=ENTRY)
    assert first_line(login) == "Your sign-in code is 482913."
    large = [shown for shown in page(login.html).shown if shown.text == "482913"]
    assert [shown.inherited("font-size", "") for shown in large] == ["32px"]
    assert page(login.html).links[0].url == ENTRY.url
    assert "482913" not in login.subject


def test_a_receipt_says_what_was_played_and_what_follows():
    receipt = letters.receipt(ANN, asked_view(20), LINKS, NOW, played=["Take Bourgogne 2 from 1L."])
    assert first_line(receipt) == "Played (move 20): Take Bourgogne 2 from 1L."
    assert "You are asked again: " in receipt.text
    handed_over = letters.receipt(ANN, a_view(a_play(), 2), LINKS, NOW, played=["End your turn."])
    assert "The match waits for Ann (since " in handed_over.text


def test_a_refused_reply_is_told_what_was_read_and_what_is_possible():
    match = asked_view(20)
    assert match.decision
    refused = letters.receipt(ANN, match, LINKS, NOW, read="take all", refused="“take all” is no move here.")
    assert first_line(refused) == "Nothing was played. “take all” is no move here."
    for part in (refused.text, page(refused.html).words):
        assert "This was read: “take all”" in part
        assert all(choice.text in part for choice in match.decision.choices)


def test_of_many_possible_answers_a_refused_reply_is_told_some_of_each_kind():
    match = asked_view(10, game="intrigues", seats=3)
    assert match.decision
    assert len(match.decision.choices) > 12
    refused = letters.receipt(ANN, match, LINKS, NOW, read="take all", refused="“take all” is no action.")
    shown = refused.text.partition("Moves like these are possible:")[2].partition("\n\n")[2].partition("\n\n")[0]
    texts = re.findall(r"^  (\S.*)$", shown, re.MULTILINE)
    assert len(texts) == 12
    assert set(texts) < {choice.text for choice in match.decision.choices}
    assert {text.split()[0] for text in texts} == {choice.text.split()[0] for choice in match.decision.choices}
    assert f"All choices ({len(match.decision.choices)}):\n{LINKS.move_url}\n" in refused.text


def test_a_notice_of_no_match_says_it_in_its_subject():
    notice = letters.notice(ANN, Links(), NOW, first="Your address works again.", button=OneTap("Your page", SITE))
    assert notice.subject == first_line(notice) == "Your address works again."
    assert f"Your page:\n{SITE}\n" in notice.text


# The picture


def test_the_picture_is_in_the_mail_with_words_for_it_and_the_mail_complete_without():
    match = asked_view(20)
    drawn = letters.turn(ANN, match, LINKS, NOW, drawing=Drawing(b"\x89PNG", "Four rows of cards & tiles"))
    plain = letters.turn(ANN, match, LINKS, NOW)
    (image,) = page(drawn.html).images
    assert image["src"] == f"cid:{drawn.pictures[0].cid}"
    assert image["alt"] == "Four rows of cards & tiles"
    assert drawn.pictures[0].png == b"\x89PNG"
    assert page(drawn.html).words == page(plain.html).words
    assert page(plain.html).images == []


def test_pictures_of_different_positions_have_different_names():
    matches = (asked_view(0), asked_view(2), asked_view(4))
    drawn = [letters.turn(ANN, match, LINKS, NOW, drawing=Drawing(b"PNG", "")) for match in matches]
    assert len({content.pictures[0].cid for content in drawn}) == 3


# Languages


def test_a_language_without_translation_is_read_in_english_dates_included():
    assert language.tongue("sv").moment(DUE, None) == language.tongue("en").moment(DUE, None)
    assert language.tongue("no such language").tag == "en"


class Marked(Translations):
    """A language in which every translated string stands between brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, num: int) -> str:
        return f"⟦{msgid1 if num == 1 else msgid2}⟧"

    def pgettext(self, context: str, message: str) -> str:
        return f"⟦{message}⟧"


@pytest.fixture
def marked(monkeypatch):
    def forget() -> None:
        for cached in (language.tongue, letters._environment, letters._templates):
            cached.cache_clear()

    forget()
    monkeypatch.setattr(language, "_translations", lambda _language: Marked())
    yield Reader("Ann", "eo")
    forget()


@pytest.mark.parametrize("kind", KINDS)
def test_every_fixed_string_can_be_translated(kind, marked, monkeypatch):
    monkeypatch.setattr("tests.emails.test_letters.ANN", marked)
    match = asked_view(20)
    assert match.decision
    content = each_letter(match)[kind]
    over = a_play(10_000)
    known = [
        *match.news, *match.words, *match.names, match.title, match.commitment, match.id,
        *(said for choice in match.decision.choices for said in (choice.text, choice.says)),
        *a_view(over, since=over.version - 3).news, *a_view(over).words,
        *(tap.label for tap in LINKS.choice_urls), "Take Bourgogne 2 from 1L.", "Hugo", "Your time was up.",
        "The house moved.",
    ]  # fmt: skip
    for part in (content.text, "\n".join(shown.text for shown in page(content.html).shown)):
        left = re.sub(r"https://\S+", "", part)
        while "⟦" in left:
            left = re.sub(r"⟦[^⟦⟧]*⟧", "", left)
        for fact in sorted(known, key=len, reverse=True):
            left = left.replace(html.unescape(fact), "")
        assert not re.search(r"[^\W\d_]", left), left.split("\n")


def test_an_option_that_is_off_is_not_explained_as_if_it_were_on():
    open_coffers = {"open_coffers": True, "neutral": "own"}
    view = a_view(a_play(game="intrigues"), options=open_coffers)
    assert "- Open coffers: yes. Money and jewels are shown to all.\n" in letters.started(ANN, view, LINKS, NOW).text
    closed = dataclasses.replace(view, options=open_coffers | {"open_coffers": False})
    assert "- Open coffers: no.\n" in letters.started(ANN, closed, LINKS, NOW).text


@pytest.mark.parametrize(("played", "refused"), [(["Offer no red card."], ""), ([], "“hm” is no move.")])
def test_who_has_answered_secretly_is_not_asked_again(played, refused):
    view = asked_view(0)
    assert view.decision
    seats = tuple(dataclasses.replace(seat, asked=True, answered=seat is view.me) for seat in view.seats)
    sealed = dataclasses.replace(view.decision, sealed="offer 0", together=True)
    match = dataclasses.replace(view, seats=seats, decision=sealed)
    receipt = letters.receipt(ANN, match, LINKS, NOW, played=played, refused=refused)
    for part in (receipt.text, page(receipt.html).words):
        assert "You have answered “offer 0” and can still change it." in part
        assert "You are asked" not in part
        assert "The match waits for Ben." in part
