"""A plugin that raises or returns something invalid causes a PluginError that names it and what it returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from made_up import Install
from mindgap.host import guard
from mindgap.host.manager import PluginHost
from soak.plugin_trials import MuteError, Pretends, Stop, subclassed, unbuilt

SAMPLE = mg.Sample(np.arange(10.0))


def fail(*_: Any) -> Any:
    raise ZeroDivisionError("by zero")


def constraint(**answers: Callable[..., Any]) -> mg.Constraint:
    methods = {name: (lambda self, k, answer=answer: answer(k)) for name, answer in answers.items()}
    built = type("Odd", (mg.Constraint,), {"name": "odd", **methods})()
    assert isinstance(built, mg.Constraint)
    return built


def rows(matrix: Any, lower: Any = (0,), upper: Any = (1,)) -> Callable[[int], mg.LinearRows]:
    return lambda k: mg.LinearRows(matrix, lower, upper)


CONSTRAINTS: list[tuple[dict[str, Callable[..., Any]], str]] = [
    ({"gaps": fail}, r"raised ZeroDivisionError in gaps\(3\): by zero"),
    ({"gaps": lambda k: [1.0, 1.0]}, r"returned \[1.0, 1.0\] from gaps\(3\): not a mindgap.GapBounds"),
    ({"gaps": lambda k: rows([[1, 0, 0]])(k)}, r"not a mindgap.GapBounds"),
    ({"gaps": lambda k: mg.GapBounds([1.0] * k)}, r"from gaps\(3\): 3 bounds, but 3 centres have 2 gaps"),
    ({"gaps": lambda k: mg.GapBounds([1, np.nan])}, r"in gaps\(3\): the lower bound of gap 1 is nan"),
    ({"gaps": lambda k: mg.GapBounds([-1, 1])}, r"the lower bound of gap 0 is -1.0"),
    ({"gaps": lambda k: mg.GapBounds([np.inf, 1])}, r"the lower bound of gap 0 is inf"),
    ({"gaps": lambda k: mg.GapBounds([1, 1], [2, np.nan])}, r"the upper bound of gap 1 is nan"),
    ({"gaps": lambda k: mg.GapBounds([1, 3], [2, 2])}, r"lower bound 3.0 of gap 1 is above its upper bound 2.0"),
    ({"gaps": lambda k: mg.GapBounds([1, 3], [2])}, r"lower has 2 bounds and upper 1"),
    ({"gaps": lambda k: mg.GapBounds("ab")}, r"built an invalid object in gaps\(3\)"),
    ({"rows": fail}, r"raised ZeroDivisionError in rows\(3\): by zero"),
    ({"rows": lambda k: "x" * 1000}, r"returned 'x{199}\.\.\. from rows\(3\): not a mindgap.LinearRows"),
    ({"rows": rows([[1, 0]])}, r"from rows\(3\): rows on 2 centres, but there are 3"),
    ({"rows": rows([1, 0, 0])}, r"matrix has shape \(3,\)"),
    ({"rows": rows([[1, np.nan, 0]])}, r"row 0 has coefficients"),
    ({"rows": rows([[0, 0, 0]])}, r"row 0 has coefficients that are all zero"),
    ({"rows": rows([[1, 0, 0]], [2], [1])}, r"row 0 has the lower bound 2.0 above its upper bound 1.0"),
    ({"rows": rows([[1, 0, 0]], [np.nan], [1])}, r"row 0 has the bounds nan and 1.0"),
    ({"rows": rows([[1, 0, 0]], [0, 0], [1])}, r"matrix has 1 rows, lower 2 and upper 1 bounds"),
    ({"rows": rows([["a", "b", "c"]])}, r"matrix has dtype <U1"),
    ({"gaps": lambda k: None}, r"returned neither gaps\(3\) nor rows\(3\)"),
]


@pytest.mark.parametrize(("answers", "message"), CONSTRAINTS)
def test_constraints(answers: dict[str, Callable[..., Any]], message: str) -> None:
    with pytest.raises(mg.PluginError, match=message) as caught:
        guard.rows(constraint(**answers), 3)
    assert str(caught.value).startswith(f"constraint 'odd' (module {__name__})")
    with pytest.raises(mg.PluginError, match=message):
        mg.kmeans([0, 1, 2, 3, 4, 5], 3, constraint(**answers))


def test_a_constraint_may_be_about_spreads_alone() -> None:
    proportional = type("Proportional", (mg.Constraint,), {"name": "proportional", "variation": lambda self: 0.05})()
    fit = mg.mixture([9, 9.7, 10, 10.4, 11, 18.1, 19.3, 20, 20.9, 21.8], 2, proportional)
    assert np.sqrt(fit.variances) == pytest.approx(0.05 * fit.means)
    with pytest.raises(mg.InvalidInputError, match="about weights or spreads"):
        mg.kmeans(SAMPLE, 2, proportional)


class Beginner(mg.Initializer):
    name = "beginner"

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> mg.Parameters:
        found: mg.Parameters = self.answer()
        return found


STARTS: list[tuple[Callable[[], Any], str]] = [
    (fail, "raised ZeroDivisionError in start: by zero"),
    (lambda: None, "returned None from start: not a mindgap.Parameters"),
    (lambda: ([0.5, 0.5], [0, 1], [1, 1]), "not a mindgap.Parameters"),
    (lambda: mg.Parameters([1], [0], [1]), "from start: 1 components, but k is 2"),
    (lambda: mg.Parameters([0.5, 0.5], [0, 1, 2], [1, 1]), "2 weights, 3 means and 2 variances"),
    (lambda: mg.Parameters([0.5, 0.5], [0, np.nan], [1, 1]), "means holds nan at index 1"),
    (lambda: mg.Parameters([0.5, 0.5], [0, 1], [1, 0]), "the variance 0.0 in component 1; it must be positive"),
    (lambda: mg.Parameters([0.5, 0.5], [0, 1], [-1, 1]), "the variance -1.0 in component 0; it must be positive"),
    (lambda: mg.Parameters([0.5, 0.6], [0, 1], [1, 1]), "sum to 1.1; they must sum to one"),
    (lambda: mg.Parameters([1.5, -0.5], [0, 1], [1, 1]), "the weight -0.5 in component 1; it must not be negative"),
    (lambda: mg.Parameters([0.5, 0.5], [1, 0], [1, 1]), "do not ascend"),
    (lambda: mg.Parameters([], [], []), "0 weights, 0 means and 0 variances"),
]


@pytest.mark.parametrize(("answer", "message"), STARTS)
def test_initializers(answer: Callable[[], Any], message: str) -> None:
    with pytest.raises(mg.PluginError, match=message) as caught:
        guard.start(Beginner(answer), SAMPLE, 2, None)
    assert str(caught.value).startswith(f"initializer 'beginner' (module {__name__})")


def test_a_start_far_from_the_data_names_the_initializer() -> None:
    far = mg.Parameters([0.5, 0.5], [0, 1e12], [1, 1])
    message = "the start's mean 1 is 1000000000000.0, over a million times the data's range off"
    with pytest.raises(mg.PluginError, match=message) as caught:
        mg.mixture(SAMPLE, 2, init=Beginner(lambda: far))
    assert str(caught.value).startswith(f"initializer 'beginner' (module {__name__}) ")
    # A start of one's own is one's own fault.
    with pytest.raises(mg.InvalidInputError, match=message) as caught_too:
        mg.mixture(SAMPLE, 2, init=far)
    assert not isinstance(caught_too.value, mg.PluginError)


class Motor(mg.Engine):
    name = "motor"

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        found: mg.Sample = self.answer()
        return found

    def moments(self, *_: Any) -> mg.Moments:
        found: mg.Moments = self.answer()
        return found


MOMENTS: list[tuple[Callable[[], Any], str]] = [
    (fail, "raised ZeroDivisionError in moments: by zero"),
    (lambda: 3, "returned 3 from moments: not a mindgap.Moments"),
    (lambda: mg.Moments([1], [0], [1], 0), "moments of 1 components, but there are 2"),
    (lambda: mg.Moments([1, 2], [0], [1, 1], 0), "2 weights, 1 first and 2 second"),
    (lambda: mg.Moments([1, np.nan], [0, 0], [1, 1], 0), "weight holds nan at index 1"),
    (lambda: mg.Moments([1, -1], [0, 0], [1, 1], 0), "negative"),
    (lambda: mg.Moments([1, 1], [0, 0], [1, 1], np.nan), "log_likelihood is nan"),
    (lambda: mg.Moments([1, 1], [0, 0], [1, 1], None), "log_likelihood is None"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("answer", "message"), MOMENTS)
def test_engines(answer: Callable[[], Any], message: str) -> None:
    with pytest.raises(mg.PluginError, match=message) as caught:
        guard.moments(Motor(answer), np.full(2, 0.5), np.arange(2.0), np.ones(2))
    assert str(caught.value).startswith(f"engine 'motor' (module {__name__})")


def test_engines_that_do_not_load() -> None:
    with pytest.raises(mg.PluginError, match="returned None from load: neither a mindgap"):
        guard.load(Motor(lambda: None), [1], None)


def test_the_cause_is_kept() -> None:
    with pytest.raises(mg.PluginError) as caught:
        guard.rows(constraint(gaps=fail), 3)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_answer_whose_repr_fails_is_still_reported() -> None:
    class Sulky:
        __repr__ = fail

    with pytest.raises(mg.PluginError, match=r"an object of type .*Sulky"):
        guard.rows(constraint(gaps=lambda k: Sulky()), 3)


def test_what_a_plugin_says_about_the_users_request_passes() -> None:
    def refuse(k: int) -> mg.GapBounds:
        raise mg.InvalidInputError(f"only for 2 clusters, not {k}")

    with pytest.raises(mg.InvalidInputError, match="only for 2 clusters, not 3"):
        guard.rows(constraint(gaps=refuse), 3)


def test_an_infeasible_plugin_is_named_and_caught_as_either() -> None:
    wide = constraint(gaps=lambda k: mg.GapBounds([100.0] * (k - 1)))
    for error in (mg.PluginError, mg.InfeasibleError):
        with pytest.raises(error, match=r"constraint 'odd' \(module .*\) is infeasible"):
            mg.kmeans([0, 1, 2, 3], 2, wide, centers="means")


def test_an_infeasible_built_in_is_not_a_plugin_error() -> None:
    with pytest.raises(mg.InfeasibleError) as caught:
        mg.kmeans([0, 1, 2, 3], 2, mg.LowerOnly(100), centers="means")
    assert not isinstance(caught.value, mg.PluginError)


def test_the_message_names_package_and_version(install: Install, fresh_host: PluginHost) -> None:
    install(
        "acme-odd",
        "import mindgap as mg\n"
        "class Odd(mg.Constraint):\n"
        "    name = 'odd'\n"
        "    def gaps(self, k): return 7\n"
        "@mg.hookimpl\n"
        "def register_constraints(register): register(Odd)\n",
        version="4.2",
    )
    with pytest.raises(mg.PluginError, match=r"constraint 'odd' \(acme-odd 4.2\) returned 7 from gaps\(2\)"):
        mg.kmeans([0, 1, 2], 2, "odd")
    assert mg.kmeans([0, 1, 5], 2).labels.tolist() == [0, 0, 1]


@pytest.mark.usefixtures("fresh_host")
@pytest.mark.parametrize("kind", [OSError, Stop])
def test_a_constructor_that_raises_is_named(kind: type[BaseException]) -> None:
    class Moody(mg.Constraint):
        name = "moody"

        def __init__(self) -> None:
            raise kind("not today")

        def gaps(self, k: int) -> mg.GapBounds:
            return mg.GapBounds(np.zeros(k - 1))

    mg.register(Moody)
    message = rf"'moody' \(module .*\) raised {kind.__name__} while it was built: not today"
    with pytest.raises(mg.PluginError, match=message):
        mg.constraint("moody")


@pytest.mark.parametrize("kind", [mg.GapBounds, mg.LinearRows, mg.Parameters, mg.Moments, mg.Sample])
def test_values_that_were_never_built_are_refused(kind: type) -> None:
    for call in (
        lambda: guard.rows(constraint(gaps=lambda k: unbuilt(kind)), 3),
        lambda: guard.rows(constraint(rows=lambda k: unbuilt(kind)), 3),
        lambda: guard.start(Beginner(lambda: unbuilt(kind)), SAMPLE, 2, None),
        lambda: guard.moments(Motor(lambda: unbuilt(kind)), np.full(2, 0.5), np.arange(2.0), np.ones(2)),
        lambda: guard.load(Motor(lambda: unbuilt(kind)), [1], None),
    ):
        with pytest.raises(mg.PluginError, match=r"odd|beginner|motor"):
            call()


def test_a_subclass_counts_by_its_numbers_alone() -> None:
    sulky = subclassed(mg.GapBounds([0.5, 0.5]))
    assert guard.rows(constraint(gaps=lambda k: sulky), 3) == mg.GapBounds([0.5, 0.5])


ALTERED: list[tuple[Any, str, Callable[[Any], Any]]] = [
    (mg.GapBounds([0.5]), "lower", lambda said: guard.rows(constraint(gaps=lambda k: said), 2)),
    (mg.LinearRows([[1, 0]], [0.5], [1]), "lower", lambda said: guard.rows(constraint(rows=lambda k: said), 2)),
    (
        mg.Parameters([0.5, 0.5], [0, 1], [1, 1]),
        "means",
        lambda said: guard.start(Beginner(lambda: said), SAMPLE, 2, None),
    ),
    (
        mg.Moments([2, 2], [0, 0], [1, 1], -9),
        "first",
        lambda said: guard.moments(Motor(lambda: said), np.full(2, 0.5), np.arange(2.0), np.ones(2)),
    ),
]


@pytest.mark.parametrize(("answer", "field", "ask"), ALTERED, ids=["gaps", "rows", "start", "moments"])
def test_numbers_put_in_afterwards_are_checked(answer: Any, field: str, ask: Callable[[Any], Any]) -> None:
    object.__setattr__(answer, field, np.full(len(getattr(answer, field)), np.nan))
    with pytest.raises(mg.PluginError, match=r"built an invalid object in .* nan"):
        ask(answer)


def test_what_only_says_that_it_is_an_answer_is_none() -> None:
    with pytest.raises(mg.PluginError, match=r"not a mindgap\.GapBounds"):
        guard.rows(constraint(gaps=lambda k: Pretends(mg.GapBounds)), 3)


@pytest.mark.parametrize("error", [Stop("now"), MuteError(), KeyError(MuteError())], ids=["base", "mute", "within"])
def test_errors_of_any_kind_are_the_plugins(error: BaseException) -> None:
    def raise_it(*_: Any) -> Any:
        raise error

    with pytest.raises(mg.PluginError, match=rf"raised {type(error).__name__} in gaps\(3\)"):
        guard.rows(constraint(gaps=raise_it), 3)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_asks_to_stop_gets_through(kind: type[BaseException]) -> None:
    def raise_it(*_: Any) -> Any:
        raise kind

    with pytest.raises(kind):
        mg.kmeans([0, 1, 2, 3], 3, constraint(gaps=raise_it))
    with pytest.raises(kind):
        mg.mixture([0, 1, 2, 3], 2, init=Beginner(raise_it))


class Jammed(mg.Local):
    name = "jammed"

    def close(self) -> None:
        raise OSError("stuck")


class JammedMotor(Motor):
    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        return mg.Sample(x)

    def close(self) -> None:
        raise OSError("stuck")


def test_an_engine_that_cannot_be_closed_is_named() -> None:
    with pytest.raises(mg.PluginError, match=r"'jammed' .* raised OSError in close: stuck"):
        mg.mixture([0, 1, 2, 3], 2, engine=Jammed())


def test_what_ended_the_fit_is_said_first() -> None:
    with pytest.raises(mg.PluginError, match="raised ZeroDivisionError in moments"):
        mg.mixture([0, 1, 2, 3], 2, engine=JammedMotor(fail))


def test_the_name_of_a_plugin_may_be_anything() -> None:
    odd = constraint(gaps=fail)
    type(odd).name = property(fail)  # type: ignore[assignment]
    with pytest.raises(mg.PluginError, match="constraint 'Odd'"):
        guard.rows(odd, 3)


def test_of_a_huge_answer_only_the_beginning_is_written_out() -> None:
    class Late:
        def __repr__(self) -> str:
            raise AssertionError("nobody looks so far")

    with pytest.raises(mg.PluginError, match=r"returned \[0, 0, .*\.\.\.\] from gaps"):
        guard.rows(constraint(gaps=lambda k: [0] * 10**6 + [Late()]), 3)
