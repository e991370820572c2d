"""A device profile of the user's own: a TOML file that changes numbers of a profile there is.

It owns the file's grammar. A profile that was made of whatever a file holds would fail where the number is missed, in
the middle of a run.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from getrace.errors import UsageError
from runtime.device.profiles import DeviceProfile, Parameter, find_profile

SUFFIX: Final = ".toml"
_BASE: Final = "base"
_TIMES: Final = "_ns"
_LONGEST: Final = 3_600_000_000_000
"""An hour in nanoseconds: a hundred such waits still end before 2262, where 64 bits of nanoseconds do."""
_LARGEST: Final = 1 << 48
"""As much as an address of the device can reach."""


def profile_of(text: str) -> DeviceProfile:
    """Give the profile of a name, or of a file whose name ends in ``.toml``. Raises UsageError with the grammar."""
    return _read(Path(text)) if text.endswith(SUFFIX) else find_profile(text)


def _read(path: Path) -> DeviceProfile:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"cannot read the profile {path}: {error.strerror}", "give a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}", "write lines of the form KEY = NUMBER") from error
    base = content.pop(_BASE, None)
    if not isinstance(base, str):
        raise UsageError(f"{path}: {_BASE} is missing", 'begin with a line like base = "ascend910b"')
    return _changed(path, find_profile(base), content)


def _changed(path: Path, base: DeviceProfile, content: Mapping[str, Any]) -> DeviceProfile:
    found = {key: Parameter(_number(path, base, key, value), str(path.name)) for key, value in content.items()}
    return replace(base, name=path.stem, parameters={**base.parameters, **found})


def _number(path: Path, base: DeviceProfile, key: str, value: object) -> int:
    if key not in base.parameters:
        raise UsageError(f"{path}: there is no key {key!r}", _grammar(base))
    least, most = (0, _LONGEST) if key.endswith(_TIMES) else (1, _LARGEST)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{path}: {key} = {value!r} is no whole number from {least} to {most}", _grammar(base))
    return value


def _grammar(base: DeviceProfile) -> str:
    return f"base = PROFILE, then KEY = NUMBER; the keys are {', '.join(sorted(base.parameters))}"
