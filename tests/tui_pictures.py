"""What a test asks of the fixture that compares pictures."""

from typing import Protocol

from textual.pilot import Pilot


class SamePicture(Protocol):
    """Compares the screen with its stored picture; ``outline`` keeps the words of a real log out of the store."""

    def __call__(self, pilot: Pilot[None], name: str, *, outline: bool = False) -> None: ...
