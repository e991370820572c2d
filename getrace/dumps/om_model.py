"""One model of an OM: a block of partitions, each read by the module that owns its format.

Everything but weights and binaries is read when the file is opened, so that a broken one is refused at the door; those
stay slices of the file.

Source: spec/formats.md 1.4, 1.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from getrace.dumps.om_graphs import read_model_def
from getrace.dumps.om_inout import InOut, OmTensor, read_inout
from getrace.dumps.om_names import NameTable
from getrace.dumps.om_ops import Attrs, LazyAttrs
from getrace.dumps.om_stores import STORES, HostLibrary, Kernel, read_kernels, read_libraries
from getrace.dumps.om_table import Part, Partition
from getrace.dumps.om_tasks import Task, TaskList, read_tasks
from getrace.dumps.om_weights import weight_of, with_weight
from getrace.dumps.snapshot import GraphSnapshot, SnapshotNode
from getrace.dumps.wire import Wire
from getrace.errors import InputError

_EMPTY = memoryview(b"")


@dataclass(frozen=True, slots=True)
class OmModel:
    """A model: its graphs, its own attributes, weights, tasks, binaries, inputs and outputs.

    ``order`` are the partitions as the file has them, ``others`` those that no module reads, by number.
    """

    name: str
    snapshot: GraphSnapshot
    attrs: LazyAttrs | Attrs = field(default_factory=dict)
    version: int = 2
    custom_version: str = ""
    weights_data: memoryview = _EMPTY
    task_list: TaskList = field(default_factory=TaskList)
    kernels: tuple[Kernel, ...] = ()
    libraries: tuple[HostLibrary, ...] = ()
    inout: InOut = field(default_factory=InOut)
    others: tuple[Partition, ...] = ()
    order: tuple[int, ...] = ()
    source: str = field(default="model", compare=False)
    names: NameTable = field(default_factory=NameTable, repr=False, compare=False)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks in launch order; ``task.op_index`` is the ``topo_id`` of a node."""
        return self.task_list.tasks

    @property
    def inputs(self) -> tuple[OmTensor, ...]:
        """Inputs as the file lists them; empty when it has no list."""
        return self.inout.inputs

    @property
    def outputs(self) -> tuple[OmTensor, ...]:
        """Outputs as the file lists them; empty when it has no list."""
        return self.inout.outputs

    def weights(self, node: SnapshotNode) -> memoryview | None:
        """Give the bytes of a constant, None for a node without any.

        Raises InputError when they are said to lie outside of the file's weights.
        """
        return weight_of(node, self.weights_data, self.source)

    def with_weights(self) -> GraphSnapshot:
        """Give the graphs with the bytes of all constants in their attributes, for whoever makes a model of them."""
        graphs = {
            name: replace(graph, nodes=tuple(with_weight(node, self.weights(node)) for node in graph.nodes))
            for name, graph in self.snapshot.graphs.items()
        }
        return replace(self.snapshot, graphs=graphs)


def read_model(partitions: Sequence[Partition], source: str, names: NameTable | None) -> OmModel:
    """Read the partitions of a block. ``names`` is the table of the file's first model.

    Raises InputError for a partition that is broken, there twice, or a MODEL_DEF that is not there.
    """
    by_part = {partition.part: partition for partition in partitions}
    if len(by_part) != len(partitions):
        raise InputError(f"{source}, offset {partitions[0].offset}: a partition is there twice", _HINT)
    if Part.MODEL_DEF not in by_part:
        raise InputError(f"{source}, offset {partitions[0].offset}: there is no MODEL_DEF", _HINT)
    definition = read_model_def(_wire(by_part[Part.MODEL_DEF], source), "", names)
    tasks, inout = by_part.get(Part.TASK_INFO), by_part.get(Part.MODEL_INOUT_INFO)
    weights, libraries = by_part.get(Part.WEIGHTS_DATA), by_part.get(Part.SO_BINS)
    return OmModel(
        definition.name,
        definition.snapshot,
        definition.attrs,
        definition.version,
        definition.custom_version,
        _EMPTY if weights is None else weights.content,
        TaskList() if tasks is None else read_tasks(_wire(tasks, source)),
        tuple(kernel for store in STORES if store in by_part for kernel in read_kernels(by_part[store], source)),
        () if libraries is None else tuple(read_libraries(libraries, source)),
        InOut() if inout is None else read_inout(inout, source),
        tuple(partition for partition in partitions if partition.part not in _READ),
        tuple(by_part),
        source,
        definition.names,
    )


_HINT = "copy the file again, or make it again with atc"
_READ = {*STORES, Part.MODEL_DEF, Part.WEIGHTS_DATA, Part.TASK_INFO, Part.SO_BINS, Part.MODEL_INOUT_INFO}


def _wire(partition: Partition, source: str) -> Wire:
    return Wire(partition.content, f"{source}, {partition.name}", partition.offset)
