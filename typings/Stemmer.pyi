# What of PyStemmer is used here; the package has no types of its own.

class Stemmer:
    def __init__(self, algorithm: str, /) -> None: ...
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - its own name

def algorithms() -> list[str]: ...
