"""Where the rooms and the samples are.

The packages ``runtime`` and ``views`` have short names, so a user's own ``views.py`` may stand before ours on the
path. Then getrace must say so in one sentence instead of failing somewhere inside; nothing is imported to find out.
"""

import importlib.metadata
import importlib.util
from collections.abc import Callable
from pathlib import Path, PurePath

from getrace.errors import UsageError

ROOMS = ("runtime", "views")
_SHARE = ("share", "getrace", "samples")

Finder = Callable[[str], str | None]
"""Gives the file that an import of a name would load, or None when there is none."""


def check_rooms(rooms: tuple[str, ...] = ROOMS, find: Finder | None = None) -> None:
    """Make sure that the other rooms are ours.

    Raises:
        UsageError: an import of ``runtime`` or ``views`` would load somebody else's module, or nothing.
    """
    home = Path(__file__).resolve().parent.parent
    for room in rooms:
        origin = (find or _origin)(room)
        if origin is None:
            raise UsageError(f"the package {room!r} of getrace is not installed", "install getrace again")
        if Path(origin).resolve() != home / room / "__init__.py":
            raise UsageError(
                f"{origin} hides the package {room!r} of getrace",
                "start getrace from another folder, or rename that file",
            )


def samples_folder() -> Path:
    """Find the samples: beside the packages in a checkout, in the shared data of the installed wheel else.

    Raises:
        UsageError: neither is there.
    """
    beside = Path(__file__).resolve().parent.parent / "samples"
    if beside.is_dir():
        return beside
    installed = _installed_samples()
    if installed is None:
        raise UsageError("the samples of getrace are not installed", "give the path of a model instead of a name")
    return installed


def _origin(room: str) -> str | None:
    spec = importlib.util.find_spec(room)
    return None if spec is None else spec.origin


def _installed_samples() -> Path | None:
    try:
        files = importlib.metadata.files("getrace") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if is_sample(file):
            return Path(str(file.locate())).resolve().parent
    return None


def is_sample(file: PurePath) -> bool:
    """Say whether an installed file is a sample itself, and not what Python compiled beside it."""
    return file.suffix == ".py" and file.parent.parts[-len(_SHARE) :] == _SHARE
