"""What people type as names, made fit to be shown to others."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 40


def clean_name(name: str) -> str:
    """A name on one line, without control, invisible or direction-turning characters, at most 40 long; may be empty."""
    return clean_text(name, LONGEST_NAME)


def clean_text(told: str, longest: int) -> str:
    """The same for any line that people type for others."""
    plain = unicodedata.normalize("NFKC", told[: longest * 4])
    shown = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs") else c for c in plain)
    kept = "".join(c for c in shown if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn"))
    return " ".join(kept.split())[:longest].strip()


def clean_lines(told: str, longest: int) -> str:
    """The same for a text of several lines; blank lines only between paragraphs."""
    lines = [clean_text(line, longest) for line in told[: longest * 4].splitlines()]
    kept = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    return "\n".join(kept).strip()[:longest].strip()
