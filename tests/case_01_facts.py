"""What the specification says of the real log whose GatherV2 fails."""

# Counts of spec/kerneltrace.md 3.9 by the event that each of its messages is.
KINDS_OF_CASE_01 = {
    "model_start": 2,
    "model_end": 2,
    "kernel_end": 101,
    "copy_alloc": 2,
    "mem_alloc": 2,
    "output_alloc": 1,
    "mem_free": 5,
    "node_type": 2,
    "shapes_in": 1,
    "shapes_out": 1,
    "ranges_in": 1,
    "ranges_out": 1,
    "ext_shapes": 1,
    "ext_shapes_out": 1,
    "tf_launch2023": 1,
    "launch": 1,
    "task_ids": 1,
    "args_layout": 1,
    "compiled_args": 1,
    "launch_addresses": 1,
    "launch_workspaces": 1,
    "launch_tiling": 1,
    "arg_words": 1,
}
