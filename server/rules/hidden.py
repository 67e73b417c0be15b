"""Cards and pieces whose front is not for all eyes."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Hidden(Generic[T]):
    """A card, tile or piece that knows which seats have seen its front.

    Only the rules look at `front` without asking; everything that goes out uses `read(viewer)`. It has no JSON
    form and its `repr` is its back. `group` names the secret things it could be exchanged with without anybody
    who has not seen it noticing ("tile", "agent of 2"): the test of secrecy shuffles fronts within a group.
    """

    __slots__ = ("_eyes", "_public", "back", "front", "group")

    def __init__(self, front: T, back: str, group: str) -> None:
        self.front = front
        self.back = back
        self.group = group
        self._eyes: frozenset[int] = frozenset()
        self._public = False

    def show(self, *seats: int) -> None:
        """These seats have now seen it, and remember."""
        self._eyes = self._eyes.union(seats)

    def show_all(self) -> None:
        self._public = True

    def hide(self) -> None:
        """Nobody can tell any more which one it is (it went into a shuffle, or behind a screen)."""
        self._eyes = frozenset()
        self._public = False

    def known_to(self, viewer: int | str | None) -> bool:
        return self._public or viewer == "host" or viewer in self._eyes

    @property
    def public(self) -> bool:
        return self._public

    def read(self, viewer: int | str | None) -> T | None:
        """The front if `viewer` has seen it, else None."""
        return self.front if self.known_to(viewer) else None

    def __repr__(self) -> str:
        return f"<{self.back}>"
