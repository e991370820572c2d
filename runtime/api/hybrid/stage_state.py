"""StageState: where one stage of a pipeline stands, what it waits for, and what it hands on (spec/execution.md 3.9).

A product lies with its stage until every consumer has taken it; that is the pipeline's back pressure. GE's stages spin
on each other's counters, here they wait on one condition for the whole pipeline. The host program of a simulated
machine has one clock, so only one stage's host code runs at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Final

from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.stage_graph import Feed, Product, StagePlan
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.model_v2 import ModelV2Executor
from runtime.memory.tensor_data import BlockOwner, release
from runtime.values import Shape, StorageShape, Tensor, TensorData

_FILE: Final = "rt_v2_stage_state.cc"
_INPUT_STAGE: Final = (_FILE, 252, "ConsumeInputs")
_SYNC: Final = (_FILE, 281, "RunTask")
_OUTPUT_STAGE: Final = (_FILE, 292, "ProduceOutputs")
_NOT_OWNED: Final = (_FILE, 297, "ProduceOutputs")
_TASK: Final = (_FILE, 79, "LoadAsDaemon")


@dataclass(slots=True)
class Belt:
    """What the stages of one pipeline share: the condition they wait on, and the host program's turn."""

    changed: Condition = field(default_factory=Condition)
    turn: Lock = field(default_factory=Lock)


class StageState:
    """One stage with its executor. ``taken`` counts the steps whose inputs it has, ``done`` those it has handed on."""

    def __init__(self, process: GeProcess, plan: StagePlan, executor: ModelV2Executor, belt: Belt) -> None:
        self.plan = plan
        self.executor = executor
        self.producers: list[StageState] = []
        self.consumers: list[StageState] = []
        self.products: list[Tensor] = []
        self.error = False
        self.taken = 0
        self.done = 0
        self.arg = ModelExecuteArg()
        self._process = process
        self._belt = belt
        self._borrowed: list[tuple[StageState, Tensor]] = []
        self._returned: list[Tensor] = []

    @property
    def name(self) -> str:
        """The stage's name in the model."""
        return self.plan.name

    def reset(self) -> None:
        """``Reset``: before each call of the pipeline."""
        self.taken = self.done = 0
        self.error = False

    def run(self, feeds: Sequence[Tensor], steps: int) -> None:
        """Run ``steps`` steps. Whatever fails sets ``error``, which all who wait for this stage see."""
        text = f"Stage {self.name} got an run task with expect steps {steps}"
        self._process.say(_TASK, text)
        try:
            if not all(self._step(feeds, step) for step in range(steps)):
                self.fail()
        except BaseException:
            self.fail()
            raise

    def _step(self, feeds: Sequence[Tensor], step: int) -> bool:
        inputs = self._consume(feeds, step)
        outputs = None if inputs is None else self._run_task(inputs)
        return outputs is not None and self._produce(outputs)

    def fail(self) -> None:
        """Say that this stage will hand on nothing more in this call."""
        with self._belt.changed:
            self.error = True
            self._belt.changed.notify_all()

    def take_back(self, product: Tensor) -> None:
        """Get a product back from who borrowed it; this stage frees it when its turn comes."""
        self._returned.append(product)

    def release(self) -> None:
        """Let go of all tensors, of this stage's own and those it borrowed."""
        self._give_back()
        for product in self.products:
            _free(product)
        self.products = []
        self._free_returned()

    def _consume(self, feeds: Sequence[Tensor], step: int) -> list[Tensor] | None:
        """Wait for the producers and take their products; what was borrowed for the step before goes back now."""
        self._give_back()
        with self._belt.changed:
            for producer in self.producers:
                while producer.done <= step and not producer.error:
                    self._belt.changed.wait()
                if producer.error:
                    text = f"Stage {self.name} input stage {producer.name} status error"
                    self._process.refuse(_INPUT_STAGE, text)
                    return None
            inputs = [feeds[each.index] if isinstance(each, Feed) else self._borrow(each) for each in self.plan.inputs]
            self.taken = step + 1
            self._belt.changed.notify_all()
        return inputs

    def _run_task(self, inputs: Sequence[Tensor]) -> list[Tensor] | None:
        count = len(self.executor.get_model_desc().outputs)
        outputs = [Tensor(StorageShape(Shape(), Shape())) for _ in range(count)]
        with self._belt.turn:
            self._free_returned()
            status = self.executor.execute(self.arg, inputs, outputs)
            waited = status or self._process.device.synchronize(self.arg.stream)
        if not status and waited:
            self._process.refuse(_SYNC, f"Stage {self.name} sync stream failed")
        if waited:
            for output in outputs:
                _free(output)
            return None
        return outputs

    def _produce(self, outputs: list[Tensor]) -> bool:
        """Wait until every consumer has taken the product before, then hand this one on."""
        for index, output in enumerate(outputs):
            if output.data is None or not isinstance(output.data.manager, BlockOwner):
                self._process.refuse(_NOT_OWNED, f"Stage {self.name} output {index} not owned memory")
                return False
        with self._belt.changed:
            for consumer in self.consumers:
                while consumer.taken < self.done and not consumer.error:
                    self._belt.changed.wait()
                if consumer.error:
                    text = f"Stage {self.name} output stage {consumer.name} status error"
                    self._process.refuse(_OUTPUT_STAGE, text)
                    return False
            old, self.products = self.products, outputs
            self._returned += old
            self.done += 1
            self._belt.changed.notify_all()
        return True

    def _borrow(self, product: Product) -> Tensor:
        stage = next(each for each in self.producers if each.name == product.stage)
        borrowed = shared(stage.products[product.output])
        self._borrowed.append((stage, borrowed))
        return borrowed

    def _give_back(self) -> None:
        """Hand borrowed products back to their stages: their allocators have no locks, so they free themselves."""
        with self._belt.changed:
            for stage, tensor in self._borrowed:
                stage.take_back(tensor)
            self._borrowed = []

    def _free_returned(self) -> None:
        with self._belt.changed:
            returned, self._returned = self._returned, []
        for tensor in returned:
            _free(tensor)


def shared(tensor: Tensor) -> Tensor:
    """One more owner of a tensor's memory."""
    data = tensor.data
    assert data is not None
    owner = data.manager
    if isinstance(owner, BlockOwner):
        owner.level1.share(owner.block)
        owner = BlockOwner(owner.level1, owner.block)
    twin = TensorData(data.addr, data.size, data.placement, owner)
    return Tensor(tensor.shape, tensor.dtype, tensor.format, twin)


def _free(tensor: Tensor) -> None:
    if tensor.data is not None:
        release(tensor.data)
