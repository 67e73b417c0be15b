"""Whether the database's schema is this program's, asked often and looked up rarely: it may be migrated meanwhile."""

from __future__ import annotations

import time
from typing import Final

from db.engine import Store
from db.migrate import SchemaError, require_current

_LOOK_EVERY: Final = 5.0  # seconds


class SchemaWatch:
    """For web and worker, which go on running while another process migrates."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looked_at = -_LOOK_EVERY
        self._wrong = ""

    def what_is_wrong(self) -> str:
        """Why this program cannot work with the database as it is; empty if it can."""
        if time.monotonic() - self._looked_at >= _LOOK_EVERY:
            try:
                require_current(self._store)
                self._wrong = ""
            except SchemaError as error:
                self._wrong = str(error)
            self._looked_at = time.monotonic()
        return self._wrong
