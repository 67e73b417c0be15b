"""P5: a turn letter from the match to the finished mail, beside the usual way: Jinja, css-inline, Flask-Mail.

Both begin at the same match in memory and end with the octets of the mail: position, words, text, HTML with its
styles inlined, MIME. Then the picture, beside the same drawing given to resvg whole.
Alone: `python -m tests.perf.p5_render`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

import css_inline
import flask_mail
import resvg_py
from flask import Flask, render_template

import emails
from emails import letters
from emails.language import tongue
from emails.mime import Address, Mail, compose
from server import boards
from server.boards import font
from server.boards.png import picture
from server.rules.playing import Play
from tests.emails.builders import ANN, LINKS, NOW, SENDER, a_play, a_view
from tests.perf.figures import Figure

ROUNDS = 7
LETTERS_A_ROUND = 60
GOAL_MS = 4.0
PICTURE_GOAL_MS = 25.0
GAMES = (("regions", 4, 60), ("intrigues", 4, 60), ("crusade", 8, 80))


def measured() -> list[Figure]:
    return letters_() + pictures()


def letters_() -> list[Figure]:
    figures: list[Figure] = []
    app = _usual_app()
    print(f"P5  a turn letter rendered, {ROUNDS} alternating rounds of {LETTERS_A_ROUND}, ms of processor time each")
    print(f"{'':12}{'octets':>8}{'the usual way':>15}{'ours':>8}{'slowest':>9}{'ratio':>7}{'goal':>6}")
    for game, seats, moves in GAMES:
        play = a_play(moves, game=game, seats=seats)
        seat = int(play.waiting_for()[0])
        usual: list[float] = []
        ours: list[float] = []
        for _ in range(ROUNDS):
            usual.append(_milliseconds(partial(_usual_way, app, play, seat)))
            ours.append(_milliseconds(partial(_our_way, play, seat)))
        verdict = "reached" if median(ours) <= GOAL_MS else "missed"
        print(
            f"{game:12}{len(_our_way(play, seat)):8,}{median(usual):15.2f}{median(ours):8.2f}{max(ours):9.2f}"
            f"{median(ours) / median(usual):7.2f}{GOAL_MS:6.1f}  {verdict}"
        )
        beside = f"the usual way: {median(usual):.1f} ms"
        figures.append(Figure("P5", f"{game}: a turn letter", median(ours), "ms", GOAL_MS, False, beside))
    return figures


def pictures() -> list[Figure]:
    figures: list[Figure] = []
    print(f"    the picture of {ROUNDS} positions, one after the other, drawing included; and each a second time")
    print(f"{'':12}{'octets':>8}{'resvg alone':>15}{'ours':>8}{'slowest':>9}{'ratio':>7}{'goal':>6}{'again':>9}")
    begun = time.process_time()
    picture(_drawing(a_play(0), 1))
    print(
        f"{'the first':12}{'':8}{'':15}{(time.process_time() - begun) * 1000:8.2f}  each letter is drawn once a process"
    )
    for game, seats, moves in GAMES:
        whole: list[float] = []
        ours: list[float] = []
        again: list[float] = []
        sizes: list[int] = []
        for round_ in range(-1, ROUNDS):
            play = a_play(moves + 3 * round_, game=game, seats=seats)
            seat = int(play.waiting_for()[0])
            whole.append(_once(partial(_by_resvg, play, seat)))
            ours.append(_once(partial(_picture, play, seat)))
            again.append(_once(partial(_picture, play, seat)))
            sizes.append(len(_picture(play, seat)))
        del whole[0], ours[0], again[0]  # new letters
        verdict = "reached" if median(ours) <= PICTURE_GOAL_MS else "missed"
        print(
            f"{game:12}{max(sizes):8,}{median(whole):15.2f}{median(ours):8.2f}{max(ours):9.2f}"
            f"{median(ours) / median(whole):7.2f}{PICTURE_GOAL_MS:6.1f}{median(again):9.2f}  {verdict}"
        )
        beside = f"resvg alone: {median(whole):.1f} ms"
        figures.append(Figure("P5", f"{game}: its picture", median(ours), "ms", PICTURE_GOAL_MS, False, beside))
    return figures


def _once(render: Callable[[], object]) -> float:
    begun = time.process_time()
    render()
    return (time.process_time() - begun) * 1000


def _drawing(play: Play, seat: int) -> str:
    return boards.drawing(play.game.name, play.position(seat), play.names, seat, theme="light")


def _picture(play: Play, seat: int) -> bytes:
    return picture(_drawing(play, seat))


def _by_resvg(play: Play, seat: int) -> object:
    fonts = [str(font.REGULAR), str(font.BOLD)]
    return resvg_py.svg_to_bytes(svg_string=_drawing(play, seat), width=720, skip_system_fonts=True, font_files=fonts)


def _milliseconds(render: Callable[[], bytes]) -> float:
    start = time.process_time()
    for _ in range(LETTERS_A_ROUND):
        render()
    return (time.process_time() - start) / LETTERS_A_ROUND * 1000


def _our_way(play: Play, seat: int) -> bytes:
    content = letters.turn(ANN, a_view(play, seat, since=len(play.moves) - 8), LINKS, NOW)
    return compose(
        Mail(
            kind="turn", to=Address("Ann", "ann@example.org"), sender=Address("Estafette", SENDER),
            envelope_from="b-abc@play.example.org", subject=content.subject, text=content.text, html=content.html,
            message_id="<abc@play.example.org>", date=NOW, game="k7f3q2", reply_to=LINKS.reply_to or "",
        )
    )  # fmt: skip


def _usual_app() -> Flask:
    """A Flask application with our templates and Flask-Mail, each used as its manual says."""
    app = Flask("usual", template_folder=str(Path(emails.__file__).parent / "templates"))
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    app.config["MAIL_DEFAULT_SENDER"] = SENDER
    flask_mail.Mail(app)
    return app


def _usual_way(app: Flask, play: Play, seat: int) -> bytes:
    match = a_view(play, seat, since=len(play.moves) - 8)
    speech = tongue("en")
    with app.app_context():
        facts = {
            "match": match, "links": LINKS, "language": "en", "picture": "", "alt": "", "late": "",
            "subject": match.subject, "taps": LINKS.choice_urls[: letters.MOST_CHOICES],
            "first": f"Your turn (move {match.version + 1}): {letters._asked(speech, ANN, match, NOW)}",
            "style": (Path(emails.__file__).parent / "templates" / "mail.css").read_text(),
            **letters._answers(match), **letters._about(speech, ANN, match, NOW),
        }  # fmt: skip
        page = css_inline.inline(render_template("turn/letter.html", **facts), keep_style_tags=True)
        message = flask_mail.Message(
            match.subject, recipients=["ann@example.org"], body=render_template("turn/letter.txt", **facts), html=page,
            reply_to=LINKS.reply_to, date=datetime.now(UTC).timestamp(),
        )  # fmt: skip
        octets: bytes = message.as_bytes()
        return octets


if __name__ == "__main__":
    measured()
