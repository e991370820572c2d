"""Where sessions lie: one file for each set of logs, under ``$XDG_STATE_HOME/getrace/sessions``.

Never beside the user's logs: a folder of evidence stays as it is.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from getrace.errors import UsageError
from getrace.whole_file import whole_file
from views.model.session import Session, read_session, session_text

MOST_FILES = 500
"""Sessions that are kept; the oldest go first."""
_OFF = ("off", "0", "no", "false")


class SessionFile:
    """The session of some paths. ``part`` names the part of them that is looked at, "" for all.

    ``fresh`` begins without what was kept before.
    """

    def __init__(self, folder: Path, paths: Sequence[str], *, part: str = "", fresh: bool = False) -> None:
        # A part of a log lacks lines: marks that stand at them must not be lost by looking at it.
        places = [*sorted(str(Path(path).absolute()) for path in paths), *([part] if part else [])]
        key = hashlib.blake2b("\n".join(places).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        self.path = folder / f"{key}.json"
        self._fresh = fresh

    def load(self) -> Session | None:
        """Give what was kept; None when there is nothing, or nothing that can be read."""
        if self._fresh:
            return None
        try:
            return read_session(self.path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, session: Session) -> str:
        """Keep a session in the place of the one before; an empty one leaves nothing. Gives why it could not, or ""."""
        try:
            if session.is_empty:
                self.path.unlink(missing_ok=True)
                return ""
            # Marks and filters hold names of the log: they are for their owner only.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(self.path) as file:
                file.write(session_text(session).encode("ascii"))
            self._make_room()
        except (OSError, UsageError) as error:
            return error.message if isinstance(error, UsageError) else f"cannot keep {self.path}: {error.strerror}"
        return ""

    def _make_room(self) -> None:
        kept = sorted(self.path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        for old in kept[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def session_file(
    environment: Mapping[str, str], paths: Sequence[str], *, part: str = "", fresh: bool = False
) -> SessionFile | None:
    """Give the session of some paths; None where none is wanted (``GETRACE_SESSIONS=off``) or there is no home."""
    if environment.get("GETRACE_SESSIONS", "on").strip().lower() in _OFF:
        return None
    home = environment.get("XDG_STATE_HOME", "")
    if not Path(home).is_absolute():  # the rule for XDG variables: a relative one counts as unset
        try:
            home = str(Path.home() / ".local" / "state")
        except RuntimeError:
            return None  # nobody's process: nowhere to keep anything
    return SessionFile(Path(home) / "getrace" / "sessions", paths, part=part, fresh=fresh)
