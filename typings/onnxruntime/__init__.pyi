"""The part of onnxruntime that is used here; the package itself comes without types."""

from collections.abc import Mapping, Sequence

from numpy import generic
from numpy.typing import NDArray

class NodeArg:
    name: str

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    log_severity_level: int

class InferenceSession:
    def __init__(self, content: bytes, options: SessionOptions, *, providers: Sequence[str]) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(
        self, outputs: Sequence[str], given: Mapping[str, NDArray[generic]]
    ) -> list[NDArray[generic]]: ...
