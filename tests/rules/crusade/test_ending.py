"""The end of a match (chapter 8)."""

import pytest

from server.rules.crusade import GAME
from server.rules.crusade.ending import end_check, outcome_of, score_the_end
from server.rules.playing import Outcome, Play
from tests.rules.crusade.builders import Luck, a_match, a_table, play_until, played_at_random, told

AT_0 = {"A": "crusaders", "B": "saladin", "C": "time", "D": "treasury"}


def ended(ending: str, seats: int = 3, **table_parts):
    """The table after this ending has been scored."""
    tracks = {AT_0[ending]: 0, **table_parts.pop("tracks", {})}
    table = a_table(seats, tracks=tracks, **table_parts)
    table.ending = end_check(table)
    assert table.ending == ending
    score_the_end(table)
    return table


def shares(table) -> list[int]:
    return [score.parts["crusade"] for score in outcome(table).scores]


def outcome(table) -> Outcome:
    result = outcome_of(table)
    assert result is not None
    return result


@pytest.mark.rule("crusade 8.1")
def test_a_the_crusaders_at_0_johns_side_shares_eight():
    assert shares(ended("A", loyal="rjr")) == [0, 8, 0]
    assert shares(ended("A", loyal="jrj")) == [4, 0, 4]
    assert shares(ended("A", 5, loyal="jrjrj")) == [3, 0, 3, 0, 3]
    assert shares(ended("A", 8, loyal="jrjrjrjr")) == [2, 0, 2, 0, 2, 0, 2, 0]


@pytest.mark.rule("crusade 8.1")
def test_b_saladin_at_0_richards_side_shares_the_treasury():
    assert shares(ended("B", loyal="rjr", tracks={"treasury": 9})) == [5, 0, 5]
    assert shares(ended("B", loyal="jjr", tracks={"treasury": 9})) == [0, 0, 9]


@pytest.mark.rule("crusade 8.1")
def test_c_time_at_0_richards_side_shares_half_the_treasury():
    assert shares(ended("C", loyal="rjr", tracks={"treasury": 9})) == [3, 0, 3]
    assert shares(ended("C", 5, loyal="rjrjr", tracks={"treasury": 7})) == [2, 0, 2, 0, 2]


@pytest.mark.rule("crusade 8.1")
def test_d_the_treasury_at_0_johns_side_shares_four():
    assert shares(ended("D", loyal="jrj")) == [2, 0, 2]
    assert shares(ended("D", 5, loyal="jrjrj")) == [2, 0, 2, 0, 2]


@pytest.mark.rule("crusade 8.1")
@pytest.mark.parametrize(
    ("at_0", "ending"),
    [("ABCD", "A"), ("BCD", "B"), ("CD", "C"), ("AD", "A"), ("AB", "A"), ("BC", "B"), ("BD", "B"), ("AC", "A")],
)
def test_of_two_endings_at_once_the_first_holds(at_0: str, ending: str):
    assert end_check(a_table(tracks={AT_0[each]: 0 for each in at_0})) == ending


@pytest.mark.rule("crusade 8.1")
def test_nothing_at_0_ends_nothing():
    assert end_check(a_table(tracks={"time": 1, "crusaders": 1, "saladin": 1, "treasury": 1})) is None


def a_match_before_its_outcome(crusade: str, *, events: str = "off", event: str = "", **tracks: int) -> Play:
    """A match of three in which these cards will be turned up; all have sent but the last."""
    luck = Luck({"events": [event]} if event else {}, crusade=[crusade])
    match = a_match(3, events=events, luck=luck)
    play_until(match, "contribution")
    match.table.tracks.update(tracks)
    for seat in match.waiting_for()[:-1]:
        match.submit(seat, match.decision(seat).answers()[0])
    return match


@pytest.mark.rule("crusade 8.1")
def test_the_match_ends_at_the_end_of_the_turn_in_which_a_marker_reaches_0():
    match = a_match_before_its_outcome("green green", crusaders=2, treasury=20)
    last = match.waiting_for()[0]
    match.submit(last, match.decision(last).answers()[0])
    assert match.over
    assert match.outcome().more == {"ending": "A"}
    assert match.position(None)["phase"] == "end"


@pytest.mark.rule("crusade 8.1")
def test_a_marker_that_was_at_0_and_is_above_it_again_ends_nothing():
    """The battle takes the Crusaders to 0, the murder of Conrad brings them back to 1."""
    match = a_match_before_its_outcome(
        "green green yellow", events="on", event="IX Conrad is murdered", crusaders=2, treasury=10
    )
    last = match.waiting_for()[0]
    match.submit(last, match.decision(last).answers()[0])
    assert not match.over
    assert match.position(None)["tracks"]["crusaders"] == 1


@pytest.mark.rule("crusade 8.2")
def test_own_counselors_that_score_are_revealed_and_the_others_stay_secret():
    table = ended(
        "A",
        loyal="jrj",
        counselors={1: ["Hugh of Nonant", "Philip Augustus", "Hugh Bardolf"], 2: ["William Marshal", "Berengaria"]},
    )
    assert [score.parts["counselors"] for score in outcome(table).scores] == [3, 2, 0]
    seats = GAME.position(table, None)["seats"]
    assert [seat["revealed"] for seat in seats] == [["Hugh of Nonant"], ["Berengaria"], []]
    assert [seat["counselors"] for seat in seats] == [2, 1, 0]
    assert "Philip Augustus" not in str(GAME.position(table, 2)) + " ".join(told(table, 2))
    assert GAME.position(table, 1)["seats"][0]["counselor_names"] == ["Hugh Bardolf", "Philip Augustus"]
    assert not any(card.known_to(viewer) for card in table.counselors[1] for viewer in (None, 2, 3))


@pytest.mark.rule("crusade 8.2")
def test_counselors_score_by_the_tracks_as_they_stand_at_the_end():
    table = ended(
        "C", loyal="jrj", tracks={"treasury": 3}, counselors={1: ["Philip Augustus"], 3: ["Leopold of Austria"]}
    )
    assert [score.parts["counselors"] for score in outcome(table).scores] == [3, 0, 0]


@pytest.mark.slow
@pytest.mark.rule("crusade 8.2")
def test_the_parts_of_a_score_add_up():
    for seed in range(30):
        match = played_at_random(3 + seed % 6, ("off", "on", "history")[seed % 3], seed)
        for score in match.outcome().scores:
            assert score.total == sum(score.parts.values()) == match.position(None)["seats"][score.seat - 1]["pp"]


@pytest.mark.rule("crusade 8.3")
def test_most_points_win_on_whichever_side():
    assert outcome(ended("A", loyal="rjr", pp={1: 9, 2: 0, 3: 2})).winners == (1,)


@pytest.mark.rule("crusade 8.3")
@pytest.mark.parametrize(("ending", "winners"), [("A", (2,)), ("B", (1,)), ("C", (1,)), ("D", (2,))])
def test_a_tie_goes_to_the_side_that_the_ending_favours(ending: str, winners: tuple[int, ...]):
    """Seats 1 and 3 are loyal to Richard, 2 and 4 to John; after their shares 1 and 2 have 20 each."""
    after = {"A": {1: 20, 2: 16}, "B": {1: 15, 2: 20}, "C": {1: 17, 2: 20}, "D": {1: 20, 2: 18}}[ending]
    tracks = {"B": {"treasury": 10}, "C": {"treasury": 10}}.get(ending, {})
    table = ended(ending, 4, loyal="rjrj", pp=after, tracks=tracks)
    assert table.pp[1] == table.pp[2] == 20
    assert outcome(table).winners == winners


@pytest.mark.rule("crusade 8.3")
def test_several_tied_on_the_favoured_side_win_together():
    table = ended("A", 4, loyal="rjrj", pp={1: 12, 2: 8, 4: 8})
    assert outcome(table).winners == (2, 4)
    assert told(table)[-1] == "Ben, Dan win together with 12 PP each."


@pytest.mark.rule("crusade 8.3")
def test_if_none_of_the_tied_is_on_the_favoured_side_all_of_them_win():
    assert outcome(ended("A", 4, loyal="rjrj", pp={1: 30, 3: 30})).winners == (1, 3)


@pytest.mark.rule("crusade 8.1")
@pytest.mark.parametrize("seats", [2, 9])
def test_case_B44_there_are_three_to_eight_seats(seats: int):
    with pytest.raises(ValueError, match="3 to 8 seats"):
        a_match(seats)


@pytest.mark.rule("crusade 8.3")
def test_case_B44_a_follower_of_john_wins_a_crusade_that_richard_has_won():
    table = ended("B", loyal="rjr", pp={2: 30}, tracks={"treasury": 10})
    assert outcome(table).winners == (2,)


@pytest.mark.rule("crusade 1.5")
@pytest.mark.parametrize("seats", [3, 5, 7])
def test_case_B44_with_an_odd_number_of_seats_nobody_is_neutral(seats: int):
    match = a_match(seats)
    play_until(match, "pawn")
    loyalties = [seat["loyalty"] for seat in match.position(None)["seats"]]
    assert len(loyalties) == seats
    assert set(loyalties) == {"richard", "john"}


@pytest.mark.slow
@pytest.mark.rule("crusade 8.1")
def test_case_B44_random_matches_know_all_four_endings():
    endings = {played_at_random(3, "on", seed).outcome().more["ending"] for seed in range(60)}
    assert endings == {"A", "B", "C", "D"}
