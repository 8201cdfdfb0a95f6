"""The figures of peers.py as a table and as a picture.

python benchmarks/speed/report.py peers.json --picture docs/pictures/speed.svg > table.md
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TypedDict, cast

Figures = Mapping[str, float | str | None]
OURS = "Lukasa"
PROBLEM = "problem"
WALL, CPU = "p50", "cpu p50"
TITLES = {
    WALL: "Milliseconds of one recall, p50, warm",
    CPU: "Milliseconds of the processor for one recall, p50, warm",
}

WIDTH, LEFT, RIGHT, GAP = 960, 268, 18, 26
TOP, ROW, HEAD, FOOT = 66, 22, 44, 34
INK, PALE, GRID, OWN, OTHER = "#1f2328", "#6e7781", "#d8dee4", "#0b7a5e", "#8c959f"
FONT = "font-family='system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'"
NO_FIGURE = "\N{EN DASH}"


class Named(TypedDict):
    """A peer and the version that was measured."""

    name: str
    version: str


class Report(TypedDict):
    """What peers.py writes."""

    cases: Sequence[str]
    peers: Sequence[Named]
    figures: Mapping[str, Mapping[str, Figures]]


def table(report: Report, *, by: str = WALL) -> str:
    """What each peer takes in each case, in milliseconds, with recall@10 where it is not 1."""
    lines = [
        f"| {'p50 / p95' if by == WALL else 'CPU p50'}, ms | {' | '.join(report['cases'])} |",
        f"|---|{'---:|' * len(report['cases'])}",
    ]
    for peer in report["peers"]:
        found = report["figures"][peer["name"]]
        cells = [cell(found.get(case, {PROBLEM: "not measured"}), by) for case in report["cases"]]
        name = f"{peer['name']} {peer['version']}"
        lines.append(f"| {f'**{name}**' if is_ours(peer) else name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cell(figures: Figures, by: str) -> str:
    """One figure of the table."""
    if PROBLEM in figures:
        return f"{NO_FIGURE} ({figures[PROBLEM]})"
    recall = figures["recall@10"]
    found = f", recall {recall:.2f}" if isinstance(recall, float) and recall < _FULL else ""
    if by == CPU:
        return f"{spelled(_real(figures[CPU]))}{found}"
    return f"{spelled(_real(figures['p50']))} / {spelled(_real(figures['p95']))}{found}"


_FULL = 0.995


def spelled(value: float) -> str:
    """Three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def is_ours(peer: Named) -> bool:
    """Whether a line is Lukasa's own."""
    return peer["name"].startswith(OURS)


def _real(value: float | str | None) -> float:
    return float(value or 0)


def picture(report: Report, *, cases: Sequence[str] | None = None, by: str = WALL) -> str:
    """A panel for each case, a line for each peer, and one logarithmic scale of milliseconds for all."""
    shown = list(cases or report["cases"])
    peers = list(report["peers"])
    values = [
        _real(figures[by])
        for peer in peers
        for case, figures in report["figures"][peer["name"]].items()
        if case in shown and PROBLEM not in figures
    ]
    scale = Scale(values, (WIDTH - LEFT - RIGHT - GAP * (len(shown) - 1)) / len(shown))
    height = TOP + HEAD + ROW * len(peers) + FOOT
    space = f"viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}'"
    label = "role='img' aria-label='Milliseconds of a recall, Lukasa and others'"
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' {space} {label}>",
        f"<rect width='{WIDTH}' height='{height}' rx='8' fill='#ffffff'/>",
        text(20, 30, TITLES[by], size=17, weight=600),
        text(
            20,
            50,
            "Ten answers with their texts, the same vectors for all, one run. Logarithmic: left is better.",
            PALE,
        ),
    ]
    for row, peer in enumerate(peers):
        colour, weight = (OWN, 600) if is_ours(peer) else (INK, 400)
        label = f"{peer['name']} {peer['version']}"
        parts.append(text(LEFT - 12, _middle(row), label, colour, size=12, weight=weight, anchor="end"))
    for at, case in enumerate(shown):
        left = LEFT + at * (scale.width + GAP)
        parts += panel(report, case, scale, left, by)
    return "\n".join([*parts, "</svg>\n"])


class Scale:
    """Where a number of milliseconds stands in a panel."""

    def __init__(self, values: Sequence[float], width: float) -> None:
        low, high = min(values, default=1.0), max(values, default=10.0)
        self.width = width
        self.first, self.last = math.floor(math.log10(low)), max(1, math.ceil(math.log10(high)))

    def place(self, value: float) -> float:
        """How far from the left."""
        share = (math.log10(value) - self.first) / (self.last - self.first)
        # A figure needs room behind its line.
        return max(0.0, share) * (self.width - 84)

    def ticks(self) -> list[float]:
        """The powers of ten."""
        return [10.0**power for power in range(self.first, self.last + 1)]


def panel(report: Report, case: str, scale: Scale, left: float, by: str) -> list[str]:
    """One case: a line and a dot for each peer, and the figure behind it."""
    bottom = TOP + HEAD + ROW * len(report["peers"])
    parts = [text(left, TOP + 20, case, size=13, weight=600)]
    for tick in scale.ticks():
        across = left + scale.place(tick)
        parts.append(line(across, TOP + HEAD - 10, across, bottom, colour=GRID, width=1))
        parts.append(text(across, bottom + 16, f"{tick:g}", PALE, size=10, anchor="middle"))
    for row, peer in enumerate(report["peers"]):
        figures = report["figures"][peer["name"]].get(case, {PROBLEM: ""})
        middle = _middle(row) - 4
        if PROBLEM in figures:
            parts.append(text(left + 4, middle + 4, "not done in time", PALE, size=10))
            continue
        value, colour = _real(figures[by]), OWN if is_ours(peer) else OTHER
        across = left + scale.place(value)
        parts.append(line(left, middle, across, middle, colour=colour, width=7 if is_ours(peer) else 5))
        said = f"{spelled(value)}{_short(figures)}"
        parts.append(text(across + 6, middle + 4, said, colour if is_ours(peer) else INK, size=11))
    return parts


def _short(figures: Figures) -> str:
    """What an answer that is not whole is marked by: a quick search that misses is no quicker."""
    recall = figures["recall@10"]
    return f" (finds {recall:.0%})" if isinstance(recall, float) and recall < _FULL else ""


def _middle(row: int) -> float:
    return TOP + HEAD + ROW * row + 12


def line(x1: float, y1: float, x2: float, y2: float, *, colour: str, width: float) -> str:
    ends = f"x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}'"
    return f"<line {ends} stroke='{colour}' stroke-width='{width}'/>"


def text(
    x: float,
    y: float,
    said: str,
    colour: str = INK,
    *,
    size: int = 12,
    weight: int = 400,
    anchor: str = "start",
) -> str:
    place = f"x='{x:.1f}' y='{y:.1f}' font-size='{size}' font-weight='{weight}' text-anchor='{anchor}'"
    return f"<text {place} fill='{colour}' {FONT}>{escape(said)}</text>"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figures", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--cases", nargs="*", help="only these, in the picture")
    parser.add_argument("--by", choices=[*TITLES], default=WALL, help="where the machine was busy: cpu p50")
    options = parser.parse_args()
    report = cast("Report", json.loads(options.figures.read_text()))
    if options.picture:
        options.picture.parent.mkdir(parents=True, exist_ok=True)
        options.picture.write_text(picture(report, cases=options.cases, by=options.by))
    print(table(report, by=options.by), end="")


if __name__ == "__main__":
    main()
