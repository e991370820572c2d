"""What a scheduler asks of a producer: tasks that may be handed out now, and what follows from those that are done."""

from collections.abc import Sequence
from typing import Protocol

from runtime.executors.multi_thread.task import Done, ExecTask
from runtime.executors.options import TaskProducerType


class TaskProducer(Protocol):
    """``TaskProducer``. ``waits`` counts by kernel what it still waits for when it is handed out early."""

    kind: TaskProducerType
    waits: list[int] | None

    def start_up(self) -> int:
        """Begin a run: whatever an earlier one left behind is forgotten. 0, or a status that ends the run."""

    def produce(self) -> Sequence[ExecTask]:
        """Give tasks to hand out now; none when everything that may be known has been given."""

    def put_back(self, tasks: Sequence[ExecTask]) -> None:
        """Take tasks back that no worker had room for; they come first in the next ``produce``."""

    def recycle(self, done: Sequence[Done]) -> int:
        """Take tasks that are through; the first status that is not 0 among them is returned and ends the run."""

    def end_up(self) -> None:
        """End a run."""
