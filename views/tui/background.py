"""Long work beside the screen, in threads that nobody waits for when the user leaves.

textual's own thread workers are joined when the application ends: over a log of millions of rows ``q`` would leave
minutes later. What goes wrong in such a thread must not vanish, so it is raised again where the screen runs.
"""

import threading
from collections.abc import Callable

from textual.message import Message
from textual.message_pump import MessagePump

from views.tui.pauses import hand_back


class Failed(Message):
    """A thread failed; whoever gets this raises the error."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def in_background(pump: MessagePump, work: Callable[[], None]) -> None:
    """Run ``work`` in a thread of its own; an error is posted to ``pump`` as ``Failed``."""

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again by the screen, with its traceback
            pump.post_message(Failed(error))
        hand_back()

    threading.Thread(target=guarded, name="getrace-background", daemon=True).start()
