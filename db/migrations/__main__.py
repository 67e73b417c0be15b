"""For developers: `python -m db.migrations "What changes"` writes the next revision from the models."""

import re
import sys
import tempfile
from pathlib import Path

from alembic import command

from db.engine import Store
from db.migrate import HEAD, alembic_config, upgrade


def write_revision(message: str) -> Path:
    """Compares the models with a database at the newest revision. The file wants reading before it is used."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/empty.db")
        first = not any((Path(__file__).parent / "versions").glob("0*.py"))
        number = 1 if first else int(HEAD) + 1
        if not first:
            upgrade(store)
        with store.rebuilding() as connection:
            config = alembic_config(connection)
            script = command.revision(config, message, autogenerate=True, rev_id=f"{number:04}")
        store.close()
    file = Path(script.path)  # type: ignore[union-attr]
    file.write_text(re.sub(r" *# ###.*\n", "", file.read_text()))
    return file


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('Say what changes: python -m db.migrations "Seats have a colour"')
    print(f"Wrote {write_revision(sys.argv[1])}; now set HEAD in db/migrate.py, read it and format it.")
