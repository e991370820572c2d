"""Which phase of a model's life a failure belongs to: one table by kernel type, one by the words of an ERROR line.

The words are those of spec/kerneltrace.md 7.4; source lines differ between releases and are never a key.
"""

import re

# Kernel types that put an operator's work on the device (GE's kernel inventory). A part of the name says nothing:
# AllocLaunchArg only makes room for arguments, and CopyFlowLaunch only copies them.
_LAUNCHERS = frozenset(
    {
        "AicpuLaunchCCKernel",
        "AicpuLaunchTfKernel",
        "AtomicLaunchKernelWithFlag",
        "AtomicLaunchKernelWithHandle",
        "DavinciModelExecute",
        "ExecuteCustomOp",
        "ExecuteCustomOpWithInferShape",
        "ExecuteOpFunc",
        "ExecuteOpLaunch",
        "GenerateSqeAndLaunchTask",
        "LaunchAicpuCustKernel",
        "LaunchCmoTask",
        "LaunchFFTSPlusTask",
        "LaunchFFTSPlusTaskNoCopy",
        "LaunchHcomKernel",
        "LaunchKernelWithFlag",
        "LaunchKernelWithHandle",
        "LaunchMixKernelWithFlag",
        "LaunchMixKernelWithHandle",
        "LaunchRecvKernel",
        "StarsTaskLaunchKernel",
    }
)

# (what a kernel type begins with, phase); the first row that fits counts.
_BY_KERNEL_TYPE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("InferShape", "CompatibleInferShape", "BuildShapeTensorData", "CalcTensorSize", "CalcUnaligned"), "infer_shape"),
    (("Tiling", "CacheableTiling", "CompatibleTiling", "FallibleTiling"), "tiling"),
    (
        (
            "Alloc",
            "GetOrCreateWeightMem",
            "CreateL",
            "CreateInitL2",
            "CreateHostL2",
            "SelectAllocator",
            "CreateAllocator",
        ),
        "alloc",
    ),
    (("Launch", "ExecuteOp"), "launch"),
    (("SyncStream",), "sync"),
    (("Copy", "MakeSure", "EnsureTensor"), "copy"),
    (("Free",), "free"),
    (("SendEvents", "WaitEvents", "LastSendEvents", "LastWaitEvents", "AccessMem"), "stream"),
)

# (words in "function: text" of an ERROR line, phase); the first row that fits counts.
_BY_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(words), phase)
    for words, phase in (
        (r"(?i)stream ?sync|synchroni[sz]e", "sync"),
        (r"(?i)no (?:stream|event|notify) resource|reusable (?:stream|event|notif)", "stream"),
        (r"rt(?:Stream|Event|Notify)Create", "stream"),
        (r"(?i)infer ?shape", "infer_shape"),
        (r"(?i)\btiling\b|tiling ?parse", "tiling"),
        (r"(?i)unload", "unload"),
        (r"(?i)failed to (?:load|execute) init|init graph", "init"),
        (r"(?i)de-init", "unload"),
        (r"(?i)lowering|failed to find the converter|Failed to run (?:once )?pass|Failed to do CEM", "lowering"),
        (r"(?i)\bload\b|\[Load\]|root model|model data|Op ?Master", "load"),
        (r"(?i)malloc|alloc|memory", "alloc"),
        (r"(?i)launch", "launch"),
        (r"(?i)aicore|aicpu|task exception|device error|vector core", "device"),
        (r"(?i)compile|parse|fusion|ge_?generator|prebuild", "compile"),
        (r"(?i)execute|exec\b", "execute"),
    )
)

_SYNC_WORDS = _BY_WORDS[0][0]
# The ``[file:line]`` of a record: what stands before it names no phase.
_PLACE = re.compile(r"\[[\w./+-]+:\d+\]")

DEVICE = "device"
SYNC = "sync"
COMMUNICATION = "communication"


def is_launch(kernel_type: str) -> bool:
    """Say whether kernels of a type put an operator's work on the device."""
    return kernel_type in _LAUNCHERS


def phase_of_kernel(kernel_type: str) -> str:
    """Give the phase a kernel type works in; ``execute`` for those without one of their own."""
    if is_launch(kernel_type):
        return "launch"
    for beginnings, phase in _BY_KERNEL_TYPE:
        if kernel_type.startswith(beginnings):
            return phase
    return "execute"


def speaks_of_sync(text: str) -> bool:
    """Say whether an ERROR record speaks of a synchronise that failed, as ``phase_of_words`` would."""
    return _SYNC_WORDS.search(_PLACE.split(text, maxsplit=1)[-1]) is not None


def phase_of_words(text: str) -> str:
    """Give the phase that an ERROR record speaks of in its function and its words; ``unknown`` when it does not say."""
    words = _PLACE.split(text, maxsplit=1)[-1]
    for pattern, phase in _BY_WORDS:
        if pattern.search(words):
            return phase
    return "unknown"
