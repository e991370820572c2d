"""Models for runs that fail: samples, random models, ONNX chains and offline models, each from a name and a seed.

``make`` builds a model anew each time, as a run spreads and numbers the graph it is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from onnx import helper
from onnx_models import FLOAT, graph_of, value
from onnx_models import model as onnx_model
from random_models import AICPU_CC, AICPU_TF, HOST_CPU, random_model, spread
from simulated_failures import inputs_on_disk

from getrace.dumps.om_file import parse_om
from getrace.dumps.om_writer import write_om
from runtime.api.models import Model, load_model
from runtime.frontend.om import compute_graph_of_om
from runtime.frontend.to_om import om_of
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph

SAMPLES: Final = Path(__file__).parents[1] / "samples"
SAMPLE_NAMES: Final = ("add_example", "conditional", "loop", "mixed_engines", "onnx_mlp", "two_streams", "weights")
ENGINES: Final = (AI_CORE, AICPU_TF, AICPU_CC, HOST_CPU)
OFFLINE_ENGINES: Final = (AI_CORE,)
"""Our offline models hold no task of an AI CPU, on the device or the host."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model that can be made again and again, and the words of its inputs."""

    name: str
    make: Callable[[], Model]
    inputs: tuple[str, ...] = ()
    is_spread: bool = False


def _sample(random: Random, _root: Path) -> Recipe:
    name = random.choice(SAMPLE_NAMES)
    return Recipe(name, lambda: load_model(name, SAMPLES))


def _random(
    random: Random,
    root: Path,
    *,
    flow: bool = False,
    engines: Sequence[str] = ENGINES,
    through: Callable[[ComputeGraph], ComputeGraph] = lambda graph: graph,
) -> Recipe:
    seed, operators = random.randrange(1_000), random.choice((4, 12, 30))
    streams = random.choice((1, 1, 3))

    def make() -> Model:
        graph = random_model(seed, operators, engines, flow=flow).graph
        if streams > 1:
            spread(graph, streams, seed)
        return Model("random", through(graph))

    arrays = random_model(seed, operators, engines, flow=flow).inputs
    words = inputs_on_disk({f"x{index}": array for index, array in enumerate(arrays)}, root / f"{seed}_{operators}")
    return Recipe(f"random_{seed}_{operators}_{streams}", make, words, is_spread=streams > 1)


def _straight(random: Random, root: Path) -> Recipe:
    return _random(random, root)


def _flow(random: Random, root: Path) -> Recipe:
    return _random(random, root, flow=True)


def _with_notify(random: Random, root: Path) -> Recipe:
    """A model that reserves a notify, which nobody uses: it is acquired at each Execute all the same."""

    def reserve(graph: ComputeGraph) -> ComputeGraph:
        graph.attrs["notify_num"] = 1
        return graph

    return _random(random, root, through=reserve)


def _offline(random: Random, root: Path) -> Recipe:
    def through_om(graph: ComputeGraph) -> ComputeGraph:
        return compute_graph_of_om(parse_om(memoryview(write_om(om_of(graph))), "random.om"))

    return _random(random, root, engines=OFFLINE_ENGINES, flow=True, through=through_om)


def _onnx(random: Random, _root: Path) -> Recipe:
    length = random.choice((2, 5, 9))
    kinds = [random.choice(("Relu", "Tanh", "Add", "Mul", "MatMul")) for _ in range(length)]

    def make() -> Model:
        nodes, last = [], "x"
        weights = {"w": np.eye(4, dtype=np.float32)}
        for index, kind in enumerate(kinds):
            inputs = [last] if kind in ("Relu", "Tanh") else [last, "w"]
            last = f"t{index}"
            nodes.append(helper.make_node(kind, inputs, [last], name=f"layer{index}/{kind.lower()}"))
        made = onnx_model(nodes, {"x": [4, 4]}, [last], weights)
        made.graph.output[0].CopyFrom(value(last, [4, 4], FLOAT))
        return Model("onnx", graph_of(made))

    return Recipe(f"onnx_{'_'.join(kinds)}", make)


SOURCES: Final = (_sample, _straight, _flow, _onnx, _offline, _with_notify)


def recipe(random: Random, root: Path) -> Recipe:
    """Choose a model; ``root`` keeps its inputs."""
    return random.choice(SOURCES)(random, root)
