"""An OmFile to bytes: what the readers read, written. ``read_om(write_om(x))`` is ``x``.

Source: spec/formats.md 1.1 to 1.6; order of partitions 1.4.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from getrace.dumps.om_file import OmFile, SubModel
from getrace.dumps.om_graphs_writer import model_def_bytes
from getrace.dumps.om_header import BUNDLE, FIRST, FLOW, SIZE, OmHeader, header_bytes
from getrace.dumps.om_inout import InOut, inout_bytes
from getrace.dumps.om_model import OmModel
from getrace.dumps.om_stores import STORES, kernels_bytes, libraries_bytes
from getrace.dumps.om_table import NARROW, WIDE, Part, Partition, table_bytes
from getrace.dumps.om_tasks import tasks_bytes
from getrace.dumps.wire import put_content, put_text

USUAL_ORDER = (
    Part.SO_BINS,
    Part.CUSTOM_OPS,
    Part.TILING_DATA,
    Part.MODEL_INOUT_INFO,
    Part.MODEL_DEF,
    Part.WEIGHTS_DATA,
    Part.TBE_KERNELS,
    Part.CUST_AICPU_KERNELS,
    Part.TASK_INFO,
)
"""GE's order of partitions; a model that was read keeps its own."""


def write_om(om: OmFile) -> bytes:
    """Write a file; lengths, number of models and tables follow from the content.

    Raises InputError for what an OM cannot hold: an attribute of a kind GE has not, a payload too large for its table.
    """
    if om.header.version != FIRST and om.header.kind == BUNDLE:
        return _bundle(om)
    if om.header.version != FIRST and om.header.kind == FLOW:
        return _flow(om)
    form = WIDE if om.header.is_wide else NARROW
    blocks: list[bytes | memoryview] = []
    for model in om.models:
        partitions = list(_partitions(model))
        blocks += [table_bytes(partitions, form), *(partition.content for partition in partitions)]
    several = len(om.models) > 1
    header = replace(om.header, model_num=len(om.models)) if several else om.header
    return _file(header, b"".join(blocks))


def _file(header: OmHeader, body: bytes) -> bytes:
    extra = SIZE if header.kind == BUNDLE and header.version != FIRST else 0
    return header_bytes(header, len(body) + extra) + body


_PAYLOADS: Mapping[int, Callable[[OmModel], bytes | memoryview]] = {
    Part.MODEL_DEF: lambda model: model_def_bytes(
        model.snapshot, model.name, model.attrs, model.version, model.custom_version
    ),
    Part.WEIGHTS_DATA: lambda model: model.weights_data,
    Part.TASK_INFO: lambda model: tasks_bytes(model.task_list),
    Part.SO_BINS: lambda model: libraries_bytes(model.libraries) if model.libraries else b"",
    Part.MODEL_INOUT_INFO: lambda model: inout_bytes(model.inout) if model.inout != InOut() else b"",
}


def _partitions(model: OmModel) -> Iterator[Partition]:
    """Give the partitions of a model as it was read, new ones in GE's order; empty ones only if they were read."""
    others = {partition.part: partition.content for partition in model.others}
    written = [*model.order, *(part for part in USUAL_ORDER if part not in model.order)]
    written += [part for part in others if part not in written]
    for part in written:
        if part in others:
            content: bytes | memoryview = others[part]
        elif part in STORES:
            content = kernels_bytes((kernel for kernel in model.kernels if kernel.store == part), Part(part))
        elif part in _PAYLOADS:
            content = _PAYLOADS[part](model)
        else:
            continue
        if len(content) or part in model.order:
            yield Partition(part, memoryview(content))


def _flow(om: OmFile) -> bytes:
    partitions = [*_partitions(om.models[0]), Partition(Part.FLOW_MODEL, memoryview(om.relation))]
    partitions += [Partition(Part.FLOW_SUBMODEL, memoryview(_submodel_bytes(sub))) for sub in om.submodels]
    return _file(om.header, b"".join((table_bytes(partitions, WIDE), *(part.content for part in partitions))))


def _submodel_bytes(sub: SubModel) -> bytes:
    file = b"" if sub.om is None else put_content(3, write_om(sub.om))
    return b"".join((put_text(1, sub.name), put_text(2, sub.type), file, sub.rest))


def _bundle(om: OmFile) -> bytes:
    inner = [write_om(sub.om) for sub in om.submodels if sub.om is not None]
    partitions = [Partition(Part.BUNDLE_MODEL_VAR_INFO, memoryview(om.variables))]
    partitions += [Partition(Part.BUNDLE_MODEL_INFO, memoryview(file)) for file in inner]
    # Offsets of a bundle count from the end of the header and so include the table.
    table = table_bytes(partitions, WIDE, WIDE.size(len(partitions)))
    return _file(replace(om.header, model_num=len(inner)), b"".join((table, *(part.content for part in partitions))))
