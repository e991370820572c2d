"""Models with unknown shapes as a session runs them (spec/execution.md 3.7 to 3.9).

executor.py           HybridModelRtV2Executor: load, execute, unload of one model in a session
run_async.py          HybridModelAsyncExecutor: the same from a thread of its own, with a queue
model.py              what a hybrid model is, and which models need this path
factory.py            RtV2ExecutorFactory: pipeline for a model in stages, else simple
simple.py             RtV2SimpleExecutor: one ModelV2Executor
pipeline.py           RtV2PipelineExecutor: one per stage, each on a stream and a thread of its own
stage_state.py        where one stage stands, what it waits for and what it hands on
stage_graph.py        cutting a model in stages into models
allocator_manager.py  ScalableAllocatorManager: allocators per stream
conversion.py         what a caller's tensors become before they go in
file_constants.py     constants in files, read into the memory of the session once
host_variables.py     variables that lie on the host
guard.py              the check that a compiled guard would do
"""
