"""Evidence, against simulation and by its own guarantees."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.e_values import binary_log_e, clear_log_e, e_bh, label_log_e
from budgets.priors import BetaPrior

PRIOR = BetaPrior(0.1, 1.9)


def test_the_binary_e_value_has_a_mean_of_one_at_most_while_nothing_changed() -> None:
    history_divergent = 2
    a, b = PRIOR.a + history_divergent, PRIOR.b + 20 - history_divergent
    failures = np.arange(5)
    chances = stats.betabinom(4, a, b).pmf(failures)

    e = np.exp(binary_log_e(failures, 4, history_divergent, 20, PRIOR))

    assert float(chances @ e) <= 1 + 1e-9


def test_the_label_e_value_has_a_mean_of_one_at_most_while_nothing_changed() -> None:
    rng = np.random.default_rng(11)
    history = np.array([[17, 2, 1]] * 40_000)
    shares = rng.dirichlet(np.array([PRIOR.b, PRIOR.a / 2, PRIOR.a / 2]) + history[0], 40_000)
    observed = rng.multinomial(4, shares)

    e = np.exp(label_log_e(observed, history, np.zeros(40_000, dtype=int), PRIOR))

    assert e.mean() < 1.1


def test_more_failing_repeats_are_more_evidence() -> None:
    evidence = binary_log_e([1, 2, 3, 4], [4, 4, 4, 4], 0, 20, PRIOR)

    assert (np.diff(evidence) > 0).all()


def test_a_longer_clean_history_makes_a_failure_more_surprising() -> None:
    short, long = binary_log_e(1, 1, 0, [10, 500], PRIOR)

    assert short < long


def test_a_bad_hour_weakens_the_evidence_against_each_case() -> None:
    usual, tilted = label_log_e(
        [[0, 1], [0, 1]], [[50, 1], [50, 1]], [0, 0], PRIOR, tilt=[1.0, 5.0]
    )

    assert tilted < usual


@given(st.permutations(range(4)))
def test_the_order_of_the_labels_does_not_matter(order: list[int]) -> None:
    observed, history = np.array([[1, 3, 0, 1]]), np.array([[30, 1, 4, 0]])

    plain = label_log_e(observed, history, [0], PRIOR)
    shuffled = label_log_e(observed[:, order], history[:, order], [order.index(0)], PRIOR)

    assert float(plain[0]) == pytest.approx(float(shuffled[0]))


def test_three_straight_passes_clear_and_two_do_not() -> None:
    assert (clear_log_e(0, [2, 3], 0.024) >= np.log(10)).tolist() == [False, True]


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5])
def test_the_clear_rule_has_a_mean_of_one_against_the_weakest_regression(rate: float) -> None:
    failures = np.arange(11)
    chances = stats.binom.pmf(failures, 10, 0.6)

    assert float(chances @ np.exp(clear_log_e(failures, 10, rate))) == pytest.approx(1)


def test_what_clears_a_label_has_a_mean_of_one_under_the_moves_that_it_excludes() -> None:
    # 1/E against the mixture of moves: summed over all sequences of three labels in three calls.
    history = np.array([[15, 4, 1]])
    observed = np.array(
        [np.bincount(calls, minlength=3) for calls in itertools.product(range(3), repeat=3)]
    )
    log_e = label_log_e(observed, np.repeat(history, 27, axis=0), np.zeros(27, dtype=int), PRIOR)
    alpha = np.array([PRIOR.b, PRIOR.a / 2, PRIOR.a / 2]) + history[0]
    unchanged = np.exp(
        [
            stats.dirichlet_multinomial(alpha, 3).logpmf(d)
            - stats.multinomial(3, np.full(3, 1 / 3)).logpmf(d)
            - 3 * np.log(3)
            for d in observed
        ]
    )

    moved = unchanged * np.exp(log_e)

    assert unchanged.sum() == pytest.approx(1)
    assert moved.sum() == pytest.approx(1)


def test_e_bh_rejects_as_the_paper_says() -> None:
    # Wang & Ramdas 2022: reject the k largest with E_(k) >= K / (alpha k).
    e = np.array([4000.0, 2000.0, 1300.0, 5.0])

    assert e_bh(np.log(e), 200, 0.05).tolist() == [True, True, False, False]
    assert e_bh(np.log(e[1:]), 200, 0.05).tolist() == [False, False, False]


def test_e_bh_holds_within_each_run() -> None:
    log_e = np.log([4000.0, 2000.0, 3000.0])

    assert e_bh(log_e, 200, 0.05, run_ids=[7, 7, 9]).tolist() == [True, True, False]


def test_a_family_without_cases_or_an_illegal_level_is_refused() -> None:
    with pytest.raises(ValueError, match=r"alpha must lie in \(0, 1\), got 1"):
        e_bh([0.0], 10, 1)
    with pytest.raises(ValueError, match="at least one case, got 0"):
        e_bh([0.0], 0, 0.05)


def test_label_counts_need_two_labels_of_one_shape() -> None:
    with pytest.raises(ValueError, match="at least two labels, got"):
        label_log_e([[1]], [[1]], [0], PRIOR)
    with pytest.raises(ValueError, match="must not be negative"):
        label_log_e([[1, -1]], [[1, 1]], [0], PRIOR)
