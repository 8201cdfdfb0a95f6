"""numpy, loaded once and in the way that suits us: its linear algebra on one thread.

On the small products that a recall makes, a second thread costs more than it brings, and starting the
threads doubles the time of the import. A program that loaded numpy before us keeps its own choice.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_ours = [] if "numpy" in sys.modules else [name for name in _THREADS if name not in os.environ]
for _name in _ours:
    os.environ[_name] = "1"
import numpy as np  # noqa: E402 - the library reads these variables when it is loaded, and only then

for _name in _ours:
    del os.environ[_name]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Matrix = NDArray[np.float32]
    Reals = NDArray[np.float64]
    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = ["np"]
