"""The wordings of ordinary lines that say something of shapes, as data: an id with its topic, a bounded pattern.

Each has its source beside it: GE's file and line (``spec/related_log_formats.tsv``), a section of the specification, or
the public case that has the line. A release that words a line anew gets a row of its own.
"""

WORDINGS: tuple[tuple[str, str], ...] = (
    # compiler/graph/build/graph_builder.cc; cases 01, 82, 149
    ("kind.dynamic", r"Begin to build unknown shape graph\[(?P<graph>[^\]]+)\]"),
    ("kind.static", r"Begin to build known shape graph\[(?P<graph>[^\]]+)\]"),
    # torchair; case 177
    ("kind.dynamic", r"FX graph compiled to dynamic Ascend GE graph, graph id: (?P<graph>\d+)"),
    ("kind.static", r"FX graph compiled to static Ascend GE graph, graph id: (?P<graph>\d+)"),
    # base/common/model/model_relation..., spec/kerneltrace.md 8
    ("kind.dynamic", r"Read-in dynamic compiled graph (?P<graph>[\w/.-]+)"),
    ("kind.static", r"Read-in static compiled graph (?P<graph>[\w/.-]+)"),
    ("compile", r"\[GEPERFTRACE\] The time cost of (?P<what>[\w:~<>.-]+) is \[(?P<us>\d{1,15})\] micro second"),
    # api/session/session/user_hybrid_graph_manager.cc 137, 233, 236
    ("gear.table", r"index (?P<index>\d+) dynamic dims is (?P<dims>[\d, \[\]]+)"),
    ("gear.chosen", r"find dynamic dims (?P<dims>\[?[\d,]+\]?) matched, execute dynamic gear graph (?P<graph>\d+)"),
    ("gear.none", r"find dynamic dims (?P<dims>\[?[\d,]+\]?) not matched, execute dynamic shape graph (?P<graph>\d+)"),
    # api/acl/acl_model/model/model.cpp 1841, model_om2.cpp 1329
    (
        "gear.asked",
        r"start to execute aclmdlSetDynamicBatchSize, modelId\[(?P<graph>\d+)\].*batchSize\[(?P<dims>\d+)\]",
    ),
    # spec/gears_engines.md A.13
    ("gear.none", r"input tensor dimension \[(?P<dims>[\d, ]+)\] is not in the dynamic dimension list"),
    # options as ATC's command line (case 154), as TF Adapter (case 01) and GE print them
    ("gear.option", r"--?dynamic_(?:dims|batch_size|image_size)[= ]\"?(?P<gears>[\d,;]+)"),
    ("gear.option", r"dynamic_dims: ?(?P<gears>\d[\d,;]*)"),
    ("gear.shape", r"--?input_shape[= ]\"?(?P<shape>[^\" ]+)"),
    # spec/gears_engines.md A.5.9: the branch of a gear; case 154
    ("gear.node", r"_ascend_mbatch_batch_(?P<index>\d{1,4})"),
    # AISBench (case 60)
    ("gear.absent", r"dynamic_batch_size parameter is not specified for model conversion"),
    # runtime/v1/hybrid/node_executor/task_context.cc; case 73
    (
        "size.output",
        (
            r"(?P<op>[\w/.-]+)\((?P<type>\w+)\) index\[(?P<index>\d+)\] mem size out of range!? ?"
            r"Expected size: (?P<expected>\d+), but given input size: (?P<given>\d+)"
        ),
    ),
    # runtime/v1/hybrid/executor/worker/execution_engine.cc 373, 370; case 138
    (
        "size.input",
        (
            r"for \[(?P<op>[\w/.-]+)\((?P<type>\w+)\)\] Input\[(?P<index>\d+)\]: ?tensor size mismatches\. ?"
            r"expected: (?P<expected>-?\d+), but given (?P<given>\d+)"
        ),
    ),
    (
        "size.input",
        (
            r"\[(?P<op>[\w/.-]+)\] Input\[(?P<index>\d+)\]: ?tensor size mismatches\. ?"
            r"expected: (?P<expected>-?\d+), but given (?P<given>\d+)"
        ),
    ),
    # runtime/v1/single_op/single_op.cc; case 73
    (
        "size.output",
        (
            r"Output Size mismatch\. index = (?P<index>\d+), model expect {1,4}(?P<expected>\d+), "
            r"but given (?P<given>[\d.]+)"
        ),
    ),
    (
        "size.input",
        (
            r"Input Size mismatch\. index = (?P<index>\d+), model expect {1,4}(?P<expected>\d+), "
            r"but given (?P<given>[\d.]+)"
        ),
    ),
    # runtime/v1/hybrid/executor/worker/execution_engine.cc 74
    (
        "size.output",
        (
            r"\[(?P<op>[\w/.-]+)\((?P<type>\w+)\)\] Tensor size is not enough\. output index = (?P<index>\d+), "
            r"required size = (?P<expected>-?\d+)"
        ),
    ),
    # runtime/v2/kernel/common_kernel_impl/memory_copy.cc 567, build_tensor.cc 263
    ("size.copy", r"given buffer size (?P<given>\d+) is less than output tensor size (?P<expected>-?\d+)"),
    (
        "size.copy",
        r"output tensor memory size\[(?P<given>\d+)\] is smaller than the actual size\[(?P<expected>-?\d+)\]",
    ),
    # runtime/v1/hybrid/executor/hybrid_model_executor.cc 263; davinci_model.cc (case 110)
    (
        "size.model",
        r"output\[(?P<index>\d+)\] tensor size\((?P<given>\d+)\) is not enough for output shape \[(?P<dims>[\d, ]*)\]",
    ),
    (
        "size.model",
        r"Check output size failed, index (?P<index>\d+), user size (?P<given>\d+), op size (?P<expected>\d+)",
    ),
    # api/acl/acl_model/model/model_om2.cpp 1356, 1411, 1532
    ("size.gear", r"device buffer size\[(?P<given>\d+)\] is less than required\[(?P<expected>\d+)\]"),
    # runtime/v1/hybrid/executor/hybrid_model_rt_v2_executor.cc 1342
    ("count.input", r"Input desc size (?P<described>\d+) and input size (?P<found>\d+) are not same"),
    # runtime/v1/hybrid/executor/hybrid_model_executor.cc 158, 85
    ("size.blob", r"Blob size mismatches, expect at least (?P<expected>\d+), but got (?P<given>\d+)"),
    (
        "range.input",
        (
            r"Dim out of range, shape idx = (?P<index>\d+), dim idx = (?P<axis>\d+), ?dim = (?P<dim>-?\d+), ?"
            r"range = \[(?P<low>-?\d+), (?P<high>-?\d+)\]"
        ),
    ),
    # runtime/v2/core/utils/tensor_utils.cc 39
    ("range.dim", r"cur dim\[(?P<dim>-?\d+)\] is not in shape range\[(?P<low>-?\d+), (?P<high>-?\d+)\]"),
    # api/acl/acl_model/model/model.cpp 620
    ("range.input", r"\[Check\]\[InputShape\] Input \[(?P<index>\d+)\] shape out of shape range"),
    # operator libraries; case 92
    (
        "rule.broadcast",
        r"OpName:\[(?P<op>[^\]]+)\] \"?(?P<left>\[[\d, -]+\]) can ?not broadcast to (?P<right>\[[\d, -]+\])",
    ),
    (
        "rule.broadcast",
        (
            r"OpName:\[(?P<op>[^\]]+)\] \"?input shapes (?P<left>\[[\d, -]+\]) "
            r"can ?not broadcast to shape (?P<right>\[[\d, -]+\])"
        ),
    ),
    # runtime/v2/kernel/common_kernel_impl/infer_shape.cc 263
    ("rule.infer", r"InferShape failed, node type (?P<type>\w+), name (?P<op>[\w/.-]+), error-code"),
    # runtime/v1/hybrid/node_executor/task_context.cc: the shape that the size was made of; case 73
    (
        "shape.output",
        (
            r"To allocate output for node: (?P<op>[^ ]+) index = (?P<index>\d+), "
            r"tensor desc = .*Shape = \[(?P<dims>[\d, ]*)\]"
        ),
    ),
)
"""(id, pattern); the topic of an id stands before its dot."""

HINTS = (
    "hape",
    "ynamic",
    "ize mismatch",
    "out of range",
    "not enough",
    "er than ",
    "ess than ",
    "output size",
    "desc size",
    "GEPERFTRACE",
    "mbatch",
    "broadcast",
    "static",
)
"""A line without any of these matches no wording; most lines are passed by so."""
