"""The branches of AddExample's kernel, by tiling key (``add_example_tiling_key.h``)."""

from typing import Final

ELEMENTWISE: Final = 0
"""The only branch: both data types are added the same way."""
