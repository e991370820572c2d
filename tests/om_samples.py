"""Small OM files of every kind, made by our own writer: those that no public file shows."""

from dataclasses import replace

from getrace.dumps.om_file import OmFile, SubModel
from getrace.dumps.om_header import BUNDLE, FIRST, FLOW, OmHeader
from getrace.dumps.om_inout import InOut, OmTensor
from getrace.dumps.om_model import OmModel
from getrace.dumps.om_stores import HostLibrary, Kernel
from getrace.dumps.om_table import Part, Partition
from getrace.dumps.om_tasks import TaskList, kernel_task
from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode

VALUE: AttrValue = (
    ("t", (("desc", (("dtype", "DT_FLOAT"), ("shape", (("dim", 2),)), ("weight_size", 8), ("data_offset", 512))),)),
)
ATTRS: dict[str, AttrValue] = {
    "number": -3,
    "share": 0.1,
    "flag": True,
    "word": "naïve",
    "raw": b"\0\xff",
    "numbers": (1, -2, 1 << 40),
    "rows": ((1, 2), (3,)),
    "words": ("a", ""),
    "none": (),
    "output_desc_shape:0": (-1, 3),
    "output_desc_dtype:0": "DT_INT8",
    "output_desc_size:0": 12,
    "output_desc_origin_shape:0": (-1, 3),
    "stream_id": 2,
    "dst_index": (0, -1),
}


def graphs() -> GraphSnapshot:
    nodes = (
        SnapshotNode(0, "x", "Data", 1, 1, {"index": 0}, topo_id=0),
        SnapshotNode(1, "c", "Const", 0, 1, {"value": VALUE}, topo_id=1),
        SnapshotNode(2, "a:b/add", "Add", 3, 1, ATTRS, ("below",), topo_id=2),
        SnapshotNode(3, "out", "NetOutput", 1, 1, {}, topo_id=3),
    )
    edges = (
        SnapshotEdge(0, 0, 2, 0),
        SnapshotEdge(1, 0, 2, 2),
        SnapshotEdge(2, 0, 3, 0),
        SnapshotEdge(0, CONTROL, 3, CONTROL),
    )
    below = SnapshotGraph("below", (SnapshotNode(0, "y", "Data", 1, 1, {"_parent_node_index": 0}),), ())
    return GraphSnapshot("", "root", {"root": SnapshotGraph("root", nodes, edges, {"mark": True}), "below": below})


def model(name: str = "root") -> OmModel:
    return OmModel(
        name,
        graphs(),
        {"stream_num": 3, "soc_version": "Ascend910B1"},
        2,
        "1.11.z.0",
        memoryview(bytes(512) + b"weights!"),
        TaskList((kernel_task(0, 2, 1, "add_kernel"), kernel_task(26, 2, 0, "add_handle")), b"\x0a\x011"),
        (Kernel("k", memoryview(b"\x7fELF")), Kernel("own", memoryview(b"bin"), Part.CUSTOM_OPS)),
        (HostLibrary("lib.so", "vendor", memoryview(b"\x7fELF.so"), 1),),
        InOut(
            (OmTensor("x", 24, 0, 3, (2, 3), (2, 3), ((1, 2), (3, 3))),),
            (OmTensor("out", 0, 2, 0, (-1, 3)),),
            ((2, b"\1\0\0\0" + bytes(8)),),
        ),
        (Partition(Part.TILING_DATA, memoryview(b"\xfe\x6e\x77\xdd")),),
        (5, 26, 12, 8, 0, 1, 3, 2),
    )


def header(**fields: object) -> OmHeader:
    named = OmHeader(name=b"sample".ljust(32, b"\0"), user_info=bytes(32), platform_version=bytes(20))
    return replace(named, **fields)  # type: ignore[arg-type]


def static(*, is_wide: bool = True) -> OmFile:
    return OmFile(header(is_wide=is_wide, needs_host=1), (model(),))


def first() -> OmFile:
    return OmFile(header(version=FIRST, is_wide=False, model_num=1, tail=bytes(80), padding=bytes(3)), (model(),))


def dynamic() -> OmFile:
    return OmFile(header(is_dynamic=1, model_num=3), (model(), model("one"), model("two")))


def flow() -> OmFile:
    subs = (SubModel("npu", "NPU", static(), b"\x52\x00"), SubModel("udf", "HOST_CPU", None))
    return OmFile(header(kind=FLOW), (replace(model(), order=(8, 0)),), subs, b"\x0a\x04flow")


def bundle() -> OmFile:
    subs = (SubModel("root", "", static()), SubModel("root", "", dynamic()))
    return OmFile(header(kind=BUNDLE, model_num=2), (), subs, variables=bytes(8))


SAMPLES = {
    "static": static,
    "static, small table": lambda: static(is_wide=False),
    "first version": first,
    "dynamic": dynamic,
    "flow": flow,
    "bundle": bundle,
}
"""One maker per kind of file."""
