"""Causes told in words: families of lines that say what went wrong, and which of them only hand it on.

A log without KernelTrace names no kernel, and its first ERROR line is often a follower. So each family has a weight,
and the cause of a process is its first line of the greatest weight. If a view ranked lines by itself, it would show a
time-out as the cause of the crash that it waited for.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from getrace.analysis.rules.pattern import LONGEST, Pattern, compiled


class Weight(IntEnum):
    """How much a line explains; lines of a lower weight are effects of one with a higher."""

    FOLLOWER = 1
    """A code that an API hands on."""
    VICTIM = 2
    """A wait that ran out: somebody else did not come."""
    FAULT = 3
    """A unit or a link failed, without a reason."""
    REASON = 4
    """It says why."""


@dataclass(frozen=True, slots=True)
class Family:
    """Lines that tell one thing. Named groups of ``patterns`` are facts."""

    name: str
    phase: str
    weight: Weight
    patterns: tuple[Pattern, ...]


# name, phase, wordings. Sources: lines of public cases and the wordings of RUNTIME, HCCL, FE and GE; see the README.
_REASONS = (
    (
        "stream_resources",
        "stream",
        r"Alloc (?:chan|sq cq) fail",
        r"[Aa]lloc(?: all)? ?sq(?: resource|cq|/cq)? failed",
        r"sq cq res alloc failed",
        r"stream resources are insufficient",
        r"Too many streams are",
        r"drvStreamIdAlloc failed",
        r"drvStreamIdAlloc \d+\] ioctl failed",
    ),
    ("notify_resources", "stream", r"Alloc Notify resource failed", r"Notify create failed, setup failed"),
    ("event_resources", "stream", r"Alloc Event resource failed"),
    (
        "device_memory",
        "alloc",
        r"halMemAlloc failed",
        r"Call rtMalloc fail",
        r"Malloc device memory failed",
        r"insufficient NPU memory",
        r"Can not alloc dev mem",
    ),
    ("gear_missing", "execute", r"dynamic_batch_size parameter is not specified"),
    (
        "tensor_size",
        "execute",
        r"(?P<op>[\w/.-]+)\((?P<op_type>\w+)\) index\[\d+\] mem size out of range",
        r"Output Size mismatch",
        r"for \[(?P<op>[\w/.-]+)\(\w+\)\] Input\[\d+\]: ?tensor size mismatches",
        r"Output memory provided by the user",
    ),
    (
        "shape_rule",
        "infer_shape",
        r"OpName:\[(?P<op>[^\]]+)\] .*can ?not broadcast",
        r"op\[(?P<op>[^\]]+)\],? op dtype is not same",
        r"op\[(?P<op>[^\]]+)\], attr\[\w+\],? has wrong value",
    ),
    ("tiling_check", "tiling", r"only support \{[\d, ]+\}.*tiling_check"),
    ("header_missing", "compile", r"fatal error: '[^']+' file not found"),
    ("python_call", "compile", r"(?P<code>E40024).*Failed call Python Func"),
    ("op_argument", "compile", r"'errCode': '(?P<code>E\d{5})', 'op_name': '(?P<op>[^']+)'"),
    ("soc_unsupported", "init", r"support for Ascend\w+ is not implemented"),
    ("op_verify", "compile", r"(?P<op>Conv2DVerify)"),
    ("library_missing", "init", r"Fail to load so file"),
    ("model_not_supported", "load", r"load model from file failed, ret = (?P<code>254)"),
    ("model_version", "load", r"Assert \(.*size\(\) == .*failed, expect \d+ actual \d+"),
    ("rank_table", "communication", r"(?P<code>EI0004).*ranktable is invalid"),
    ("hccp_busy", "communication", r"(?P<code>EJ0001).*Failed to initialize the HCCP"),
    ("port_busy", "communication", r"listen on ip\[[^\]]*\] and specific port\[\d+\] fail"),
    (
        "rank_lost",
        "communication",
        r"(?:crimer )?rank \[[^\]]+\]: (?:crimer )?rank \[(?P<rank>[^\]]+)\] status\[LOST\]",
        r"crimer rank \[(?P<rank>[^\]]+)\] status\[LOST\]",
        r"Exception Location\[IP/ID\]:\[(?P<rank>[^\]]+)\].*ExceptionType:\[(?:Heartbeat Lost|Stuck) Occurred",
    ),
    (
        "link_down",
        "communication",
        r"\((?P<rank>\d+)\)\s+\|.*\|\s+no connect\s+\|",
        r"\((?P<rank>\d+)\)\s+\|.*\|\s+time ?out\s+\|",
    ),
    ("device_number", "init", r"invalid device, set (?:drv )?device=(?P<device>\d+)"),
    ("wrong_context", "unload", r"stream is not in current ctx, stream_id=(?P<stream>\d+)"),
    ("no_context", "init", r"ctx is NULL!", r"context is a null pointer"),
    ("not_in_capture", "execute", r"current capture mode does not support this operation"),
    ("feature_missing", "execute", r"(?P<code>ERR01007) OPS feature not supported"),
    (
        "op_compile",
        "compile",
        r"(?P<code>E20001).*Failed to compile Op \[(?P<op>[^\]]+)\]. \(optype: \[(?P<op_type>\w+)\]",
    ),
)

_FAULTS = (
    (
        "core_fault",
        "device",
        r"The error from device\(.*error code = (?P<code>\w+)",
        r"errcode:\((?P<code>\w+)[,)].*errorStr",
        r"core list\[",
        r"[Aa]icore kernel execute failed",
        r"\[vector core exception\]",
        r"Aicore exception",
    ),
    ("aicpu_fault", "device", r"exception during AICPU execution", r"Aicpu kernel execute failed"),
    ("socket_timeout", "communication", r"get socket timeout", r"wait socket establish timeout", r"(?P<code>EI0006)"),
    ("link_error", "communication", r"LINK_ERROR_INFO", r"error cqe status"),
    ("communicator", "communication", r"HcclCommInitRootInfo failed"),
    ("build_failed", "compile", r"Build model failed", r"GenerateModel:"),
    ("kernel_config", "init", r"[Pp]arse ?[Dd]ynamic ?[Kk]ernel"),
    ("script_error", "compile", r"(?:Name|Type|Syntax)Error: "),
    ("compile_stuck", "compile", r"SingleOp:(?P<op>[^|]+)\|Task wait second"),
)

_VICTIMS = (
    (
        "notify_wait",
        "communication",
        r"type:NOTIFY WAIT, localRank:\d+, remoteRank:(?P<rank>\d{1,9}),",
        r"(?P<code>EI0002)",
        r"notify wait timeout",
        r"taskType\[Notify Wait\]",
        r"stuck notify num",
    ),
    (
        "stream_wait",
        "sync",
        r"wait task timeout",
        r"wait_sqe_is_timeout: Timeout:.*stream_id=(?P<stream>\d+), task_id=(?P<task>\d+)",
        r"(?P<code>EE1002).*[Ss]ynchronize timeout",
        r"fftsplus timeout",
        r"vector core timeout",
    ),
    ("dispatch_timeout", "communication", r"dispatch timeout"),
)

_FOLLOWERS = (
    (
        "task_failed",
        "device",
        r"Task run failed",
        r"Task exception!",
        r"Memory async copy failed",
        r"retcode: 507011",
        r"ret: 507011",
    ),
    ("timeout_report", "device", r"hwts timeout exception", r"result=0x\w+, fault task_id=\d+"),
    ("device_code", "device", r"error code is 507\d{3}", r"runtime result = 507\d{3}", r"ErrCode=507\d{3}"),
    ("api_code", "execute", r"error code is \d{6}", r"runtime result = \d{6}", r"ErrCode=\d{6}"),
    ("user_code", "unknown", r"\bE[A-Z0-9]9999\b"),
)

_GROUPS: tuple[tuple[Weight, tuple[tuple[str, ...], ...]], ...] = (
    (Weight.REASON, _REASONS),
    (Weight.FAULT, _FAULTS),
    (Weight.VICTIM, _VICTIMS),
    (Weight.FOLLOWER, _FOLLOWERS),
)


def _families() -> tuple[Family, ...]:
    rows = ((weight, row) for weight, group in _GROUPS for row in group)
    return tuple(
        Family(row[0], row[1], weight, tuple(compiled(wording) for wording in row[2:])) for weight, row in rows
    )


FAMILIES = _families()
"""The greatest weight first."""
_TABLE = tuple((pattern.literal, pattern, family) for family in FAMILIES for pattern in family.patterns)

HARMLESS = re.compile(r"can be ignored|error_code: W\d{5}")
"""Words by which an ERROR line says that it is none."""
IGNORE_ABOVE = re.compile(r"ignore the above error")
"""Words by which a line says that the ERROR line before it is none."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a line tells: its family and the facts in the groups of its wording."""

    family: Family
    facts: dict[str, str]


def told_by(line: str) -> Told | None:
    """Find the family of a line, the greatest weight first; None for a line of no family."""
    head = line[:LONGEST]
    for literal, pattern, family in _TABLE:
        if literal in head:
            facts = pattern.search(head)
            if facts is not None:
                # The few lines that tell something are asked last whether they take it back.
                return None if HARMLESS.search(head) else Told(family, facts)
    return None


# fact: wordings, the best first
FACTS: dict[str, tuple[re.Pattern[str], ...]] = {
    fact: tuple(re.compile(wording) for wording in wordings)
    for fact, wordings in {
        "op": (
            r"origin_op_name \[([^\]]+)\]",
            r"Dump node \(([^)]+)\)",
            r"OpName:\[([^\]]+)\]",
            r"for node:([^\s(]+)\(\w+\)",
            r"\b[Oo]p \[([^\]]+)\]",
            r"\bop\[([^\]]+)\]",
            r"call aclnn(\w+) failed",
            r"OPS function error: (\w+),",
            r"op: ([a-z]\w+)",
        ),
        "op_type": (r"op type = (\w+)", r"optype: \[(\w+)\]", r"for node:[^\s(]+\((\w+)\)"),
        "kernel": (r"fault kernel_name=([^,\s]+)",),
        "code": (
            r"\b(E(?!E9999|Z9999|I9999|H9999)[A-Z0-9]\d{4})\b",
            r"ErrCode=(\d{6})",
            r"(?:error code is|runtime result =|retcode:|ret:) ?(\d{6})",
            r"ret\[(\d{6})\]",
            r"(?:error code = |coreId\([ \d]+\): +|errcode:\()(0x\w+|\d+)",
            r"errno\[(\d+)\]",
            r"ErrorNo: (?!4294967295)(\d+)",
            r"drvRetCode=(\w+)",
            r"retCode=(0x\w+)",
            r"result=(0x\w+)",
            r"ret=(-?\d+)",
            r"ret\[(\d+)\]",
        ),
        "device": (
            r"device_id[=:] ?(\d+)",
            r"dev(?:ice)?_?[Ii]d[=:(\[]+ ?(\d+)",
            r"Device:(\d+)",
            r"\bdevice[ \[](\d+)",
            r"chipId:(\d+)",
            r"Device (\d+)",
        ),
        "rank": (
            r"RankID:(\d+)",
            r"remote rank ?:? ?\[(\d+)\]",
            r"\[rank(\d+)\]",
            r"Rank\[(\d+)\]",
            r"\brank\[(\d+)\]",
        ),
        # HCCL and the AI CPU print ids of other kinds as streamID: those are no stream of the runtime.
        "stream": (r"\bstream_id[=:] ?(\d+)", r"\bstream_id (\d+)"),
        "task": (r"\btask_id[=:] ?(\d+)", r"\btask_id (\d+)"),
    }.items()
}


def fact_in(line: str, fact: str) -> str | None:
    """Read one fact from a line, by the best wording that fits."""
    for wording in FACTS[fact]:
        found = wording.search(line[:LONGEST])
        if found:
            return found[1]
    return None
