"""How several reasons become one order: pure functions of columns.

A reason gives each candidate a raw value, or NaN where it has nothing to say of it. What comes out is points,
and a candidate's score is their sum, to the last digit. `zscore` asks how far above the others a value
stands, `weighted` where it lies between the least and the most, `rrf` only which place it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from lukasa.matrices import Reals, Whole

RRF_K = 60
# What few candidates say of a spread is believed in part, as if so many more had said nothing.
SILENT = 10


def zscored(raw: Reals) -> Reals:
    """How many standard deviations above the mean; the mean itself where there is no value, or no spread.

    The fewer there are, the less a deviation counts: between two alone a trifle would be as much as any gulf.
    """
    known = ~np.isnan(raw)
    found = raw[known]
    points = np.zeros(len(raw))
    spread = float(found.std()) if len(found) else 0.0
    if spread > _NOTHING * max(1.0, float(np.abs(found).max(initial=0.0))):
        points[known] = (found - found.mean()) / spread * np.sqrt(len(found) / (len(found) + SILENT))
    return points


def min_max(raw: Reals) -> Reals:
    """0 for the least, 1 for the most; 0 where there is no value, 1 for all if all are the same."""
    known = ~np.isnan(raw)
    points = np.zeros(len(raw))
    if known.any():
        low, high = float(raw[known].min()), float(raw[known].max())
        points[known] = (raw[known] - low) / (high - low) if high - low > _NOTHING else 1.0
    return points


def reciprocal(raw: Reals) -> Reals:
    """1 / (60 + rank), rank from 1; equal values share the better rank. 0 where there is no value."""
    ranked = ranks(raw)
    return np.where(ranked > 0, 1.0 / (RRF_K + np.maximum(ranked, 1)), 0.0)


def ranks(raw: Reals) -> Whole:
    """The place of each value from 1, the highest first; 0 where there is none."""
    known = ~np.isnan(raw)
    found = np.zeros(len(raw), dtype=np.int64)
    ordered = np.sort(raw[known])
    found[known] = 1 + len(ordered) - np.searchsorted(ordered, raw[known], side="right")
    return found


_NOTHING = 1e-12
