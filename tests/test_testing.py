"""The checks for plugin authors: valid plugins pass, and each broken promise is named."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.testing import check_constraint, check_engine, check_initializer
from mindgap.validation import as_number


@pytest.mark.parametrize(
    "constraint",
    [
        *(mg.LowerOnly(1.5), mg.TwoSided(5, 12), mg.PerGap([1, 2]), mg.PerGap([1, 2], [20, 30])),
        *(mg.SpreadRatio(3), mg.EqualSpreads(), mg.FixedSpreads([1.5, None, 2]), mg.WeightRatio(0, 1, 2.0)),
        *(mg.FixedWeights([0.2, 0.8]), mg.WeightBounds([0.1, 0.2], [0.3, 0.9])),
    ],
    ids=repr,
)
def test_built_in_constraints_pass(constraint: mg.Constraint) -> None:
    check_constraint(constraint)


def test_a_constant_coefficient_of_variation_passes() -> None:
    for known in (0.2, None):
        check_constraint(mg.ConstantCV(known), x=np.random.default_rng(1).uniform(5, 60, 100), ks=[1, 2, 3])


@pytest.mark.parametrize("initializer", [mg.Ckmeans(), mg.ConstrainedKMeans(), mg.ConstrainedKMeans(delta=1.0)])
def test_built_in_initializers_pass(initializer: mg.Initializer) -> None:
    check_initializer(initializer, ks=(1, 2))


def test_the_local_engine_passes() -> None:
    check_engine(mg.Local())


class Widths(mg.Constraint):
    name = "widths"

    def __init__(self, size: float = 1.0) -> None:
        self.size = as_number(size, "size")
        if not self.size >= 0:
            raise mg.InvalidInputError("size must not be negative")

    def gaps(self, k: int) -> Any:
        return mg.GapBounds(np.full(k - 1, self.size))


class NoName(Widths):
    name = "No Name"


class Forgetful(Widths):
    def __init__(self, size: float = 1.0) -> None:
        super().__init__(size)
        self.kept, self.__dict__["size"] = self.size, self.size
        del self.__dict__["size"]

    def gaps(self, k: int) -> Any:
        return mg.GapBounds(np.full(k - 1, self.kept))


class Trusting(Widths):
    def __init__(self, size: float = 1.0) -> None:
        self.size = size


class Short(Widths):
    def gaps(self, k: int) -> Any:
        return mg.GapBounds(np.full(k, self.size))


class Wavering(Widths):
    def gaps(self, k: int) -> Any:
        self.size += 1
        return super().gaps(k)


class Listed(Widths):
    def gaps(self, k: int) -> Any:
        return [self.size] * (k - 1)


class Huge(Widths):
    def gaps(self, k: int) -> Any:
        return mg.GapBounds(np.full(k - 1, 1e6)) if k > 1 else self.refuse()

    def refuse(self) -> Any:
        raise mg.InvalidInputError("for two centres at least")


class Silent(Widths):
    def gaps(self, k: int) -> Any:
        return None


class Lopsided(Widths):
    def weight_rows(self, k: int) -> Any:
        return mg.LinearRows(np.eye(1, k + 1), [0.1], [1.0])


class Unready(Widths):
    def prepare(self, sample: mg.Sample) -> Any:
        return None


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (NoName, "its name 'No Name' is not lower case"),
        (Forgetful, "does not keep its parameter 'size'"),
        (Trusting, r"Trusting\(size=True\) accepts it"),
        (Short, r"gaps\(1\) has 1 bounds; 1 centres have 0 gaps"),
        (Wavering, "returns other bounds or rows"),
        (Listed, r"gaps\(1\) returned \[\]"),
        (Huge, "no fit of the data can satisfy it"),
        (Silent, r"implements neither gaps\(1\) nor rows\(1\)"),
        (Lopsided, r"weight_rows\(1\) have 2 columns"),
        (Unready, r"prepare\(sample\) returned None"),
    ],
)
def test_broken_constraints_are_found(kind: type[Widths], fault: str) -> None:
    check_constraint(Widths())
    with pytest.raises(AssertionError, match=fault):
        check_constraint(kind())
    with pytest.raises(AssertionError, match="not an object of a subclass"):
        check_constraint(kind)  # type: ignore[arg-type]


class Even(mg.Initializer):
    name = "even"

    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        return self.spread(sample, np.full(k, 1 / k))

    def spread(self, sample: mg.Sample, weights: np.ndarray) -> Any:
        means = np.linspace(sample.values[0], sample.values[-1], len(weights) + 2)[1:-1]
        return mg.Parameters(weights, means, np.full(len(weights), sample.variance() or 1.0))


class Drawn(Even):
    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        return self.spread(sample, np.random.default_rng().dirichlet(np.full(k, 5.0)))


class OneMore(Even):
    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        return super().start(sample, k + 1, constraint)


class Unsummed(Even):
    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        return self.spread(sample, np.ones(k + 1))


class Bare(Even):
    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        return [1.0], [0.0], [1.0]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [(Drawn, "differs from call to call"), (OneMore, "has 2 components"), (Unsummed, "is invalid"), (Bare, "returned")],
)
def test_broken_initializers_are_found(kind: type[Even], fault: str) -> None:
    check_initializer(Even())
    with pytest.raises(AssertionError, match=fault):
        check_initializer(kind())


class Sqlite(mg.Engine):
    """The column `x` of a table, and its column `mass` where it has one."""

    name = "sqlite"

    def __init__(self, table: str = "points") -> None:
        self.table = table

    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        with sqlite3.connect(x) as connection:
            rows = np.array(connection.execute(f"select x, mass from {self.table}").fetchall(), dtype=float)
        if not len(rows):
            raise mg.InvalidInputError(f"{x} has no points")
        self.points, self.masses = rows[:, 0], rows[:, 1]
        return mg.Sample(self.points, self.masses)

    def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
        return mg.Moments.of(self.points, self.masses, weights, means, variances)

    def labels(self, predict: Any) -> Any:
        return predict(self.points)


class Off(Sqlite):
    def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
        found = super().moments(weights, means, variances)
        return mg.Moments(found.weight, found.first + 1, found.second, found.log_likelihood, found.classification)


class Unclassified(Sqlite):
    def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
        return mg.Moments.of(self.points, self.masses, weights, means, variances, classify=False)


class Endless(Sqlite):
    def finish(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> Any:
        return None


class Mislabelled(Sqlite):
    def labels(self, predict: Any) -> Any:
        return predict(self.points)[::-1]


class Half(Sqlite):
    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        return mg.Sample(super().load(x, sample_weight).values[::2])


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (Sqlite, None),
        (Off, "moments has first"),
        (Unclassified, "no classification"),
        (Endless, "finish returned None"),
        (Mislabelled, "its labels differ"),
        (Half, "data of total weight 30, not 60"),
    ],
)
def test_engines_of_data_elsewhere(kind: type[Sqlite], fault: str | None, tmp_path: Path) -> None:
    def as_input(x: np.ndarray, sample_weight: np.ndarray | None) -> tuple[Path, None]:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
        masses = np.ones(len(x)) if sample_weight is None else sample_weight
        with sqlite3.connect(path) as connection:
            connection.execute("create table points (x real, mass real)")
            pairs = zip(x.tolist(), masses.tolist(), strict=True)
            connection.executemany("insert into points values (?, ?)", pairs)
        return path, None

    if fault is None:
        check_engine(kind(), as_input=as_input)
    else:
        with pytest.raises(AssertionError, match=fault):
            check_engine(kind(), as_input=as_input)
