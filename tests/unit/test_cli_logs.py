"""getrace's own log lines look like plog."""

import os
import threading

from getrace.logs import start_logging


def test_a_log_line_has_the_prefix_of_plog_and_sorted_values() -> None:
    lines: list[str] = []
    logger = start_logging(lines.append, lambda: 1_700_000_000_123_456_789)
    logger.info("verb called", verb="run", again=1)
    expected = (
        f"[INFO] GETRACE({os.getpid()},getrace):2023-11-14-22:13:20.123.456 {threading.get_native_id()} "
        "verb called again=1 verb=run\n"
    )
    assert lines == [expected]
