"""The one list of all that can be done: typed functions, registered once; every surface is a loop over it.

registry (the list) · signatures (schemas from signatures) · checking (arguments against them) · words (what
many operations take) · entries, recalling, keeping (the operations) · answers (results as JSON, and as text
for a model) · binding, dispatch, failures (whose memory, the one way in, what goes wrong)

Always true: what a surface offers comes from here; no argument reaches beyond the binding.
"""

from __future__ import annotations

from lukasa.operations.binding import Binding
from lukasa.operations.dispatch import Result, perform, perform_async
from lukasa.operations.registry import Audience, Operation, all, find, get  # noqa: A004 - operations.all() reads as it should
from lukasa.operations.signatures import Parameter

__all__ = [
    "Audience",
    "Binding",
    "Operation",
    "Parameter",
    "Result",
    "all",
    "find",
    "get",
    "perform",
    "perform_async",
]
