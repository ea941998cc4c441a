from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "VERSION",
    "Certificate",
    "KMeansFit",
    "MixtureFit",
    "MomentSums",
    "Sample",
    "Summary",
    "certify",
    "check_memory",
    "ckmeans_start",
    "classify",
    "constrained_kmeans_start",
    "kmeans",
    "kmeans_rows",
    "mixture",
    "moments",
    "paper_start",
    "predict",
    "predict_proba",
    "score_samples",
]

_Floats: TypeAlias = npt.NDArray[np.float64]
_Gaps: TypeAlias = tuple[_Floats, _Floats]
_Rows: TypeAlias = tuple[_Floats, _Floats, _Floats]
_Parameters: TypeAlias = tuple[_Floats, _Floats, _Floats]
_Answering: TypeAlias = Callable[
    [_Floats, _Floats, _Floats, bool], tuple[_Floats, _Floats, _Floats, float, float | None]
]
_Watch: TypeAlias = Callable[..., Any]

VERSION: Final[str]

@final
class Sample:
    def __new__(cls, values: _Floats, weights: _Floats | None = None) -> Sample: ...
    @property
    def values(self) -> _Floats: ...
    @property
    def weights(self) -> _Floats | None: ...
    def given(self) -> tuple[_Floats, _Floats | None]: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def distinct(self) -> int: ...
    @property
    def rounding_step(self) -> float | None: ...
    @property
    def points(self) -> int: ...
    def __len__(self) -> int: ...

@final
class Summary:
    def __new__(cls, limit: int) -> Summary: ...
    def add(self, values: _Floats, weights: _Floats | None = None) -> None: ...
    def merge(self, other: Summary) -> None: ...
    def copy(self) -> Summary: ...
    @property
    def limit(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def extent(self) -> tuple[float, float] | None: ...
    @property
    def mean_and_variance(self) -> tuple[float, float] | None: ...
    def sample(self, zoom: Callable[[_Floats], list[Summary]] | None = None) -> Sample: ...
    def columns(self) -> tuple[int, bool, int, npt.NDArray[np.int64], npt.NDArray[np.uint64], _Floats]: ...
    @staticmethod
    def from_columns(
        limit: int,
        weighted: bool,
        exponent: int,
        index: npt.NDArray[np.int64],
        count: npt.NDArray[np.uint64],
        floats: _Floats,
    ) -> Summary: ...
    @staticmethod
    def of_windows(
        values: _Floats, weights: _Floats | None, windows: _Floats, limit: int | None = None
    ) -> list[Summary]: ...

@final
class MomentSums:
    RUN: Final[int]
    def __new__(cls, parts: list[list[float]]) -> MomentSums: ...
    @staticmethod
    def of_chunk(values: _Floats, weights: _Floats | None, parameters: _Parameters, classify: bool) -> MomentSums: ...
    def moments(self) -> tuple[_Floats, _Floats, _Floats, float, float | None]: ...
    def __add__(self, other: MomentSums, /) -> MomentSums: ...
    def __radd__(self, other: MomentSums, /) -> MomentSums: ...
    def __getnewargs__(self) -> tuple[list[list[float]]]: ...

@final
class KMeansFit:
    @property
    def sample(self) -> Sample | None: ...
    def measured(self) -> dict[str, Any]: ...
    def limits(self, data: Sample | _Floats) -> _Floats: ...

def kmeans(
    data: Sample | _Floats,
    k: int,
    bounds: _Gaps | _Rows | None = None,
    *,
    weights: _Floats | None = None,
    centers: str = "free",
    method: str = "exact",
    ties: str = "split",
    min_size: float | None = None,
    max_size: float | None = None,
    time_limit: float | None = None,
    tol: float = 1e-9,
    memory_limit: int | None = None,
    labels: bool = True,
    watch: _Watch | None = None,
) -> KMeansFit: ...
def kmeans_rows(
    values: npt.NDArray[np.float32] | _Floats,
    k: int,
    bounds: _Gaps | _Rows | None = None,
    weights: npt.NDArray[np.float32] | _Floats | None = None,
    *,
    centers: str = "free",
    ties: str = "split",
) -> tuple[npt.NDArray[np.uint8] | npt.NDArray[np.uint32], _Floats, _Floats, _Floats, npt.NDArray[np.bool_]]: ...

@final
class MixtureFit:
    @property
    def weights(self) -> _Floats: ...
    @property
    def means(self) -> _Floats: ...
    @property
    def variances(self) -> _Floats: ...
    @property
    def origins(self) -> npt.NDArray[np.int64]: ...
    @property
    def labels(self) -> npt.NDArray[np.int32]: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def history(self) -> _Floats: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def status(
        self,
    ) -> Literal["converged", "doubtful", "max-iterations", "time-limit", "collapsed", "lost-weight"]: ...
    @property
    def degenerate(self) -> list[int]: ...
    @property
    def message(self) -> str: ...
    @property
    def gaps(self) -> _Floats: ...
    @property
    def active(self) -> list[Literal["free", "lower", "upper", "both"]]: ...
    @property
    def n_parameters(self) -> int: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def entropy(self) -> float | None: ...
    @property
    def newton_decrement(self) -> float | None: ...
    @property
    def passes(self) -> int: ...
    @property
    def starts(self) -> int: ...
    @property
    def starts_at_best(self) -> int: ...
    @property
    def runner_up(self) -> tuple[tuple[_Floats, _Floats, _Floats], float] | None: ...
    @property
    def standard_errors(self) -> tuple[list[_Floats], list[str]] | None: ...
    @property
    def findings(self) -> list[tuple[str, int | None, str, float | None]]: ...

@final
class Certificate:
    @property
    def upper_bound(self) -> float | None: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def parameters(self) -> _Parameters: ...
    @property
    def nodes(self) -> int: ...
    @property
    def halted(self) -> Literal["time-limit", "interrupted"] | None: ...
    @property
    def proof(self) -> str | None: ...

def certify(
    fit: MixtureFit,
    sample: Sample,
    *,
    epsilon: float,
    record: bool,
    time_limit: float | None = None,
    watch: _Watch | None = None,
) -> Certificate: ...
def mixture(
    sample: Sample,
    k: int,
    start: _Parameters | None = None,
    bounds: _Gaps | _Rows | None = None,
    *,
    method: str,
    tol: float | None,
    tol_scale: str,
    max_iter: int,
    variances: str,
    min_variance: float | None,
    starts: int,
    rng: int,
    weight_rows: _Rows | None = None,
    precision_rows: _Rows | None = None,
    spread_ratio: float | None = None,
    variation: float | None = None,
    resolution: float | None = None,
    support: tuple[float, float] | None = None,
    bins: tuple[_Floats, _Floats] | None = None,
    engine: _Answering | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    watch: _Watch | None = None,
) -> MixtureFit: ...
def paper_start(sample: Sample, k: int, bounds: _Gaps | _Rows | None = None) -> _Parameters: ...
def ckmeans_start(sample: Sample, k: int) -> _Parameters: ...
def constrained_kmeans_start(
    sample: Sample,
    k: int,
    bounds: _Gaps | _Rows | None = None,
    *,
    delta: float | None = None,
    method: str = "exact",
    centers: str = "means",
) -> _Parameters: ...
def moments(sample: Sample, parameters: _Parameters) -> tuple[_Floats, _Floats, _Floats, float, float | None]: ...
def check_memory(what: str, n_bytes: int) -> None: ...
def classify(parameters: _Parameters, values: _Floats) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
def predict(parameters: _Parameters, values: _Floats) -> npt.NDArray[np.int32]: ...
def predict_proba(parameters: _Parameters, values: _Floats) -> _Floats: ...
def score_samples(parameters: _Parameters, values: _Floats) -> _Floats: ...
