"""y = x1 + x2 as a program that uses ACL: compiled into an offline model, loaded from its file, executed, unloaded.

The calls have the names of ACL's Python binding. The model's second dimension is open, so ACL sends it to RT2; the same
model with fixed dimensions goes to the static executor. ``getrace run acl_add`` runs the model without ACL.
"""

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from getrace.bus import Bus
from getrace.dumps.om_writer import write_om
from runtime.api.acl.acl import Acl
from runtime.api.ge_process import start_process
from runtime.frontend.to_om import om_of
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.values import DType

EXAMPLE_INPUTS = {"x1": (2, 4), "x2": (2, 4)}
"""Shapes for inputs that the caller does not choose."""

Floats = npt.NDArray[np.float32]


def build(columns: int = -1) -> ComputeGraph:
    """Build the model; without a number of columns the caller chooses it at run time."""
    graph = GraphBuilder("acl_add")
    x1 = graph.data("x1", (2, columns))
    x2 = graph.data("x2", (2, columns))
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def execute(acl: Acl, model_id: int, arrays: tuple[Floats, ...]) -> tuple[Floats, int]:
    """Execute a loaded model: inputs go to the device, the output comes back. Gives it and ACL's status."""
    inputs, outputs = acl.mdl.create_dataset(), acl.mdl.create_dataset()
    addresses = [acl.rt.copy_in(array)[0] for array in arrays]
    room, _ = acl.rt.malloc(1024)
    for index, (address, array) in enumerate(zip(addresses, arrays, strict=True)):
        acl.mdl.add_dataset_buffer(inputs, acl.create_data_buffer(address, array.nbytes))
        acl.mdl.set_dataset_tensor_desc(inputs, acl.create_tensor_desc(DType.FLOAT, array.shape), index)
    acl.mdl.add_dataset_buffer(outputs, acl.create_data_buffer(room, 1024))
    status = acl.mdl.execute(model_id, inputs, outputs)
    found = acl.rt.copy_out(room, arrays[0])
    for address in (*addresses, room):
        acl.rt.free(address)
    return found, status


def run_file(acl: Acl, path: Path, columns: int) -> None:
    """Load a model from its file, execute it once, unload it, and print what came of it."""
    model_id, status = acl.mdl.load_from_file(str(path))
    model = acl.mdl.loaded(model_id)
    assert model is not None, f"load gave {status}: {acl.get_recent_err_msg()}"
    x = np.arange(2 * columns, dtype=np.float32).reshape(2, columns)
    y, status = execute(acl, model_id, (x, x * 10))
    print(f"{path.name}: {type(model).__name__}, status {status}, row 0 {y[0].tolist()}")
    print(f"  unload: status {acl.mdl.unload(model_id)}, again: status {acl.mdl.unload(model_id)}")


def main() -> None:
    """Run the model twice: of open dimensions, and of fixed ones."""
    process = start_process(Bus(now=int))
    acl = Acl(process)
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in (("dynamic.om", -1), ("static.om", 3)):
            path = Path(folder) / name
            path.write_bytes(write_om(om_of(build(columns))))
            run_file(acl, path, 3)
    acl.finalize()
    print(f"leaked {process.close()} bytes")


if __name__ == "__main__":
    main()
