"""What a file with a graph is, by its first bytes (spec/formats.md, first table). Its name is a hint for the rest.

The list of signs is here for all who must tell files apart: the readers of graphs, and the reader of logs, which says
what it was given instead of a log.
"""

import re
from collections.abc import Callable
from typing import NamedTuple


class Sign(NamedTuple):
    """A kind of file: its word, what a person calls it, and whether some first bytes are of it."""

    word: str
    what: str
    fits: Callable[[bytes], bool]


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    found = re.compile(rb"\A(?:\xef\xbb\xbf)?" + pattern)
    return lambda head: found.match(head) is not None


def _is_onnx(head: bytes) -> bool:
    from getrace.dumps.onnx_reader import is_onnx  # noqa: PLC0415 - a log is told from all else before it is asked for

    return is_onnx(head)


_COMMENTS = rb"(?:\s|#[^\n]*\n)*"

SIGNS: tuple[Sign, ...] = (
    Sign("om", "an offline model (OM)", _begins(rb"IMOD")),
    Sign("pico", "a model for SVP or Hi35xx chips, which is none of GE's", _begins(rb"PICO")),
    Sign("om2", "a zip archive", _begins(rb"PK\x03\x04")),
    Sign("ge_onnx", "a ge_onnx dump", _begins(_COMMENTS + rb"(?:ir_version:|graph \{\s*node \{)")),
    Sign("ge_readable", "a graph dump", _begins(rb'\s*graph\("')),
    Sign(
        "ge_proto",
        "a graph dump",
        _begins(_COMMENTS + rb'(?:graph \{\s*(?:name:|op \{|attr|input:|output:)|name: "|(?:custom_)?version: )'),
    ),
    Sign("json", "a JSON document", _begins(rb'\s*\{\s*"(?:attr|custom_version|format|graph|model|name|version)"\s*:')),
    Sign("onnx_model", "an ONNX model", _is_onnx),
)
"""In the order of asking; the weakest sign is the last."""


def sign_of(head: bytes) -> Sign | None:
    """Give what a file is whose first bytes are these, None when it is nothing that holds a graph."""
    return next((sign for sign in SIGNS if sign.fits(head)), None)
