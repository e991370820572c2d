"""Constants in files: read once, into memory of the session, before a hybrid model is loaded (spec/execution.md 3.7).

The next model of the session finds them there. Read by each model, a large file would lie on the device twice.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from getrace.errors import ModelError
from getrace.events import Level
from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import HybridModel
from runtime.engines.ge_local.file_constant import constant_file
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeNode
from runtime.kernels.sizes import aligned_size, unaligned_size
from runtime.values import StorageShape

MOST_THREADS: Final = 16
_FILE: Final = "hybrid_model_rt_v2_executor.cc"
_LOADED: Final = (_FILE, 542, "LoadFileConstantToDevice")
_THERE: Final = (_FILE, 536, "LoadFileConstantToDevice")
_START: Final = (_FILE, 672, "Assemble")


class _Read(NamedTuple):
    node: ComputeNode
    path: Path
    content: bytes


def assemble_file_constants(process: GeProcess, model: HybridModel, session: RtSession) -> None:
    """Read the files of a model that the session has not read yet, 16 at a time, into the session's memory.

    Raises ModelError for a file that cannot be read or is too short, and when there is no memory.
    """
    nodes = [node for node in model.graph.all_nodes() if node.type == "FileConstant"]
    if not nodes:
        return
    process.say(_START, f"Start assemble {len(nodes)} file constants of graph {model.name}", Level.DEBUG)
    memory = process.machine.variables.of(session.session_id)
    memory.start(*session.external_var)
    session.var_manager = memory
    missing = [node for node in nodes if memory.find(node.name) is None]
    for node in nodes:
        if node not in missing:
            process.say(_THERE, f"File constant [{node.name}] has been loaded, no need to reload.", Level.DEBUG)
    with ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="ge_ldfconst") as pool:
        for read in pool.map(lambda node: _read(node, model.weight_dir), missing):
            desc = read.node.op.outputs[0]
            shape, size = StorageShape(desc.shape, desc.storage), aligned_size(desc.dtype, desc.storage)
            if not memory.restore(read.node.name, shape, size, read.content):
                raise ModelError(f"Weight size[{size}] of file constant {read.node.name} found no memory")
            text = f"Load file constant [{read.node.name}] file path [{read.path}] weight size [{len(read.content)}] "
            process.say(_LOADED, text + "success.", Level.DEBUG)


def _read(node: ComputeNode, folder: str) -> _Read:
    desc = node.op.outputs[0]
    size = unaligned_size(desc.dtype, desc.storage)
    path = Path(folder) / constant_file(node)
    offset = node.op.attrs.get("offset", 0)
    try:
        with path.open("rb") as file:
            file.seek(offset if isinstance(offset, int) else 0)
            content = file.read(size)
    except OSError as error:
        raise ModelError(f"Failed to get file path. {node.name}: {path}: {error.strerror}") from error
    if len(content) < size:
        raise ModelError(f"Weight size[{size}] of file constant {node.name} is more than {path} holds: {len(content)}")
    return _Read(node, path, content)
