"""What the tests of pages have from npm, pinned in package-lock.json beside: `make node` puts it there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

MODULES: Final = Path(__file__).parent.parent.parent / "var" / "node" / "node_modules"
AXE: Final = MODULES / "axe-core" / "axe.min.js"
LIGHTHOUSE: Final = MODULES / "lighthouse" / "cli" / "index.js"

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is needed: make node")
needs_lighthouse = pytest.mark.skipif(not LIGHTHOUSE.exists(), reason="Lighthouse is needed: make node")


CANIEMAIL: Final = MODULES / "caniemail" / "dist" / "index.js"
HTML_VALIDATE: Final = MODULES / "html-validate" / "bin" / "html-validate.mjs"
needs_mail_checks = pytest.mark.skipif(
    not (CANIEMAIL.exists() and HTML_VALIDATE.exists()), reason="caniemail and html-validate are needed: make node"
)
