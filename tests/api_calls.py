"""A process for tests of the API: what it says is heard, and models come as the bytes of their files."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
from simulated_runs import Array, Recorder

from getrace.bus import Bus
from getrace.dumps.om2 import Om2File, write_om2
from getrace.dumps.om_writer import write_om
from getrace.dumps.snapshot import AttrValue
from getrace.events import Level
from getrace.events.text import LogLine
from runtime.api.acl.acl import Acl
from runtime.api.acl.dataset import Dataset
from runtime.api.ge_process import GeProcess, start_process
from runtime.frontend.to_om import om_of
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.to_snapshot import snapshot_of_compute_graph
from runtime.values import DType


@dataclass(slots=True)
class Calls:
    """A process and what it said."""

    process: GeProcess
    recorder: Recorder

    def errors(self) -> list[tuple[str, int, str, int | None]]:
        """File, line, text and code of the error records since the last call."""
        lines = [item.event for item in self.recorder.heard if item.level == Level.ERROR]
        self.recorder.heard.clear()
        return [(line.file, line.line, line.text, line.code) for line in lines if isinstance(line, LogLine)]

    def texts(self) -> list[str]:
        """The texts alone."""
        return [text for _, _, text, _ in self.errors()]


def calls(environment: Mapping[str, str] | None = None, *, profile: str = "ascend910b") -> Calls:
    """Start a process."""
    recorder = Recorder()
    bus = Bus(now=int, levels={"GE": Level.DEBUG, "ASCENDCL": Level.INFO})
    bus.subscribe(recorder)
    return Calls(start_process(bus, profile=profile, environment=environment), recorder)


def add_of(columns: int, name: str = "adding") -> ComputeGraph:
    """y = x1 + x2 on two rows; -1 leaves the columns open."""
    graph = GraphBuilder(name)
    x1, x2 = graph.data("x1", (2, columns)), graph.data("x2", (2, columns))
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def om_bytes(graph: ComputeGraph, **attrs: AttrValue) -> bytes:
    """The file of a model; ``attrs`` are attributes of the whole model."""
    om = om_of(graph)
    first = om.models[0]
    return write_om(replace(om, models=(replace(first, attrs={**first.attrs, **attrs}), *om.models[1:])))


def om2_bytes(graph: ComputeGraph, *, library: bool = True) -> bytes:
    """The OM2 of a model, with bytes that stand for its compiled library."""
    om2 = Om2File("adding", snapshot_of_compute_graph(graph, ""), {"inputs": [], "outputs": []}, {"om2_version": "0"})
    content = BytesIO(write_om2(om2))
    if library:
        with zipfile.ZipFile(content, "a") as file:
            file.writestr("adding/data/model_0/runtime/libadding_om2.so", b"\x7fELF")
    return content.getvalue()


def zip_of(**members: object) -> bytes:
    """A zip of JSON documents; a member's name has ``__`` for ``/`` and ``_dot_`` for ``.``."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, document in members.items():
            file.writestr(name.replace("__", "/").replace("_dot_", "."), json.dumps(document))
    return content.getvalue()


def dataset(acl: Acl, *arrays: Array, described: bool = True) -> Dataset:
    """A dataset on the device; without ``described`` ACL is not told the shapes."""
    made = acl.mdl.create_dataset()
    for index, array in enumerate(arrays):
        address, _ = acl.rt.copy_in(array)
        acl.mdl.add_dataset_buffer(made, acl.create_data_buffer(address, max(array.nbytes, 1)))
        if described:
            acl.mdl.set_dataset_tensor_desc(made, acl.create_tensor_desc(DType.FLOAT, array.shape), index)
    return made


def ones(*dims: int) -> Array:
    """An array of ones."""
    return np.ones(dims, np.float32)


def opened(model: bytes, environment: Mapping[str, str] | None = None) -> tuple[Calls, Acl, int]:
    """A process with one model loaded."""
    there = calls(environment)
    acl = Acl(there.process)
    model_id, status = acl.mdl.load_from_mem(model)
    assert status == 0, there.texts()
    return there, acl, model_id
