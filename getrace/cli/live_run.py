"""A run beside the screen that shows it: the run in a thread of its own, the screen in the main thread.

The store is the only thing both know. The run stays a little ahead of the screen and then waits for it: two threads of
Python share one lock, and a run that never rests would leave the screen no time to be drawn. Who leaves the screen ends
the run; a run that went on behind it would burn the processor for nobody.
"""

import threading
from collections.abc import Callable

from getrace.analysis.failure import diagnose
from getrace.cli.layout import counted, failed_at
from getrace.errors import GetraceError
from getrace.store.live import LiveStore
from runtime.api.simulate import RunResult

_AHEAD = 10_000
"""Events that may wait for the screen; a screen takes them up some 15 times a second."""
_NAP = 0.01


class LiveRun:
    """A run in a thread. ``run`` gets the question that it has to ask between steps: shall it stop?"""

    def __init__(self, run: Callable[[Callable[[], bool]], RunResult], store: LiveStore) -> None:
        self._run = run
        self._store = store
        self._leave = threading.Event()
        self._over = threading.Event()
        self._result: RunResult | None = None
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="getrace-run", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def verdict(self) -> str | None:
        """Give one sentence when the run is over, else None. For the thread that polls the store only."""
        if not self._over.is_set():
            return None
        if self._fault is not None or self._result is None:
            said = self._fault.message if isinstance(self._fault, GetraceError) else type(self._fault).__name__
            return f"the run broke off: {said}"
        steps = counted(self._result.steps, "step")
        if not self._result.status:
            return f"OK, {steps}"
        self._store.poll()
        failure = diagnose(self._store).failure
        return f"{'the run failed' if failure is None else failed_at(failure)}, after {steps}"

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def leave(self) -> None:
        """Ask the run to end before its next step."""
        self._leave.set()

    def stop(self) -> RunResult:
        """End the run before its next step, and give what came of it. Raises what the run raised."""
        self.leave()
        self.join()
        if self._fault is not None:
            raise self._fault
        assert self._result is not None
        return self._result

    def _wait_and_ask(self) -> bool:
        """Wait until the screen has taken up what there is; say whether it was left."""
        while self._store.waiting > _AHEAD and not self._leave.wait(_NAP):
            continue
        return self._leave.is_set()

    def _work(self) -> None:
        try:
            self._result = self._run(self._wait_and_ask)
        except BaseException as error:  # noqa: BLE001 - handed to the main thread, which raises it again
            self._fault = error
        self._over.set()
