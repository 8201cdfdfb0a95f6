"""The errors of onnxruntime that are caught here."""

class Fail(Exception): ...  # noqa: N818 - its own name
class InvalidGraph(Exception): ...  # noqa: N818 - its own name
class InvalidProtobuf(Exception): ...  # noqa: N818 - its own name
class NotImplemented(Exception): ...  # noqa: N818 - its own name
