"""What the caller decides about a screen before it opens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from getrace.store.store import Store
from views.tui.images import NO_IMAGES, Images
from views.tui.session_file import SessionFile

OVERVIEW, EVENTS, COMPARE = 1, 2, 8


@dataclass(frozen=True, slots=True)
class Settings:
    """``at`` is the row to open at, None for the first (or, live, the newest). ``dropped`` counts lost live events.

    ``verdict`` is one sentence for the line below the title, "" for none. ``ascii_only`` draws without box and
    braille characters, ``no_colour`` without any colour; ``light`` is for a light terminal. ``keys`` remaps actions:
    name of the action to its keys.

    ``ended`` is asked by the thread that polls the store: None while a live run goes on, then its verdict.
    ``screen`` is the number of the first screen; 0 begins with the overview of a log, or with the events where a row
    was asked for or a run goes on.

    ``other`` is a second log to compare with, at the screen for it; ``other_title`` is what it is called.

    ``behind`` gives the bytes of a log that is read while it is shown which are not read yet; None for any other.

    ``images`` says whether the terminal shows pictures with pixels.

    ``session`` is where marks, filters and the place of the cursor are kept between two looks; None keeps nothing.

    ``leaving`` is called when the user leaves, before the screen is taken down: a run should not hold that up.
    """

    title: str
    live: bool = False
    at: int | None = None
    verdict: str = ""
    ascii_only: bool = False
    dropped: Callable[[], int] = int
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ended: Callable[[], str | None] = lambda: None
    leaving: Callable[[], object] = int
    screen: int = 0
    no_colour: bool = False
    light: bool = False
    other: Store | None = None
    other_title: str = ""
    session: SessionFile | None = None
    images: Images = NO_IMAGES
    behind: Callable[[], int] | None = None

    @property
    def first_screen(self) -> int:
        """Give the number of the screen to begin with."""
        if self.other is not None:
            return self.screen or COMPARE
        return self.screen or (EVENTS if self.live or self.at is not None else OVERVIEW)

    @property
    def goes_on(self) -> bool:
        """Whether a look begins where the last one ended, as nothing else was asked for; 0 is a log that is read."""
        return not self.screen and self.other is None and (self.at == 0 if self.live else self.at is None)
