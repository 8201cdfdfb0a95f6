"""Several reasons become one order by pure functions: of what is given, and of nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.recall import fuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.matrices import Reals

VALUES = st.one_of(
    st.just(float("nan")),
    st.floats(min_value=-1e6, max_value=1e6).map(lambda value: round(value, 6)),
)
COLUMNS = st.lists(VALUES, max_size=40).map(lambda values: np.array(values, dtype=np.float64))
FUNCTIONS = (fuse.zscored, fuse.min_max, fuse.reciprocal)


@pytest.mark.parametrize("points", FUNCTIONS)
@given(raw=COLUMNS)
def test_points_keep_the_order_of_what_is_known(points: Callable[[Reals], Reals], raw: Reals) -> None:
    given_points = points(raw)
    known = np.flatnonzero(~np.isnan(raw))
    ordered = known[np.argsort(raw[known], kind="stable")]
    assert np.all(np.diff(given_points[ordered]) >= -1e-9)
    assert np.isfinite(given_points).all()


@pytest.mark.parametrize("points", FUNCTIONS)
@given(raw=COLUMNS)
def test_what_is_not_known_gets_nothing(points: Callable[[Reals], Reals], raw: Reals) -> None:
    assert not points(raw)[np.isnan(raw)].any()


@pytest.mark.parametrize("points", FUNCTIONS)
@given(raw=COLUMNS, seed=st.integers(min_value=0, max_value=99))
def test_the_order_of_candidates_does_not_matter(
    points: Callable[[Reals], Reals], raw: Reals, seed: int
) -> None:
    shuffled = np.random.default_rng(seed).permutation(len(raw))
    assert points(raw[shuffled]) == pytest.approx(points(raw)[shuffled], abs=1e-9)


@pytest.mark.parametrize("points", FUNCTIONS)
@given(raw=COLUMNS)
def test_what_is_given_stays_as_it_is(points: Callable[[Reals], Reals], raw: Reals) -> None:
    before = raw.copy()
    points(raw)
    assert np.array_equal(before, raw, equal_nan=True)


@given(raw=COLUMNS)
def test_z_scores_have_the_mean_zero_and_one_spread(raw: Reals) -> None:
    points = fuse.zscored(raw)[~np.isnan(raw)]
    # What differs by no more than the machine rounds is no spread that could be measured.
    if points.any() and np.nanstd(raw) > 1e-9 * np.nanmax(np.abs(raw)):
        assert points.mean() == pytest.approx(0, abs=1e-6)
        assert points.std() == pytest.approx(np.sqrt(len(points) / (len(points) + fuse.SILENT)), abs=1e-6)


@given(raw=COLUMNS)
def test_min_max_lies_between_zero_and_one_and_reaches_one(raw: Reals) -> None:
    points = fuse.min_max(raw)
    assert ((points >= 0) & (points <= 1)).all()
    if not np.isnan(raw).all():
        assert points.max() == 1


@given(raw=COLUMNS)
def test_ranks_begin_at_one_and_equal_values_share_the_better(raw: Reals) -> None:
    ranks = fuse.ranks(raw)
    known = ~np.isnan(raw)
    assert not ranks[~known].any()
    assert [int(np.count_nonzero(raw[known] > value)) + 1 for value in raw[known]] == ranks[known].tolist()


def test_numbers_that_a_view_promises() -> None:
    raw = np.array([3.0, float("nan"), 1.0, 3.0, 2.0])
    assert fuse.reciprocal(raw).tolist() == [1 / 61, 0.0, 1 / 64, 1 / 61, 1 / 63]
    assert fuse.min_max(raw).tolist() == [1.0, 0.0, 0.0, 1.0, 0.5]


def test_the_fewer_there_are_the_less_a_deviation_counts() -> None:
    spreads = [fuse.zscored(np.arange(count, dtype=np.float64)).std() for count in (2, 10, 100, 10_000)]
    assert spreads == sorted(spreads)
    assert spreads[0] == pytest.approx(np.sqrt(2 / 12))
    assert spreads[-1] == pytest.approx(1, abs=1e-3)


def test_where_all_are_the_same_none_stands_out() -> None:
    raw = np.array([0.3, 0.3])
    assert fuse.zscored(raw).tolist() == [0.0, 0.0]
    assert fuse.min_max(raw).tolist() == [1.0, 1.0]
    assert fuse.zscored(np.zeros(0)).tolist() == []
    assert fuse.zscored(np.full(2, np.nan)).tolist() == [0.0, 0.0]


def test_a_piece_with_three_reasons_outranks_one_with_a_single_reason() -> None:
    reasons = [
        np.array([0.9, 0.9, 0.0]),
        np.array([0.8, float("nan"), 0.0]),
        np.array([0.7, float("nan"), 0.1]),
    ]
    for points in FUNCTIONS:
        total = np.sum([points(reason) for reason in reasons], axis=0)
        assert total.argmax() == 0
