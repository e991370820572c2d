"""The one place where text of a log becomes text of a screen.

A log may hold anything: escape sequences, marks that turn the writing direction, characters without width, lines of
a megabyte. A screen that printed them as they are would be changed by them, or would show a line that is not there.
Everything shown passes through ``printable``; if each widget escaped for itself, one of them would forget a case.
"""

import unicodedata
from functools import lru_cache

CUT = "…"
LIMIT = 2_000
"""Characters of a text that a row may show; far more than the widest terminal."""

_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\x1b": "\\e"}
# Letters, digits, punctuation, symbols and spaces stand as they are. Marks (M*), controls, format characters, lone
# surrogates, private and unassigned ones have no width of their own, or one that terminals disagree about.
_SHOWN_CATEGORIES = "LNPSZ"
_JOINING = (range(0x1160, 0x1200), range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400))  # Jamo vowels, flags, skin tones


def printable(text: str, limit: int = LIMIT) -> str:
    r"""Give a text that is safe to show: one line, visible escapes (``\e``, ``\x07``, ``\u202e``), bounded length.

    The answer has at most ``limit`` characters; a longer one ends with ``…``. What is cut is never looked at, so the
    cost does not grow with the text.
    """
    head = text[:limit]
    shown = head if head.isascii() and head.isprintable() else "".join(map(_visible, head))
    if len(text) <= limit and len(shown) <= limit:
        return shown
    return shown[: max(limit - 1, 0)] + CUT[: max(limit, 0)]


@lru_cache(maxsize=4096)
def _visible(char: str) -> str:
    if char == " " or (_has_width(char) and char.isprintable()):
        return char
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _has_width(char: str) -> bool:
    return unicodedata.category(char)[0] in _SHOWN_CATEGORIES and not any(ord(char) in part for part in _JOINING)


def cell_width(text: str) -> int:
    """Give the terminal cells of a printable text: wide characters (Chinese, emoji) take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Give a printable text in exactly ``width`` cells: padded, or cut with ``…``."""
    room = width - cell_width(text)
    if room >= 0:
        return " " * room + text if right else text + " " * room
    if width <= 0:
        return ""
    kept, used = [], 0
    for char in text:
        cells = cell_width(char)
        if used + cells > width - 1:
            break
        kept.append(char)
        used += cells
    return "".join(kept) + CUT + " " * (width - 1 - used)


def tail(text: str, width: int) -> str:
    """Give the end of a printable text in at most ``width`` cells: of a path, the end is what one looks for."""
    if cell_width(text) <= width:
        return text
    start = next(place for place in range(1, len(text) + 1) if cell_width(text[place:]) < width)
    return CUT + text[start:]


def wrap(text: str, width: int) -> list[str]:
    """Break a printable text into pieces of at most ``width`` cells; an empty text is one empty piece."""
    pieces, start, used = [], 0, 0
    for place, char in enumerate(text):
        cells = cell_width(char)
        if used + cells > width and place > start:
            pieces.append(text[start:place])
            start, used = place, 0
        used += cells
    return [*pieces, text[start:]]
