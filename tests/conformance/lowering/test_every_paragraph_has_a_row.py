"""Which test shows where a paragraph of spec/lowering.md 4 and 7 applies, and which shows where it must not.

A test that is renamed or deleted, or loses the rows of its table, is missed here. Tests are named as
``<module without test_>:<function without test_>``.
"""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
LEAST_ROWS = 90

CORE, BRANCHES, CPU, LATE = "lowering_aicore", "lowering_aicore_branches", "lowering_aicpu", "lowering_aicpu_results"
CALL, GRAPHS, DEVICES, LOCAL = "lowering_callable", "lowering_compiled_graphs", "lowering_devices", "lowering_local"
HOST, FLOW, INSIDE, OWNERS = "lowering_host_cpu", "lowering_flow", "lowering_branches", "lowering_owners"
BY_HANDLE = f"{CORE}:an_operator_launched_by_handle_has_these_kernels"
KNOWN = f"{CORE}:an_operator_of_known_shapes_by_flag_infers_and_tiles_nothing"
COMPILED = f"{CORE}:an_operator_by_flag_without_compile_information_is_launched_as_it_was_compiled"

TABLE = {
    "4.1 dispatch, no task": (f"{CORE}:an_operator_without_a_task_of_its_own_only_hands_its_inputs_on", BY_HANDLE),
    "4.1 dispatch, by handle": (BY_HANDLE, f"{CORE}:an_operator_launched_by_flag_names_one_function_and_needs_no_key"),
    "4.1 dispatch, by flag": (f"{CORE}:an_operator_launched_by_flag_names_one_function_and_needs_no_key", BY_HANDLE),
    "4.1 dispatch, static": (
        KNOWN,
        f"{CORE}:an_operator_of_known_shapes_by_flag_is_tiled_when_it_depends_on_the_cores_or_was_tiled_before",
    ),
    "4.1 step 1, launch arguments": (BY_HANDLE, f"{CORE}:a_broken_compile_result_is_refused_in_ge_s_words"),
    "4.1 step 2, output shapes": (
        f"{CORE}:shapes_are_inferred_by_the_function_of_today_or_a_rule_or_the_old_one",
        KNOWN,
    ),
    "4.1 step 2, fused": (f"{BRANCHES}:shapes_of_a_fused_operator_are_inferred_operator_by_operator", BY_HANDLE),
    "4.1 step 2, ranges": (f"{CORE}:an_operator_of_the_third_class_tells_its_shapes_after_it_ran", BY_HANDLE),
    "4.1 step 2, old ranges": (f"{CORE}:ranges_come_from_the_old_register_where_today_s_has_none", BY_HANDLE),
    "4.1 step 3, empty outputs": (
        f"{BRANCHES}:an_output_that_may_be_empty_is_computed_in_a_branch",
        f"{BRANCHES}:an_output_that_cannot_be_empty_needs_no_branch",
    ),
    "4.1 step 3, no range": (
        f"{BRANCHES}:an_output_without_a_range_may_be_empty_too",
        f"{BRANCHES}:an_output_that_cannot_be_empty_needs_no_branch",
    ),
    "4.1 step 4, platform": (f"{CORE}:an_operator_may_ask_for_cores_of_its_own", KNOWN),
    "4.1 step 5, tiling with a cache": (
        f"{CORE}:tiling_that_reads_elements_has_a_cache_only_while_its_inputs_fit_into_the_mask",
        COMPILED,
    ),
    "4.1 step 5, mask": (f"{CORE}:the_mask_of_the_cache_has_a_bit_for_each_input_whose_elements_are_read", BY_HANDLE),
    "4.1 step 5, appended": (
        f"{CORE}:known_workspaces_then_dfx_then_the_print_buffer_are_added_to_what_tiling_wants",
        BY_HANDLE,
    ),
    "4.1 step 5, old registers": (
        f"{CORE}:tiling_of_the_old_registers_takes_an_operator_and_appends_nothing",
        BY_HANDLE,
    ),
    "4.1 step 6, rollback": (
        f"{BRANCHES}:tiling_that_fails_leaves_the_operator_to_the_ai_cpu",
        f"{BRANCHES}:an_operator_whose_tiling_cannot_fail_has_no_branch",
    ),
    "4.1 step 6, no way back": (
        f"{BRANCHES}:tiling_that_fails_without_a_task_to_fall_back_to_fails_the_run",
        f"{BRANCHES}:an_operator_whose_tiling_cannot_fail_has_no_branch",
    ),
    "4.1 step 7, workspaces": (
        f"{CORE}:known_workspaces_then_dfx_then_the_print_buffer_are_added_to_what_tiling_wants",
        BY_HANDLE,
    ),
    "4.1 step 8, shape buffer": (f"{CORE}:an_operator_of_the_third_class_tells_its_shapes_after_it_ran", BY_HANDLE),
    "4.1 step 9, output memory": (BY_HANDLE, f"{BRANCHES}:an_output_that_is_an_input_uses_its_memory"),
    "4.1 step 9, reference": (
        f"{BRANCHES}:an_output_that_is_an_input_uses_its_memory",
        f"{BRANCHES}:a_name_in_common_means_nothing_without_the_mark_of_a_reference",
    ),
    "4.1 step 9, variable": (f"{CORE}:memory_of_an_output_that_is_a_variable_comes_from_the_session", BY_HANDLE),
    "4.1 step 10, clean": (
        f"{BRANCHES}:memory_is_cleaned_by_an_operator_of_its_own_before_the_launch",
        f"{BRANCHES}:nothing_is_cleaned_without_the_task_or_the_size_of_its_arguments",
    ),
    "4.1 step 10, clean by handle": (
        f"{BRANCHES}:a_clean_by_handle_has_a_key_and_a_mem_set_cleans_workspaces",
        f"{BRANCHES}:a_clean_of_known_shapes_is_launched_as_it_was_compiled",
    ),
    "4.1 step 11, binary": (BY_HANDLE, f"{CORE}:an_operator_launched_by_flag_names_one_function_and_needs_no_key"),
    "4.1 step 12, launch": (BY_HANDLE, f"{CORE}:an_operator_without_a_task_of_its_own_only_hands_its_inputs_on"),
    "4.1 step 12, mix": (
        f"{CORE}:an_operator_on_both_kinds_of_cores_takes_a_second_stream_if_there_is_one",
        BY_HANDLE,
    ),
    "4.1 step 13, third class": (
        f"{CORE}:shapes_told_after_the_run_overwrite_the_largest_ones",
        BY_HANDLE,
    ),
    "4.1 step 14, release": (BY_HANDLE, f"{CORE}:an_operator_without_a_task_of_its_own_only_hands_its_inputs_on"),
    "4.2 one phase": (
        f"{CALL}:an_operator_that_computes_in_one_call_gets_the_allocator",
        f"{CALL}:an_operator_without_the_attribute_is_no_aclnn_operator_whatever_its_author_registered",
    ),
    "4.2 two phases": (
        f"{CALL}:an_operator_that_prepares_first_says_what_workspaces_it_wants",
        f"{CALL}:an_operator_that_computes_in_one_call_gets_the_allocator",
    ),
    "4.3": (
        f"{CALL}:generated_operators_of_one_key_infer_their_shapes_once",
        f"{CALL}:an_operator_whose_code_is_missing_is_refused_by_name",
    ),
    "4.4": (
        f"{CALL}:a_custom_operator_allocates_its_outputs_itself",
        f"{CALL}:an_operator_whose_code_is_missing_is_refused_by_name",
    ),
    "4.4 inferred": (
        f"{CALL}:a_custom_operator_whose_shapes_are_known_before_is_told_them",
        f"{CALL}:a_custom_operator_allocates_its_outputs_itself",
    ),
    "4.5 TF": (
        f"{CPU}:a_tensorflow_operator_has_its_arguments_on_init_and_its_launch_on_main",
        f"{CPU}:an_operator_whose_shapes_are_known_writes_addresses_only",
    ),
    "4.5 CC": (
        f"{CPU}:an_operator_of_the_aicpu_library_names_its_function_and_its_library_and_needs_no_step",
        f"{CPU}:an_operator_whose_shapes_are_known_writes_addresses_only",
    ),
    "4.5 step id": (
        f"{CPU}:a_second_launch_waits_for_the_first_and_both_share_the_step_count",
        f"{CPU}:a_model_of_a_single_operator_has_no_steps_and_passes_the_number_zero",
    ),
    "4.5 blocks": (
        f"{CPU}:blocks_are_counted_where_the_kernel_supports_it_and_shapes_are_unknown",
        f"{CPU}:an_operator_whose_shapes_are_known_writes_addresses_only",
    ),
    "4.5 library of the user": (
        f"{CPU}:a_users_library_is_loaded_once_on_init_and_cleared_on_deinit",
        f"{CPU}:nothing_is_loaded_without_a_library_or_for_a_built_in_kernel",
    ),
    "4.5 third class": (
        f"{CPU}:a_third_class_operator_allocates_for_the_greatest_shape_and_reads_the_real_one_back",
        f"{CPU}:a_third_class_operator_of_known_outputs_is_an_ordinary_one",
    ),
    "4.5 fourth class": (
        f"{LATE}:a_fourth_class_operator_leaves_summaries_and_a_second_task_copies_the_results",
        f"{LATE}:a_fourth_class_operator_of_known_shapes_is_an_ordinary_one",
    ),
    "4.5 optional inputs": (
        f"{LATE}:places_of_missing_inputs_are_filled_for_a_kernel_that_counts_them",
        f"{LATE}:missing_inputs_do_not_count_for_other_kernels",
    ),
    "4.5 lists": (
        f"{LATE}:operators_on_tensor_lists_keep_book_behind_the_launch",
        f"{CPU}:a_tensorflow_operator_has_its_arguments_on_init_and_its_launch_on_main",
    ),
    "4.5 log": (
        f"{LATE}:the_log_of_a_users_kernel_is_told_before_the_shapes_and_freed_behind_the_launch",
        f"{LATE}:there_is_no_log_without_a_workspace_that_is_one",
    ),
    "4.6 function": (
        f"{HOST}:a_function_of_the_host_gives_the_shapes_and_addresses_made_before_it",
        f"{HOST}:an_operator_without_a_function_goes_through_the_kernel_of_the_aicpu_library",
    ),
    "4.6 small shapes": (
        f"{HOST}:small_tensors_get_memory_that_goes_where_the_computation_goes",
        f"{HOST}:an_output_that_is_an_input_gets_no_memory",
    ),
    "4.6 fused": (
        f"{HOST}:a_fused_group_computes_by_its_own_library_and_deinit_releases_state_then_library",
        f"{HOST}:an_ordinary_operator_releases_no_fused_library",
    ),
    "4.7 DSA": (
        f"{DEVICES}:random_numbers_complete_a_queue_entry_and_launch_it",
        f"{DEVICES}:wrong_numbers_of_a_random_operator_are_refused_in_ges_words",
    ),
    "4.7 DVPP": (
        f"{DEVICES}:an_image_operator_sizes_its_workspace_at_run_time",
        f"{DEVICES}:an_operator_that_was_not_compiled_is_refused_in_ges_words",
    ),
    "4.7 RTS": (
        f"{DEVICES}:overflow_flags_are_read_through_an_argument_on_the_device",
        f"{DEVICES}:an_unknown_operator_of_the_runtime_system_is_refused_in_ges_words",
    ),
    "4.7 Cmo": (
        f"{DEVICES}:a_prefetch_fills_its_task_and_launches_it",
        f"{DEVICES}:a_prefetch_of_nothing_is_refused_in_ges_words",
    ),
    "4.8": (
        f"{DEVICES}:a_collective_is_prepared_and_launched_and_its_group_is_joined_on_init",
        f"{DEVICES}:a_collective_without_its_attributes_is_refused",
    ),
    "4.8 in place": (
        f"{DEVICES}:a_collective_in_place_gives_back_its_inputs",
        f"{DEVICES}:what_is_received_brings_its_shape_and_its_memory",
    ),
    "4.9": (
        f"{GRAPHS}:a_compiled_graph_is_a_model_that_init_creates_and_main_runs",
        f"{GRAPHS}:a_graph_that_was_not_compiled_is_lowered_node_by_node",
    ),
    "4.9 fixed memory": (
        f"{GRAPHS}:fixed_memory_of_the_session_goes_after_the_models",
        f"{GRAPHS}:the_memory_a_model_works_in_comes_by_kind",
    ),
    "4.10": (
        f"{GRAPHS}:a_mixed_operator_is_filled_copied_and_launched_in_this_order",
        f"{GRAPHS}:a_static_mixed_operator_is_not_tiled_and_its_kernels_are_found_by_name",
    ),
    "4.11 inputs": (
        f"{LOCAL}:model_inputs_of_all_types_are_split_from_their_feed",
        f"{LOCAL}:a_frozen_model_input_is_a_constant_of_the_user",
    ),
    "4.11 no feed": (
        f"{LOCAL}:an_input_that_nobody_feeds_is_a_kernel_of_its_own",
        f"{LOCAL}:model_inputs_of_all_types_are_split_from_their_feed",
    ),
    "4.11 constants of the user": (
        f"{LOCAL}:a_constant_of_the_user_is_two_constants_and_nothing_else",
        f"{LOCAL}:a_constant_of_the_user_that_lies_nowhere_is_refused",
    ),
    "4.11 files": (
        f"{LOCAL}:a_file_is_read_on_init_and_its_memory_lives_as_long_as_the_model",
        f"{LOCAL}:memory_that_the_user_filled_is_taken_instead_of_a_file",
    ),
    "4.11 reshapes": (
        f"{LOCAL}:a_reshape_infers_its_shape_and_passes_its_address_on",
        f"{LOCAL}:a_reshape_by_a_tensor_reads_its_elements_on_the_host",
    ),
    "4.11 shapes as values": (
        f"{LOCAL}:a_number_made_of_shapes_needs_no_shape_inference",
        f"{LOCAL}:shapes_of_several_tensors_are_built_by_one_kernel",
    ),
    "4.11 copies": (
        f"{LOCAL}:a_copy_of_a_tensor_on_the_device_is_one_there",
        f"{LOCAL}:a_copy_of_what_may_be_on_the_host_only_makes_sure",
    ),
    "4.11 order": (
        f"{LOCAL}:an_operator_that_only_orders_leaves_no_kernel_and_hands_its_order_on",
        f"{LOCAL}:control_flow_of_the_old_style_is_refused",
    ),
    "4.11 conditions": (
        f"{LOCAL}:a_condition_is_a_function_of_the_host_that_reads_what_it_depends_on",
        f"{LOCAL}:a_condition_without_a_function_is_refused",
    ),
    "4.11 tiling as values": (
        f"{LOCAL}:the_tiling_of_another_operator_becomes_values",
        f"{LOCAL}:the_tiling_of_an_operator_that_is_not_there_is_refused",
    ),
    "4.11 sequences": (
        "lowering_sequence:a_container_is_created_cleared_behind_each_step_and_destroyed",
        "lowering_sequence:an_operator_that_stores_nothing_needs_no_container",
    ),
    "4.11 calls": (f"{OWNERS}:a_call_is_lowered_in_place", f"{OWNERS}:a_broken_owner_is_refused_by_name"),
    "4.12 If, Case, While": (f"{FLOW}:control_flow_becomes", f"{OWNERS}:a_broken_owner_is_refused_by_name"),
    "4.12 lifetime": (
        f"{INSIDE}:memory_made_in_both_branches_is_freed_outside_and_nowhere_else",
        f"{INSIDE}:values_that_no_branch_owns_are_not_freed",
    ),
    "4.12 references": (
        f"{INSIDE}:memory_borrowed_in_one_branch_gets_a_reference_there",
        f"{INSIDE}:values_that_no_branch_owns_are_not_freed",
    ),
    "4.12 conflict": (
        f"{INSIDE}:values_of_different_sources_leave_through_a_pointer",
        f"{INSIDE}:an_input_that_leaves_all_branches_is_the_output",
    ),
    "4.12 loop": (
        f"{FLOW}:an_output_of_a_loop_is_its_input_of_the_same_number",
        f"{FLOW}:an_output_of_an_if_is_a_value_of_its_own",
    ),
    "7.1": (
        "passes_zero_copy:what_takes_the_memory_of_an_output_takes_the_callers",
        "passes_zero_copy:memory_that_goes_another_way_stays_as_it_is",
    ),
    "7.2": (
        "passes_constants:what_follows_from_constants_alone_is_computed_on_init",
        "passes_constants:memory_is_taken_in_every_step",
    ),
    "7.2 ends": (
        "passes_constants:every_const_of_main_moves_even_one_nobody_reads",
        "passes_constants:what_an_end_reads_stays_in_its_graph",
    ),
    "7.2 branches": (
        "passes_constants:constants_leave_branches_but_not_the_frame_that_decides",
        "passes_constants:a_loop_variable_is_no_constant_even_when_its_first_value_is",
    ),
    "7.3": (
        "passes_copy_flow:the_copies_of_a_launch_become_one_kernel",
        "passes_copy_flow:a_copy_that_somebody_else_reads_stays",
    ),
    "7.4": (
        "passes_trust:shapes_of_outputs_are_read_from_the_callers_tensors",
        "passes_trust:shapes_that_are_not_inferred_are_not_trusted",
    ),
    "7.5": (
        "passes_copy_flow:host_inputs_of_one_aicpu_operator_lie_in_its_arguments",
        "passes_copy_flow:what_is_no_checked_copy_of_the_host_stays_for_the_aicpu",
    ),
    "7.6": (
        "passes_threads:a_copy_to_the_device_is_divided_for_each_output",
        "passes_threads:kernels_of_one_kind_stay_whole",
    ),
    "7.7": (
        "passes_threads:memory_is_given_back_without_waiting_for_its_launch",
        "passes_threads:every_other_release_keeps_its_type_and_edges",
    ),
    "7.8": (
        "passes_trust:shapes_of_outputs_are_read_from_the_callers_tensors",
        "passes_trust:what_somebody_else_reads_is_not_pruned",
    ),
}
"""Paragraph: where it applies, where it must not."""

STEPS_OF_4_1 = 14
PARAGRAPHS = {
    *(f"4.1 step {step}" for step in range(1, STEPS_OF_4_1 + 1)),
    *(f"4.{number}" for number in range(1, 13)),
    *(f"7.{number}" for number in range(1, 9)),
}


@cache
def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"row_of_{name}", HERE / f"test_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def rows_of(reference: str) -> int:
    """How many rows a test has; 0 when there is no such test."""
    name, _, function = reference.partition(":")
    found = getattr(module(name), f"test_{function}", None)
    if found is None:
        return 0
    count = 1
    for mark in getattr(found, "pytestmark", []):
        if mark.name == "parametrize":
            count *= len(list(mark.args[1]))
    return count


def test_each_paragraph_is_in_the_table() -> None:
    assert [
        paragraph
        for paragraph in sorted(PARAGRAPHS)
        if not any(row == paragraph or row.startswith((f"{paragraph} ", f"{paragraph},")) for row in TABLE)
    ] == []


@pytest.mark.parametrize("paragraph", TABLE)
def test_a_paragraph_has_a_row_where_it_applies_and_one_where_it_must_not(paragraph: str) -> None:
    applies, must_not = TABLE[paragraph]
    assert applies != must_not
    assert (rows_of(applies) > 0, rows_of(must_not) > 0) == (True, True)


def test_there_are_enough_rows() -> None:
    tests = {reference for row in TABLE.values() for reference in row}
    assert len(tests) >= LEAST_ROWS
    assert sum(map(rows_of, tests)) >= 3 * LEAST_ROWS


def test_a_test_that_is_not_there_has_no_rows() -> None:
    assert rows_of("passes_trust:nothing_of_the_kind") == 0
