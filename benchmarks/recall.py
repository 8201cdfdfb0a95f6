"""How good recall is on recorded conversations, file by file.

    python benchmarks/recall.py PATH... [--embedder none|default|onnx:...] [--limit N] [--json]

Files of two styles are understood, LoCoMo and LongMemEval. They are not part of the project.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.bench.recall import measure
from lukasa.bench.talks import HAYSTACK
from lukasa.config import Settings
from lukasa.errors import LukasaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.db.database import Json


def arguments() -> argparse.Namespace:
    """What is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--embedder", default="default", help="none, default, onnx:PATH, ...")
    parser.add_argument("--limit", type=int, help="ask only so many questions of each file")
    parser.add_argument("--haystack", type=int, default=HAYSTACK, help="sessions for each question")
    parser.add_argument("--json", action="store_true", help="one object a line")
    return parser.parse_args()


def show(report: Mapping[str, Json]) -> None:
    """The figures of one file as lines; what is nested stands one to a line."""
    for name, value in report.items():
        if isinstance(value, dict):
            print(name)
            for inner, figures in value.items():
                print(f"  {inner:<28} {json.dumps(figures)}")
        else:
            print(f"{name:<30} {value}")
    print()


def main() -> int:
    """Measures each file in turn."""
    given = arguments()
    for path in given.paths:
        try:
            report = measure(
                path,
                settings=Settings(embedding=given.embedder),
                limit=given.limit,
                haystack=given.haystack,
                progress=lambda done, total: print(f"\r{done} of {total}", end="\r", file=sys.stderr),
            )
        except LukasaError as error:
            print(error, file=sys.stderr)
            return 2
        print(json.dumps(report)) if given.json else show(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
