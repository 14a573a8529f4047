"""The test stratified by case, against outside numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.stratified import stratified_test


def test_the_statistic_of_the_berkeley_admissions() -> None:
    # R: mantelhaen.test(UCBAdmissions, correct = FALSE): M^2 = 1.5246, df = 1, p = 0.2169.
    admitted = [[512, 89], [353, 17], [120, 202], [138, 131], [53, 94], [22, 24]]
    applied = [[825, 108], [560, 25], [325, 593], [417, 375], [191, 393], [373, 341]]

    test = stratified_test(admitted, applied)

    assert test.statistic == pytest.approx(1.5246, abs=5e-5)
    assert test.degrees == 1
    assert test.p_value == pytest.approx(0.2169, abs=5e-5)


def test_one_case_is_pearsons_test_but_for_the_finite_population() -> None:
    # scipy.stats.chi2_contingency([[12, 30, 8], [38, 70, 42]], correction=False), times 199/200.
    pearson = stats.chi2_contingency([[12, 30, 8], [38, 70, 42]], correction=False)

    test = stratified_test([[12, 30, 8]], [[50, 100, 50]])

    assert test.degrees == 2
    assert test.statistic == pytest.approx(pearson.statistic * 199 / 200)


def test_a_case_seen_on_one_level_only_says_nothing() -> None:
    test = stratified_test([[5, 0], [0, 9]], [[50, 0], [0, 50]])

    assert (test.statistic, test.degrees, test.p_value) == (0.0, 0, 1.0)


@given(st.permutations(range(3)))
def test_the_order_of_the_levels_does_not_matter(order: list[int]) -> None:
    x, n = np.array([[3, 9, 1], [2, 5, 4]]), np.array([[40, 50, 30], [35, 40, 45]])

    shuffled = stratified_test(x[:, order], n[:, order])

    assert shuffled.statistic == pytest.approx(stratified_test(x, n).statistic)


@given(st.integers(1, 5))
def test_cases_that_never_diverge_change_nothing(quiet: int) -> None:
    x, n = np.array([[3, 9], [2, 5]]), np.array([[40, 50], [35, 40]])

    more = stratified_test(
        np.vstack([x, np.zeros((quiet, 2))]), np.vstack([n, np.full((quiet, 2), 30)])
    )

    assert more.statistic == pytest.approx(stratified_test(x, n).statistic)
