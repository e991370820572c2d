"""Rows of shapes, ranges, sizes and tiling (spec/kerneltrace.md 3.4, 3.9)."""

from getrace.events import engines as e
from getrace.events import shapes as s
from getrace.events import tiling as t
from getrace.plog.row import RT2_2023, RT2_2026, Row, row

_BOTH = f"{RT2_2023} {RT2_2026}"

_MISSING = tuple(
    row(
        s.TensorMissing,
        f"The {{index:u}}th's {what} is nullptr",
        f"The 0th's {what} is nullptr",
        fixed={"what": what},
    )
    for what in (
        "input tensor desc",
        "input storage shape",
        "output tensor desc",
        "output storage shape",
        "input shape range",
        "output shape range",
        "input tensor",
        "output tensor",
    )
)

SHAPES: tuple[Row, ...] = (
    row(s.NodeType, "node_type[{type:type}]", "node_type[Add]", dialects=_BOTH),
    row(
        s.ShapesIn,
        "input original shapes : {original:tensors}, input storage shapes : {storage:tensors}",
        "input original shapes : [ND DT_FLOAT [2, 64]], [ND DT_FLOAT [64]], "
        "input storage shapes : [ND DT_FLOAT [2, 64]], [ND DT_FLOAT [64]]",
    ),
    row(
        s.ShapesIn,
        "intput original shapes : {original:tensors}, intput storage shapes  : {storage:tensors}",
        "intput original shapes : [ND DT_FLOAT [64]], [ND DT_INT32 []], "
        "intput storage shapes  : [ND DT_FLOAT [64]], [ND DT_INT32 []]",
        dialects=RT2_2023,
    ),
    row(
        s.ShapesOut,
        "output original shapes: {original:tensors}, output storage shapes: {storage:tensors}",
        "output original shapes: [ND DT_FLOAT [2, 64]], output storage shapes: [ND DT_FLOAT [2, 64]]",
    ),
    row(
        s.ShapesOut,
        "output original shapes : {original:tensors1}, output storage shapes  : {storage:tensors1}",
        "output original shapes : [ND DT_FLOAT [2]], output storage shapes  : [ND DT_FLOAT [2]]",
        dialects=RT2_2023,
    ),
    row(
        s.ShapesInFailed,
        "input original shapes : Trace failed, input num < input_shape_start_index, "
        "context->GetInputNum:{inputs:u}, input_shape_start_index:{start:u}",
        "input original shapes : Trace failed, input num < input_shape_start_index, "
        "context->GetInputNum:1, input_shape_start_index:2",
    ),
    row(s.ShapesSymbolic, "Symbolic infos: {text:text}", "Symbolic infos: s0: 4, s1: 128, "),
    row(
        s.RangesIn,
        "input shape ranges : {ranges:ranges}",
        "input shape ranges : [ND DT_FLOAT [[1,64], [2,2]]], [ND DT_FLOAT []]",
    ),
    row(
        s.RangesIn,
        "intput shape ranges : {ranges:ranges}",
        "intput shape ranges : [ND DT_FLOAT [[64,64]]]",
        dialects=RT2_2023,
    ),
    row(
        s.RangesOut,
        "output shape ranges : {ranges:ranges}",
        "output shape ranges : [ND DT_FLOAT [[1,64]]], [ND DT_INT32 [[64,64]]]",
        "output shape ranges : [ND DT_FLOAT dim num not match. max dim num: 4, min dim num: 2]",
        dialects=_BOTH,
    ),
    row(
        s.RangesFailed,
        "Trace failed, input num < input_range_start_index, context->GetInputNum:{inputs:u}, "
        "input_range_start_index:{start:u}",
        "Trace failed, input num < input_range_start_index, context->GetInputNum:1, input_range_start_index:2",
    ),
    *_MISSING,
    row(s.NodeInfoMissing, "compute_node_info is nullptr", "compute_node_info is nullptr"),
    row(
        s.TensorSize,
        "Data type: {dtype:u}, Shape: {dims:dims}, Tensor size: {size:u}",
        "Data type: 0, Shape: [2, 64], Tensor size: 544",
    ),
    *(
        row(
            s.TensorSizeMissing,
            f"{what} or tensor size is null",
            f"{what} or tensor size is null",
            fixed={"what": what},
        )
        for what in ("shape", "storage shape")
    ),
    row(
        s.ShapeTensorBuilt,
        "dtype: {dtype:name} {values:text}",
        "dtype: DT_INT32 , output[0], value: [1, 2, ] , output[1], value: [3, ]",
    ),
    row(s.DynamicShape, "tensor data is: {dims:dims}", "tensor data is: [8, 224]"),
    row(
        s.ExtShapes,
        "Input shape: {inputs:spaced}Output shape: {outputs:spaced}",
        "Input shape:  [1, 2]  [3] Output shape:  [4] ",
        dialects=_BOTH,
    ),
    row(
        s.ExtShapesOut,
        "output original shapes : {original:spaced}, output storage shapes  : {storage:spaced}",
        "output original shapes :  [4] , output storage shapes  :  [4] ",
        dialects=_BOTH,
    ),
)

TILING: tuple[Row, ...] = (
    row(
        t.Tiling,
        "<?Tiling key is {key:u}, ?><?atomic clean flag is {atomic_clean:flag}, ?><?block_dim is {block_dim:u}, ?>"
        "<?tiling_cond is {cond:i}, ?><?Tiling cache status: {cache:cache}, ?>"
        "tilingData size: {size:u} bytes, TilingData: {data:bytes}",
        "Tiling key is 1, atomic clean flag is 0, block_dim is 2, tiling_cond is 0, Tiling cache status: disabled, "
        "tilingData size: 8 bytes, TilingData: 0x02 0x00 0x00 0x00 0x40 0x00 0x00 0x00 ",
        "Tiling key is 0, block_dim is 0, tilingData size: 0 bytes, TilingData: ",
        "tilingData size: 1 bytes, TilingData: 0x07 ",
    ),
    row(
        t.WorkspaceAppended,
        "Tiling workspace num: {tiling:u}, known workspace num: {known:u}, Tiling append workspace num: {appended:u}, "
        "append workspace size:[{sizes:numbers}]",
        "Tiling workspace num: 1, known workspace num: 2, Tiling append workspace num: 2, "
        "append workspace size:[4096 32]",
    ),
    *(
        row(e.PrinterFailed, text, text, fixed={"text": text})
        for text in (
            "davinci_model is nullptr",
            "davinci_model or workspace_num is nullptr",
            "davinci_model or input_num or output_num is nullptr",
            "task info is nullptr",
            "ctx_head is nullptr",
            "context ids is nullptr",
            "window size is invalid",
            "ctx id is out of range",
            "SdmaDataLenHolder is nullptr",
            "Launch manual args pointer is null.",
            "Launch auto args pointer is null.",
            "Launch args pointer is null.",
            "Launch rt args pointer is null.",
            "Aicpu launch args pointer is null.",
        )
    ),
)

ROWS: tuple[Row, ...] = (*SHAPES, *TILING)
