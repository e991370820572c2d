"""The executor a user asks for by a word and a number of threads, and what does not go together.

GE builds no executor for some of these choices and says it in a log; a user at a terminal needs the sentence.

Source: spec/execution.md 2.2, 2.5, 8 (EX-13); the words are those of the command line.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from getrace.errors import UsageError
from runtime.engines.options import LoweringOptions
from runtime.executors.node_class import NodeClass, class_of
from runtime.executors.options import LEAST_THREADS, ExecutorKind, ExecutorOption, MultiThreadExecutorOption
from runtime.graph.execute_graph import ExecuteGraph

EXECUTORS: Final[Mapping[str, ExecutorKind]] = MappingProxyType(
    {
        "sequential": ExecutorKind.SEQUENTIAL,
        "topological": ExecutorKind.TOPOLOGICAL,
        "priority": ExecutorKind.PRIORITY,
        "multithread": ExecutorKind.MULTI_THREAD,
    }
)
"""Executors by the user's word."""

MOST_THREADS: Final = 1024


def choose(word: str | None, threads: int | None, seed: int) -> ExecutorOption:
    """Give the option for a word of ``EXECUTORS``, None to let the graph decide, and a number of threads.

    Workers take turns in an order drawn from ``seed``, so that the same seed gives the same log. Raises UsageError for
    threads without the executor that has them, and for a number it cannot have.
    """
    kind = None if word is None else EXECUTORS[word]
    if kind is not ExecutorKind.MULTI_THREAD:
        if threads is not None:
            raise UsageError("--threads is for the multithread executor alone", "add --executor multithread")
        return ExecutorOption(kind)
    count = LEAST_THREADS if threads is None else threads
    if not LEAST_THREADS <= count <= MOST_THREADS:
        text = f"new thread num is less than least {LEAST_THREADS}: --threads {count}"
        if count > MOST_THREADS:
            text = f"--threads {count} is more than {MOST_THREADS}"
        raise UsageError(text, f"one worker runs kernels and one memory: give {LEAST_THREADS} to {MOST_THREADS}")
    return MultiThreadExecutorOption(thread_num=count, seed=seed)


def thread_warning(option: ExecutorOption, cores: int) -> str | None:
    """Say that there are more threads than cores to run them; None when there are enough."""
    if not isinstance(option, MultiThreadExecutorOption) or option.thread_num <= cores:
        return None
    return f"{option.thread_num} threads on {cores} cores: they take turns, and times are those of a larger machine"


def lowering_for(option: ExecutorOption, options: LoweringOptions) -> LoweringOptions:
    """Give the lowering that goes with an executor: some passes keep threads out of each other's way."""
    if not isinstance(option, MultiThreadExecutorOption):
        return options
    return replace(options, max_runtime_core_number=option.thread_num)


def check_choice(option: ExecutorOption, root: ExecuteGraph) -> None:
    """Raise UsageError for control flow on the executor that runs a straight list of kernels."""
    if option.kind is not ExecutorKind.SEQUENTIAL:
        return
    main = root.owned_by("Main")
    node = next((node for node in main.all_nodes() if class_of(node) is NodeClass.CONTROL_FLOW), None)
    if node is not None:
        raise UsageError(
            f"the sequential executor cannot run control flow: node {node.name} of type {node.type} stands in Main",
            "leave --executor out, or give topological, priority or multithread",
        )
