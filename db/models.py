"""All tables. A row holds facts; what they mean for a match, the rules and `server.matches` decide."""

import secrets
import unicodedata
from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal

from sqlalchemy import BigInteger, Index, LargeBinary, MetaData, String, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from db.columns import Instant, Json, Span

MatchStatus = Literal["open", "running", "paused", "finished", "aborted", "frozen"]
Author = Literal["player", "reply", "api", "house", "clock"]
LetterState = Literal["waiting", "claimed", "sent", "unknown", "failed", "dropped"]
InboundState = Literal["waiting", "done", "ignored", "quarantined"]
ChannelKind = Literal["webhook", "push", "apprise"]
CallState = Literal["waiting", "claimed", "done", "failed", "dropped"]
Motion = Literal["pause", "resume", "extend", "abort", "draw"]
Rhythm = Literal["at once", "later", "together", "daily"]

Data = dict[str, Any]

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
_ID_LETTERS = "23456789bcdfghjkmnpqrstvwxyz"  # nothing that is misread, no vowels that make words


def new_id(length: int = 6) -> str:
    """A short public id: six letters for a match or a person, twelve for a letter."""
    number, many, letters = secrets.randbelow(len(_ID_LETTERS) ** length), len(_ID_LETTERS), ""
    for _ in range(length):
        letters += _ID_LETTERS[number % many]
        number //= many
    return letters


def email_key(address: str) -> str:
    """What makes two spellings of an address the same person."""
    return unicodedata.normalize("NFKC", address).strip().casefold()


class Row(SQLModel):
    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)


_UNREACHABLE = text("paused_at IS NOT NULL")


class Player(Row, table=True):
    """A person. The address as typed and, for telling people apart, its key."""

    __table_args__ = (
        Index(None, "name", "id"),
        Index(None, "paused_at", sqlite_where=_UNREACHABLE, postgresql_where=_UNREACHABLE),
    )

    id: str = Field(primary_key=True, default_factory=new_id)
    name: str
    email: str
    email_key: str = Field(unique=True)
    language: str = "en"
    zone: str | None = None  # IANA name
    created_at: datetime = Field(sa_type=Instant)
    paused_at: datetime | None = Field(default=None, sa_type=Instant)  # the address cannot be reached
    paused_why: str | None = None
    email_since: datetime | None = Field(default=None, sa_type=Instant)  # null: from the beginning
    new_email: str | None = None  # asked for, and not yet confirmed from there
    rhythm: Rhythm = Field(default="at once", sa_type=String)
    rhythm_minutes: int = 30  # of "later" and "together"
    rhythm_hour: int = 18  # of "daily", in the player's zone
    hours: Data | None = Field(default=None, sa_type=Json)  # nights and days off, in the player's zone
    away: list[Any] | None = Field(default=None, sa_type=Json)  # vacations, taken and booked: [[from, until], …]
    reminders: str | None = None  # like "50% 12h"; null: the usual ones
    mute_all: bool = False
    mute_reminders: bool = False
    hints: bool | None = None  # whether decisions are explained; null: in the first match of a game
    links_epoch: int = 0  # sessions and links of an older epoch are void
    logins: int = 0  # a sign-in link names this number, so it works once


class SignIn(Row, table=True):
    """The way in that a person asked for last, and how often a wrong code was tried."""

    __tablename__ = "sign_in"

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    until: datetime = Field(sa_type=Instant)
    wrong: int = 0  # codes tried in vain since
    wrong_since: datetime = Field(sa_type=Instant)


class Device(Row, table=True):
    """A browser in which somebody is signed in; its cookie names the row, and without the row it is nobody's."""

    id: str = Field(primary_key=True, default_factory=lambda: new_id(24))
    player_id: str = Field(foreign_key="player.id", index=True)
    about: str  # like "Firefox, Android"
    created_at: datetime = Field(sa_type=Instant)
    seen_at: datetime = Field(sa_type=Instant)  # to the day


class Passkey(Row, table=True):
    """The public half of a key that a person's device keeps."""

    id: str = Field(primary_key=True)  # the credential's, in base64url
    player_id: str = Field(foreign_key="player.id", index=True)
    public_key: bytes = Field(sa_type=LargeBinary)
    uses: int = Field(default=0, sa_type=BigInteger)  # as the device counts
    name: str
    created_at: datetime = Field(sa_type=Instant)
    used_at: datetime | None = Field(default=None, sa_type=Instant)


class Channel(Row, table=True):
    """Another way than mail on which somebody hears of their matches, or of one match and all who play it."""

    id: str = Field(primary_key=True, default_factory=lambda: new_id(8))
    player_id: str = Field(foreign_key="player.id", index=True)
    match_id: str | None = Field(default=None, foreign_key="match.id", index=True)  # null: all of the player's own
    kind: ChannelKind = Field(sa_type=String)
    name: str
    address: str
    secret: str = ""  # what signs or encrypts
    created_at: datetime = Field(sa_type=Instant)
    tried_at: datetime | None = Field(default=None, sa_type=Instant)
    said: str | None = None  # how the last call fared, in a few words
    failing_since: datetime | None = Field(default=None, sa_type=Instant)
    off_at: datetime | None = Field(default=None, sa_type=Instant)


class Call(Row, table=True):
    """Something to be told on a channel, written with its cause; what is told is made when it is told."""

    __table_args__ = (UniqueConstraint("channel_id", "occasion"), Index(None, "state", "send_at"))

    id: int | None = Field(default=None, primary_key=True)
    channel_id: str = Field(foreign_key="channel.id")
    occasion: str
    kind: str  # of the letter, or "test"
    match_id: str | None = None
    seat: int | None = None
    tenure: int | None = None
    asked: int | None = None
    created_at: datetime = Field(sa_type=Instant)
    send_at: datetime = Field(sa_type=Instant)  # not before; while claimed, when the claim lapses
    state: CallState = Field(default="waiting", sa_type=String)
    attempts: int = 0
    said: str | None = None


class Tally(Row, table=True):
    """How often somebody did something in a stretch of time; who it was stands there as a hash."""

    who: str = Field(primary_key=True)
    until: datetime = Field(sa_type=Instant, index=True)
    times: int


class ApiKey(Row, table=True):
    """A program's key, kept as a hash. Without a player it is the operator's."""

    __tablename__ = "api_key"

    id: str = Field(primary_key=True, default_factory=new_id)
    key_hash: str = Field(unique=True)
    player_id: str | None = Field(default=None, foreign_key="player.id", index=True)
    created_at: datetime = Field(sa_type=Instant)
    revoked_at: datetime | None = Field(default=None, sa_type=Instant)


class Match(Row, table=True):
    """A match is its set-up and its moves; everything else is replayed from them."""

    __table_args__ = (
        Index(None, "status", "created_at"),
        Index(
            None,
            "starts_at",
            sqlite_where=text("starts_at IS NOT NULL"),
            postgresql_where=text("starts_at IS NOT NULL"),
        ),
        Index(
            "uq_match_again_of", "again_of", unique=True,
            sqlite_where=text("again_of IS NOT NULL"), postgresql_where=text("again_of IS NOT NULL"),
        ),
    )  # fmt: skip

    id: str = Field(primary_key=True, default_factory=new_id)
    game: str
    edition: str
    rules: str  # the rules' version
    options: Data = Field(sa_type=Json)
    seed: str
    commitment: str
    pace: Data = Field(sa_type=Json)
    status: MatchStatus = Field(default="open", sa_type=String)
    version: int = 0  # number of moves made
    question: int = 0  # number of the open question
    revision: int = 0  # moves on with every change, a sealed answer changed or a move taken back too
    host_id: str | None = Field(default=None, foreign_key="player.id", index=True)
    created_at: datetime = Field(sa_type=Instant)
    started_at: datetime | None = Field(default=None, sa_type=Instant)
    finished_at: datetime | None = Field(default=None, sa_type=Instant)
    outcome: Data | None = Field(default=None, sa_type=Json)
    frozen_why: str | None = None
    public: bool = False  # before it begins, anybody who is signed in may take a free seat
    round: int = 1  # of links to free seats; those of an older round are void
    starts_at: datetime | None = Field(default=None, sa_type=Instant)  # null: when all seats are taken
    again_of: str | None = None  # the match that the same people played before


_ASKED = text("asked IS NOT NULL")
_NO_LIMIT = text("asked IS NOT NULL AND due_at IS NULL")


class Seat(Row, table=True):
    """A place in a match, who holds it, and the decision that is open for it.

    Before the match begins it may be free: neither a player's nor the house's.
    """

    __table_args__ = (
        Index(None, "player_id", "due_at", sqlite_where=_ASKED, postgresql_where=_ASKED),
        Index(None, "asked_at", sqlite_where=_NO_LIMIT, postgresql_where=_NO_LIMIT),
        Index(
            None,
            "remind_at",
            sqlite_where=text("remind_at IS NOT NULL"),
            postgresql_where=text("remind_at IS NOT NULL"),
        ),
        Index(
            None,
            "due_at",
            sqlite_where=text("due_at IS NOT NULL"),
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index(
            None,
            "play_at",
            sqlite_where=text("play_at IS NOT NULL"),
            postgresql_where=text("play_at IS NOT NULL"),
        ),
        Index(
            None,
            "lent_until",
            sqlite_where=text("lent_until IS NOT NULL"),
            postgresql_where=text("lent_until IS NOT NULL"),
        ),
    )

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    number: int = Field(primary_key=True)
    player_id: str | None = Field(default=None, foreign_key="player.id", index=True)
    house: bool = False
    strong: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})  # the house thinks ahead
    name: str
    tenure: int = 1  # moves on with each holder; links of an older tenure are void
    invited_at: datetime | None = Field(default=None, sa_type=Instant)
    accepted_at: datetime | None = Field(default=None, sa_type=Instant)
    muted: bool = False
    asked: int | None = None  # the match's revision that began this stretch of being asked; null when not asked
    asked_at: datetime | None = Field(default=None, sa_type=Instant)
    due_at: datetime | None = Field(default=None, sa_type=Instant)  # when time is up
    remind_at: datetime | None = Field(default=None, sa_type=Instant)  # when the next reminder is due
    answered: bool = False  # a sealed answer is in and may still be changed
    time_given: timedelta | None = Field(default=None, sa_type=Span)  # for the open decision; null: no clock
    time_left: timedelta | None = Field(default=None, sa_type=Span)  # at the instant `runs_since`
    runs_since: datetime | None = Field(default=None, sa_type=Instant)  # null: the clock is stopped
    bank: timedelta | None = Field(default=None, sa_type=Span)  # before the open decision; null: as at the beginning
    overdue_at: datetime | None = Field(default=None, sa_type=Instant)  # the time was up then, and the grace began
    late_at: datetime | None = Field(default=None, sa_type=Instant)  # the match was ended then, for being late here
    play_at: datetime | None = Field(default=None, sa_type=Instant)  # when the answer prepared for it is played
    lent_by: str | None = Field(default=None, foreign_key="player.id")  # who gets the seat back
    lent_until: datetime | None = Field(default=None, sa_type=Instant)
    offered_to: str | None = Field(default=None, foreign_key="player.id")  # who may take it over by the link
    heard_at: datetime | None = Field(default=None, sa_type=Instant)  # its holder has read what was said until then
    word: str | None = None  # the holder's own, mixed into the shuffles; fixed when the match begins


_OF_A_PLAYER = text("player_id IS NOT NULL")


class Move(Row, table=True):
    """One move as text. Kept in the order of the match, so loading reads one stretch of the file."""

    __table_args__ = (
        Index(None, "player_id", "at", sqlite_where=_OF_A_PLAYER, postgresql_where=_OF_A_PLAYER),
        Index(
            "uq_move_once", "match_id", "seat", "once", unique=True,
            sqlite_where=text("once IS NOT NULL"), postgresql_where=text("once IS NOT NULL"),
        ),
        {"sqlite_with_rowid": False},
    )  # fmt: skip

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    question: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    text: str
    once: str | None = None  # the page's submission id: the same submission twice is one move
    at: datetime = Field(sa_type=Instant)
    by: Author = Field(sa_type=String)
    shows: bool = False  # revealed something: no undo past it
    digest: str | None = None  # of the position after it; null while sealed
    player_id: str | None = Field(default=None, foreign_key="player.id")  # whose answer it was, or should have been
    took: timedelta | None = Field(default=None, sa_type=Span)  # since the decision was asked; null: went on with it
    late: bool = False  # the time was up


class Prepared(Row, table=True):
    """An answer given ahead of time: to the next decision of a kind, or (standing) to each of them."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    tenure: int  # of who prepared it; nobody else's answer
    text: str
    standing: bool = False
    wait: timedelta | None = Field(default=None, sa_type=Span)  # unless answered within so long
    created_at: datetime = Field(sa_type=Instant)


_OPEN = text("settled_at IS NULL")


class Ballot(Row, table=True):
    """Something that the players of a match decide together."""

    __table_args__ = (
        Index("uq_ballot_open", "match_id", "what", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index(None, "until", sqlite_where=_OPEN, postgresql_where=_OPEN),
    )

    id: str = Field(primary_key=True, default_factory=lambda: new_id(8))
    match_id: str = Field(foreign_key="match.id", index=True)
    what: Motion = Field(sa_type=String)
    why: str = ""
    hours: float | None = None  # of an extension
    for_seat: int | None = None  # who gets it
    by_seat: int
    opened_at: datetime = Field(sa_type=Instant)
    until: datetime = Field(sa_type=Instant)  # nobody's vote is waited for after that
    settled_at: datetime | None = Field(default=None, sa_type=Instant)
    carried: bool | None = None


class Vote(Row, table=True):
    """One seat's vote; it counts while the seat has the same holder."""

    ballot_id: str = Field(primary_key=True, foreign_key="ballot.id")
    seat: int = Field(primary_key=True)
    tenure: int
    yes: bool
    at: datetime = Field(sa_type=Instant)


class Remark(Row, table=True):
    """What somebody said to the others of a match."""

    __table_args__ = (Index(None, "match_id", "at"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id")
    seat: int
    player_id: str = Field(foreign_key="player.id", index=True)
    text: str
    at: datetime = Field(sa_type=Instant)


class Note(Row, table=True):
    """What a player notes about a match, for nobody else."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    player_id: str = Field(primary_key=True, foreign_key="player.id", index=True)
    text: str
    at: datetime = Field(sa_type=Instant)


class Draft(Row, table=True):
    """What a player means to answer and has not answered yet, for nobody else."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    player_id: str = Field(primary_key=True, foreign_key="player.id", index=True)
    stamp: str  # of the decision that it answers; at another decision it counts for nothing
    text: str
    at: datetime = Field(sa_type=Instant)


class Standby(Row, table=True):
    """Somebody who would take over a seat of this game; the longest waiting is asked first."""

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    game: str = Field(primary_key=True)
    since: datetime = Field(sa_type=Instant)


class Letter(Row, table=True):
    """A mail to be written: whom, why, and how far it came. It is rendered when it is sent and not kept."""

    __table_args__ = (
        Index(None, "state", "send_at"),
        Index(None, "match_id", "seat"),
        Index(None, "player_id", "created_at"),
    )

    id: str = Field(primary_key=True, default_factory=lambda: new_id(12))
    kind: str
    player_id: str | None = Field(default=None, foreign_key="player.id")
    address: str | None = None  # only where there is no player
    match_id: str | None = Field(default=None, foreign_key="match.id")
    seat: int | None = None
    tenure: int | None = None
    asked: int | None = None  # the decision it is about
    occasion: str = Field(unique=True)  # one letter an occasion, whoever tries
    data: Data = Field(default_factory=dict, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    send_at: datetime = Field(sa_type=Instant)  # not before; while claimed, when the claim lapses
    state: LetterState = Field(default="waiting", sa_type=String)
    attempts: int = 0  # claims so far; the number of a claim is its holder's right to report
    unknown: int = 0  # sendings of which nobody knows whether the mail arrived
    last_status: int | None = None  # the mail server's code
    last_answer: str | None = None
    message_id: str | None = None  # the same on every attempt
    sent_at: datetime | None = Field(default=None, sa_type=Instant)
    why: str | None = None  # failed or dropped for what reason


class MailboxMail(Row, table=True):
    """A mail in the built-in mailbox, byte for byte as a mail server would have got it."""

    __tablename__ = "mailbox_mail"

    id: int | None = Field(default=None, primary_key=True)
    letter_id: str | None = Field(default=None, foreign_key="letter.id", index=True)
    to_address: str = Field(index=True)
    kind: str
    match_id: str | None = Field(default=None, foreign_key="match.id", index=True)
    message_id: str = Field(unique=True)
    raw: bytes = Field(sa_type=LargeBinary)
    at: datetime = Field(sa_type=Instant)


_WITH_BYTES = text("length(raw) > 0")


class InboundMail(Row, table=True):
    """An incoming mail, stored before anything is done about it."""

    __tablename__ = "inbound_mail"
    __table_args__ = (
        Index(None, "state", "received_at"),
        Index(None, "received_at", sqlite_where=_WITH_BYTES, postgresql_where=_WITH_BYTES),
    )

    id: int | None = Field(default=None, primary_key=True)
    hash: str = Field(unique=True)  # of the recipient and every byte
    message_key: str | None = Field(default=None, unique=True)  # of its Message-ID and our address: copies share it
    raw: bytes = Field(sa_type=LargeBinary)  # of one that is too large only the beginning; emptied after a while
    envelope_to: str | None = None  # what the mail server told, where it told something
    envelope_from: str | None = None
    received_at: datetime = Field(sa_type=Instant)
    state: InboundState = Field(default="waiting", sa_type=String)
    attempts: int = 0  # how often somebody began to act on it
    player_id: str | None = Field(default=None, foreign_key="player.id", index=True)  # who wrote it, if that is known
    why: str | None = None


class Bounce(Row, table=True):
    """A day on which mails to a person came back, though not for good."""

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    day: str = Field(primary_key=True)  # like "2026-11-30", UTC
    status: str = ""
    why: str


class World(Row, table=True):
    """What is true of the whole instance: the demo's clock, the worker's last tick."""

    key: str = Field(primary_key=True)
    value: str


class Event(Row, table=True):
    """What an operator or the server itself did, to which match, and why."""

    id: int | None = Field(default=None, primary_key=True)
    match_id: str | None = Field(default=None, foreign_key="match.id", index=True)
    at: datetime = Field(sa_type=Instant, index=True)
    who: str
    what: str
    why: str | None = None
