"""The drawings of positions: everything is named and can be read, and nothing is shown that is not known."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from html import unescape
from itertools import takewhile
from typing import Any

import pytest

from server import boards
from server.boards import colours, font
from server.boards.colours import SHADES
from server.boards.pen import FINGER, WIDTH
from server.boards.text import escaped, fitted, width, wrapped
from server.pages.choices import words_in
from server.rules.crusade.characters import CHARACTERS
from server.rules.hidden import Hidden
from server.rules.playing import Play
from server.rules.telling import Viewer
from tests.emails.pages import colour, contrast
from tests.rules.matches import CASES, NAMES, Case, steps, viewers
from tests.server.drawings import Moment, look, moments
from tests.server.test_pages_style import colours as colours_of_pages

LONG = tuple(f"{letter * 5} {'Wilhelmina-Maximiliane of Northumberland'}"[:40] for letter in "WMQGODHN")
STRANGE = ("<b>&\"'", "]]></svg>", "👑🏰👑🏰👑", "\u202eevil\u2066", "王伟", "a\x00b\ud800c", "Ω Жанна", "  ")

every_game = pytest.mark.parametrize("game", boards.BOARDS)


def of_game(game: str) -> list[Moment]:
    return [moment for moment in moments() if moment.case.game.name == game]


def drawn(moment: Moment, names: tuple[str, ...] = NAMES, **how: object) -> str:
    told = (moment.case.game.name, moment.position, names[: moment.case.seats], moment.viewer)
    return boards.drawing(*told, **how)  # type: ignore[arg-type]


def links_of(moment: Moment) -> dict[str, str]:
    return {word: f"/m/t?on={word}&x=1" for word in words_in(moment.answers)}


# What is there


@every_game
def test_every_drawing_is_well_formed_and_of_real_numbers(game):
    for moment in of_game(game)[::2]:
        looked = look(drawn(moment, theme="light"))
        assert looked.width == 360
        assert 250 < looked.height < 1400, moment
        odd = [each for each in looked.numbers if re.search("nan|inf|None|e[-+]", each)]
        assert odd == [], moment
        assert all(looked.places.values()), moment


@pytest.mark.parametrize("theme", ["page", "light", "dark"])
def test_the_themes_show_the_same(theme):
    for moment in moments()[::40]:
        assert look(drawn(moment, theme=theme)).places == look(drawn(moment, theme="light")).places


def test_each_card_and_player_of_regions_has_its_name():
    for moment in of_game("regions"):
        places = look(drawn(moment)).places
        for number, row in enumerate(moment.position["rows"], 1):
            for column, lying in enumerate(row, 1):
                said = places.get(f"{number}.{column}", "")
                assert bool(said) == bool(lying), moment
                if lying:
                    assert lying["card"].capitalize() in said
                    assert ("a tile" in said) == lying["tile"]
                    marker = lying["marker"]
                    assert (f"marker of {NAMES[marker - 1]}" in said) if marker else ("marker" not in said)
        for number, seat in enumerate(moment.position["seats"], 1):
            said = places[f"seat {number}"]
            assert NAMES[number - 1] in said
            assert f"Cards {len(seat['cards'])};" in said
            assert f"Markers in hand {seat['markers_in_hand']}, given up {seat['markers_lost']}" in said
            assert all(
                (moment.case.game.word(tile) if tile else "not yet seen") in said for tile in seat.get("tiles", ())
            )


def test_each_spot_sheet_and_player_of_intrigues_has_its_name():
    for moment in of_game("intrigues"):
        places, word = look(drawn(moment)).places, moment.case.game.word
        for number, told in enumerate(moment.position["boxes"], 1):
            for side, letter in (("richelieu", "R"), ("opposing", "O")):
                if told[side] is None:
                    assert "empty" in places[f"box {number}"]
                    continue
                assert word(told[side]["sheet"]) in places[f"{letter}{number}"]
                for index, spot in enumerate(told[side]["spots"], 1):
                    said = places[f"{letter}{number}.{index}"]
                    assert f"cost {spot['cost']}" in said
                    piece = spot["piece"] or {}
                    assert ("empty" in said) == (not piece)
                    assert (f"face {piece['face']}" in said) if "face" in piece else ("face" not in said)
                    if piece.get("value"):
                        assert f"agent {str(piece['value']).replace('-', '−')} " in said
        for number, seat in enumerate(moment.position["seats"], 1):
            assert f"prestige {seat['prestige']}," in places[f"seat {number}"]
        assert f"jewels {moment.position['city']['jewels']}" in places["city"]
        assert str(moment.position["cardinal"]) in places["cardinal"]
        if isinstance(moment.viewer, int):
            own = moment.position["seats"][moment.viewer - 1]
            assert f"money {own['money']}, jewels {own['jewels']}" in places["hand"]


def test_each_track_character_and_player_of_crusade_has_its_name():
    for moment in of_game("crusade"):
        position = moment.position
        places, word = look(drawn(moment)).places, moment.case.game.word
        assert all(places[track].startswith(f"{word(track)} {at} ") for track, at in position["tracks"].items())
        for name in CHARACTERS:
            on_it = [number for number, seat in enumerate(position["seats"]) if seat["character"] == name]
            assert places[name].startswith(f"{word(name)}: {NAMES[on_it[0]] if on_it else 'free'}")
        assert all(f"{n} {colour_}" in places["reserve"] for colour_, n in position["reserve"].items() if n)
        if position["event"]:
            assert position["event"] in places["event"]
        for number, seat in enumerate(position["seats"], 1):
            said = places[f"seat {number}"]
            assert f"{str(seat['pp']).replace('-', '−')} PP" in said
            assert f"cards {seat['cards']}, counselors {seat['counselors']}" in said
            assert all(name in said for name in seat["revealed"])
        if isinstance(moment.viewer, int):
            own = position["seats"][moment.viewer - 1]
            assert all(f"{n} {colour_}" in places["hand"] for colour_, n in own["hand"].items() if n)
            secrets = " ".join(said for place, said in places.items() if place.startswith("own"))
            assert all(name in secrets for name in own["counselor_names"])
            assert own["sealed"] is None or own["sealed"] in secrets


def test_what_is_said_of_a_card_a_spot_and_a_character_is_drawn_too():
    for moment in moments()[::3]:
        svg = drawn(moment)
        position = moment.position
        for number, row in enumerate(position.get("rows", ()), 1):
            for column, lying in enumerate(row, 1):
                if lying:
                    region, face = lying["card"].split()
                    icons = {"1": ["shield"], "2": ["shield", "shield"]}.get(face, ["shield", face])
                    tile, marker = ["tile"] * lying["tile"], [f"s{lying['marker']}"] if lying["marker"] else []
                    parts, _ = parts_of(svg, f"{number}.{column}")
                    assert [part for part in parts if part != "end"] == [region, *icons, *tile, *marker]
        for number, told in enumerate(position.get("boxes", ()), 1):
            for side, letter in (("richelieu", "R"), ("opposing", "O")):
                for index, spot in enumerate((told[side] or {"spots": ()})["spots"], 1):
                    place = f"{letter}{number}.{index}"
                    assert parts_of(svg, place) == (["spot", *spot_parts(spot)], [place, spot_sign(spot)])
        for name in CHARACTERS if "tracks" in position else ():
            on_it = [f"s{number}" for number, seat in enumerate(position["seats"], 1) if seat["character"] == name]
            assert parts_of(svg, name)[0] == ["tile", *on_it]


def parts_of(svg: str, place: str) -> tuple[list[str], list[str]]:
    """The signs and the texts that a place is drawn with."""
    inside = re.search(rf'data-place="{re.escape(place)}"[^>]*>(.*?)</[ag]>', svg)
    assert inside
    return re.findall(r'href="#d-([^"]*)"', inside[1]), [
        unescape(said) for said in re.findall(r">([^<]*)</text>", inside[1])
    ]


def spot_parts(spot: dict[str, Any]) -> list[str]:
    piece = spot["piece"]
    if piece is None:
        return ["coin"]
    if "owner" not in piece:
        return list(piece)
    owner = piece["owner"]
    return [piece["face"], owner.replace(" ", "") if isinstance(owner, str) else f"s{owner}"]


def spot_sign(spot: dict[str, Any]) -> str:
    """What is written on a spot: its cost, the value of its agent, or which royal piece."""
    piece = spot["piece"]
    if piece is None:
        return str(spot["cost"])
    if "owner" not in piece:
        return {"queen": "Q", "eminence": "É"}[next(iter(piece))]
    return "?" if piece["value"] is None else str(piece["value"]).replace("-", "−")


@every_game
def test_the_alternative_text_is_some_sentences_that_say_the_position(game):
    told = Counter()
    for moment in of_game(game):
        said = boards.alt_text(game, moment.position, NAMES[: moment.case.seats], moment.viewer)
        assert said.endswith(".")
        assert said.count(". ") <= 4 + moment.case.seats
        assert len(said) < 900
        assert all(name in said for name in NAMES[: moment.case.seats])
        told[said] += 1
    assert len(told) > len(of_game(game)) / 12


@every_game
def test_whatever_changes_in_a_position_changes_what_is_said_of_its_places(game):
    for case in [case for case in CASES if case.game.name == game][::5]:
        play, viewer = case.play("said"), 1
        before = play.position(viewer)
        said = look(boards.drawing(game, before, play.names, viewer)).places
        for number in steps(play, random.Random(str(case))):
            now = play.position(viewer)
            told = look(boards.drawing(game, now, play.names, viewer)).places
            assert (told != said) or (now == before), {key for key in now if now[key] != before.get(key)}
            before, said = now, told
            if number > 120:
                break


# Who may see what


def exchange_unseen(play: Play, viewer: Viewer, luck: random.Random) -> bool:
    """Exchange all fronts that the viewer has not seen, within their groups; whether any is another."""
    groups: dict[str, list[Hidden[Any]]] = {}
    for card in play.table.secrets:
        if not card.known_to(viewer):
            groups.setdefault(card.group, []).append(card)
    changed = False
    for cards in groups.values():
        fronts = luck.sample([card.front for card in cards], len(cards))
        for card, front in zip(cards, fronts, strict=True):
            changed |= card.front != front
            card.front = front
    return changed


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_viewer_has_not_seen_changes_nothing_in_the_drawing(case: Case):
    luck = random.Random(str(case))
    play = case.play("twins")
    changed = 0
    for number in steps(play, luck):
        if number % 19 and not play.over:
            continue
        for viewer in viewers(play):
            twin = play.copy()
            if not exchange_unseen(twin, viewer, luck):
                continue
            changed += 1
            ours, theirs = (
                boards.drawing(case.game.name, each.position(viewer), play.names, viewer) for each in (play, twin)
            )
            assert ours == theirs, viewer
        if number > 120:
            break
    assert changed


# How it can be read


@every_game
def test_no_text_runs_out_of_the_drawing_or_of_its_box(game):
    out = []
    for moment in of_game(game)[::2]:
        for text in look(drawn(moment, LONG, theme="light")).texts:
            box = text.ground
            right = box.right if box.right - box.left > 20 else 360  # signs are narrower than what their boxes say
            left = box.left if box.right - box.left > 20 else 0
            if text.left < left - 0.6 or text.right > right + 0.6:
                out.append((text.said, round(text.left), round(text.right), box))
    assert out == []


@every_game
def test_no_text_runs_into_another(game):
    for moment in of_game(game)[1::2]:
        texts = sorted(look(drawn(moment, LONG, theme="light")).texts, key=lambda text: (text.y, text.left))
        clashes = [
            (text.said, other.said)
            for number, text in enumerate(texts)
            for other in takewhile(lambda other, text=text: other.y - text.y < 9, texts[number + 1 :])  # type: ignore[misc]
            if other.left < text.right and text.left < other.right
        ]
        assert clashes == [], moment


@every_game
def test_no_text_is_smaller_than_11_units(game):
    for moment in of_game(game)[::5]:
        assert min(text.size for text in look(drawn(moment)).texts) >= 11


@pytest.mark.parametrize("ground", [0, 1], ids=["light", "dark"])
@every_game
def test_every_text_stands_out_from_what_it_stands_on(game, ground):
    pairs = {
        (text.shade, text.ground.shade)
        for moment in of_game(game)[::3]
        for text in look(drawn(moment, theme="light")).texts
        if text.said
    }
    assert len(pairs) > 8
    faint = {
        pair: round(found, 1)
        for pair in pairs
        if (found := contrast(colour(SHADES[pair[0]][ground]), colour(SHADES[str(pair[1])][ground]))) < 4.5
    }
    assert faint == {}


@pytest.mark.parametrize("ground", [0, 1], ids=["light", "dark"])
def test_signs_and_what_can_be_tapped_stand_out(ground):
    grounds = [SHADES[name][ground] for name in ("ground", "face")]
    signs = ("ink", "soft", "edge", "go", "back", *(f"s{n}" for n in range(1, 9)), *(f"r{n}" for n in range(1, 10)))
    faint = [
        (sign, on)
        for sign in signs
        for on in grounds
        if contrast(colour(SHADES[sign][ground]), colour(on)) < (2.5 if sign == "back" else 3)
    ]
    assert faint == []


def test_the_page_ground_is_the_board_of_its_style_sheet():
    for ground, dark in enumerate((False, True)):
        assert colours_of_pages(dark)["sheet"] == SHADES["ground"][ground]
        assert colours_of_pages(dark)["blue"] == SHADES["go"][ground]


def test_seats_differ_in_shape_and_sign_and_not_in_colour_alone():
    moment = next(moment for moment in moments() if moment.case.seats == 8)
    svg = drawn(moment)
    badges = re.findall(r'<g id="d-s\d"><(\w+ (?:d|r)="[^"]+").*?>(\d)</text></g>', svg)
    assert len({shape for shape, _ in badges}) == len({sign for _, sign in badges}) == 8


# Names


@every_game
def test_strange_names_stand_there_as_they_are_and_do_no_harm(game):
    for moment in of_game(game)[::7]:
        names = STRANGE[-moment.case.seats :] if moment.moves % 2 else STRANGE[: moment.case.seats]
        for theme in ("page", "light"):
            svg = boards.drawing(game, moment.position, names, moment.viewer, theme=theme)  # type: ignore[arg-type]
            looked = look(svg)
            assert svg.count("</svg>") == 1
            assert "<b>" not in svg
            assert not re.search("[\x00-\x08\u202a-\u202e\u2066-\u2069\ud800-\udfff]", svg)
            assert looked.places.keys() == look(drawn(moment)).places.keys()


def test_a_picture_leaves_out_of_a_name_what_the_font_has_not_and_says_the_seat_where_nothing_is_left():
    moment = next(moment for moment in of_game("crusade") if moment.case.seats == 3)
    svg = boards.drawing("crusade", moment.position, ("Ann 👑 B", "王伟", "Жанна"), None, theme="light")
    texts = [text.said for text in look(svg).texts]
    assert {"Ann B", "Seat 2", "Жанна"} <= set(texts)
    on_page = boards.drawing("crusade", moment.position, ("Ann 👑 B", "王伟", "Жанна"), None)
    assert {"Ann 👑 B", "王伟"} <= {text.said for text in look(on_page).texts}


def test_everything_but_names_can_be_written_in_our_font():
    for moment in moments()[::3]:
        for text in look(drawn(moment, theme="light")).texts:
            assert [glyph for glyph in text.said if glyph not in font.ADVANCES[True]] == [], text.said


# Places that lead somewhere


@every_game
def test_a_place_leads_where_its_word_in_moves_does_and_all_others_can_be_reached(game):
    leading = 0
    for moment in of_game(game)[::2]:
        links = links_of(moment)
        svg = drawn(moment, links=links)
        anchors = {place: unescape(href) for href, place in re.findall(r'<a href="([^"]*)" data-place="([^"]*)"', svg)}
        leading += len(anchors)
        assert set(anchors.values()) <= set(links.values())
        rows = {place for place in anchors if place.startswith("row ")}
        plain = re.findall(r'<g tabindex="0" role="img" data-place="([^"]*)"', svg)
        assert sorted([*plain, *anchors]) == sorted(look(svg).places)
        assert set(look(svg).places) - rows == set(look(drawn(moment)).places)
        assert svg.count("<a ") == svg.count("</a>") == len(anchors)
    assert leading


def test_the_ends_of_rows_lead_to_their_takes():
    moment = next(moment for moment in of_game("regions") if any("1L" in text for text in moment.answers))
    svg = drawn(moment, links={"1L": "/take-left"})
    column = next(number for number, lying in enumerate(moment.position["rows"][0], 1) if lying)
    assert f'<a href="/take-left" data-place="1.{column}"' in svg
    assert svg.count("<a ") == 1


def test_a_finger_finds_both_ends_of_whatever_is_left_of_a_row():
    moment = next(moment for moment in of_game("regions") if any("1L" in text for text in moment.answers))
    lying = next(lying for lying in moment.position["rows"][0] if lying)
    columns = len(moment.position["rows"][0])
    for first, last in itertools.combinations(range(columns), 2):
        row = [lying if column in (first, last) else None for column in range(columns)]
        rows = [row, *moment.position["rows"][1:]]
        svg = boards.drawing(
            "regions",
            {**moment.position, "rows": rows},
            NAMES[: moment.case.seats],
            moment.viewer,
            links={"1L": "/left", "1R": "/right"},
        )
        places = re.findall(
            r'<a href="/[a-z]+" [^>]*translate\(([\d.]+) .*?<rect x="([-\d.]+)"[^>]* width="([\d.]+)"[^>]*class="tap"',
            svg,
        )
        (left, wide), (right, wider) = sorted((float(x) + float(tap), float(width)) for x, tap, width in places)
        assert min(wide, wider) >= FINGER
        assert left >= 0
        assert left + wide <= right
        assert right + wider <= WIDTH


def test_only_drawings_in_pages_can_be_tapped_or_reached():
    for theme in ("light", "dark"):
        svg = drawn(moments()[0], theme=theme, links={"1L": "/x"})
        assert "<a " not in svg
        assert "tabindex" not in svg
        assert 'role="img"' in svg


# What the page's policy allows


@every_game
def test_a_drawing_in_a_page_brings_no_style_script_or_address_of_its_own(game):
    for moment in of_game(game)[::9]:
        svg = drawn(moment)
        assert not re.search(r"style|<script|\son\w+=|https?:|url\(|xmlns", svg)
        assert set(re.findall(r'href="([^"]*)"', svg)) <= {f"#{name}" for name in re.findall(r'id="([^"]*)"', svg)}


def test_every_class_of_the_drawings_is_in_the_style_sheet():
    told = boards.stylesheet()
    used = {
        name
        for moment in moments()[::5]
        for found in re.findall(r'class="([^"]*)"', drawn(moment))
        for name in found.split()
    }
    assert {name for name in used if f".{name}{{" not in told} == set()


def test_the_style_sheet_tells_classes_by_nothing_around_them():
    """What `<use>` brings in does not see what it stands in."""
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media[^{]*", "", boards.stylesheet()))
    assert [each for each in selectors if not re.fullmatch(r"[a-z]*(\.[\w-]+)?", each.strip())] == []
    assert all(f"{selector}{{" in colours.alone("dark") for selector in ("text.b", ".ink", ".l-go"))


# Texts


def test_the_font_says_how_wide_its_letters_are():
    assert font.ADVANCES[False]["m"] == pytest.approx(1905 / 2048)
    assert font.ADVANCES[True]["−"] == font.ADVANCES[True]["0"]
    assert {*"AzÉéßŁőЖжΩω−≥≤…–’“ "} <= font.ADVANCES[False].keys() == font.ADVANCES[True].keys()
    assert width("mm", 10) == pytest.approx(20 * 1905 / 2048)
    assert width("e\N{COMBINING ACUTE ACCENT}") == width("e")
    assert width("王") > width("W") > width("i")


def test_a_text_is_cut_with_an_ellipsis_where_there_is_no_room():
    assert fitted("Ann", 100) == "Ann"
    short = fitted("Maximiliane of Northumberland", 80)
    assert short.endswith("…")
    assert width(short) <= 80 < width("Maximiliane of")
    assert fitted("W", 1) == "…"


def test_a_text_is_broken_into_lines_between_words():
    told = wrapped("won: Treasury +1; lost: Treasury −1 and if Time ≥\N{NO-BREAK SPACE}7", 90)
    assert " ".join(told) == "won: Treasury +1; lost: Treasury −1 and if Time ≥\N{NO-BREAK SPACE}7"
    assert len(told) > 2
    assert max(map(width, told)) <= 90
    assert wrapped("", 90) == ()


def test_what_stands_in_a_drawing_is_escaped():
    assert escaped("<a href=\"x\" b='y'>&amp;") == "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;"
    assert escaped("a\u202eb\x00c\ud800d\uffff") == "abcd"
    assert escaped("Zoë 👑") == "Zoë 👑"
