"""Time: integer nanoseconds since the epoch, and the texts they come from and go to.

A plog line carries the local time of the machine without a zone, so the wall clock is taken as it stands: two times
of one log differ by what the clocks differed, and a text made from a number is the text that was read.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

NS_PER_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1970, 2261  # what the nanoseconds of 64 bits hold, from the epoch on


def plog_time(time_ns: int) -> str:
    """Spell nanoseconds as plog does: ``2026-03-05-10:11:12.130.001`` (milliseconds, microseconds; spec 1.1)."""
    seconds, rest = divmod(time_ns, NS_PER_SECOND)
    micros = rest // 1000
    return f"{plog_second(seconds)}.{micros // 1000:03d}.{micros % 1000:03d}"


def plog_second(seconds: int) -> str:
    """Spell a whole second as plog does, ``2026-03-05-10:11:12``."""
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d-%H:%M:%S")


def parse_plog_second(text: str) -> int:
    """Read ``2026-03-05-10:11:12`` as whole seconds since the epoch.

    Raises ValueError for an impossible date, and for a year whose nanoseconds 64 bits do not hold.
    """
    return _seconds(datetime.strptime(text, "%Y-%m-%d-%H:%M:%S"), text)  # noqa: DTZ007 - plogs have no zone


def _seconds(moment: datetime, text: str) -> int:
    if moment.tzinfo is not None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        message = f"not a time of a plog: {text!r}"
        raise ValueError(message)
    return int(moment.replace(tzinfo=UTC).timestamp())


def iso_time(time_ns: int) -> str:
    """Spell nanoseconds as ISO 8601 without a zone, ``2026-03-05T10:11:12.130001``."""
    seconds, rest = divmod(time_ns, NS_PER_SECOND)
    return f"{_iso_second(seconds)}.{rest // 1000:06d}"


@lru_cache(maxsize=256)
def _iso_second(seconds: int) -> str:
    # The times of one answer share few seconds, and to spell a date is slow.
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def parse_time(text: str) -> int:
    """Read an ISO 8601 or a plog time as nanoseconds since the epoch; a day without a time is its midnight.

    Raises ValueError when it is neither, names a zone other than UTC (plogs have none), or lies outside 1970 to 2261.
    """
    head, _, fraction = text.strip().removesuffix("Z").partition(".")
    digits = fraction.replace(".", "")
    if digits and not digits.isdecimal():
        message = f"not a fraction of a second: {text!r}"
        raise ValueError(message)
    plog = head.count("-") > 2
    seconds = parse_plog_second(head) if plog else _seconds(datetime.fromisoformat(head), text)
    return seconds * NS_PER_SECOND + int(digits[:9].ljust(9, "0") or 0)
