"""Whether a terminal can show the screens, asked before they take it; and what to do when it cannot.

A screen that opens where it cannot be read leaves a terminal full of signs and a user without an answer.
"""

from collections.abc import Mapping

from getrace.errors import UsageError

SMALLEST = (60, 15)
"""Cells across and down that the screens need."""
_WITHOUT_SCREEN = "`getrace open PATH --linear overview` prints a screen in plain lines, and so does every other verb"


def refuse_what_cannot_show(environment: Mapping[str, str], size: tuple[int, int], *, ascii_only: bool = False) -> None:
    """Say in one sentence why a terminal cannot show the screens.

    Raises:
        UsageError: it is dumb, too small, or its locale has no signs but ASCII and ``ascii_only`` is not asked for.
    """
    width, height = size
    kind = environment.get("TERM", "")
    if kind in {"", "dumb", "unknown"}:
        raise UsageError(f"the terminal is {kind or 'unnamed'}: it cannot show screens", _WITHOUT_SCREEN)
    if 0 < width < SMALLEST[0] or 0 < height < SMALLEST[1]:
        needs = f"{SMALLEST[0]}x{SMALLEST[1]}"
        raise UsageError(f"the terminal has {width}x{height} cells, the screens need {needs}", "make the window larger")
    locale = _locale(environment)
    if not ascii_only and locale.upper() in {"C", "POSIX"}:
        raise UsageError(
            f"the locale {locale} has no signs but ASCII", "add --ascii, or set LANG=C.UTF-8 if the terminal has more"
        )


def wants_no_colour(environment: Mapping[str, str]) -> bool:
    """Say whether the user asks all programs for no colour (no-color.org: set and not empty)."""
    return bool(environment.get("NO_COLOR") or environment.get("GETRACE_NO_COLOR"))


_COERCED = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""What Python itself sets LC_CTYPE to when it finds the locale C (PEP 538); it says nothing of the terminal."""


def _locale(environment: Mapping[str, str]) -> str:
    chosen = environment.get("LC_CTYPE", "")
    names = ("LC_ALL", "LANG") if chosen in _COERCED else ("LC_ALL", "LC_CTYPE", "LANG")
    return next((value for name in names if (value := environment.get(name))), "")
