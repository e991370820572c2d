"""What a scalable allocator holds and has done: the state that its rules change and its statistics print."""

from dataclasses import dataclass, field

from runtime.memory.config import ScalableConfig
from runtime.memory.lower import DeviceAllocator
from runtime.memory.span import PageSpan, SpanLayers


@dataclass(slots=True)
class Tally:
    """Counts are since birth. ``theory`` is bytes in use, ``real_theory`` bytes asked for, ``*_min`` their maxima."""

    name: str
    config: ScalableConfig
    device: DeviceAllocator
    idle: SpanLayers = field(default_factory=SpanLayers)
    occupied: dict[PageSpan, None] = field(default_factory=dict)
    allocs: int = 0
    frees: int = 0
    recycles: int = 0
    theory: int = 0
    theory_min: int = 0
    real_theory: int = 0
    real_theory_min: int = 0
    device_max: int = 0
    given_away: int = 0

    def took(self, span: PageSpan) -> None:
        """A span was given out."""
        self.allocs += 1
        self.occupied[span] = None
        self.theory += span.size
        self.real_theory += span.asked
        # Compared by hand: this runs for every block of a model, and a call of max costs as much as the line above.
        self.theory_min = max(self.theory_min, self.theory)
        self.real_theory_min = max(self.real_theory_min, self.real_theory)

    def gave_back(self, span: PageSpan) -> None:
        """A span came back."""
        self.frees += 1
        del self.occupied[span]
        self.theory -= span.size
        self.real_theory -= span.asked

    def handed_over(self, span: PageSpan) -> None:
        """The block below a span in use went to somebody else; the sums of bytes keep it, as GE's do."""
        del self.occupied[span]
        self.device.occupied -= span.size
        self.given_away += span.size

    @property
    def reserved(self) -> int:
        """What is printed as held from below."""
        return self.device.occupied + self.given_away

    def new_maximum(self) -> bool:
        """Say whether the level below holds more than ever, and remember it."""
        if self.reserved <= self.device_max:
            return False
        self.device_max = self.reserved
        return True
