from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "VERSION",
    "KMeansFit",
    "MixtureFit",
    "Sample",
    "auto_start",
    "ckmeans_start",
    "constrained_kmeans_start",
    "kmeans",
    "mixture",
    "moments",
    "predict",
    "predict_proba",
    "score_samples",
]

_Floats: TypeAlias = npt.NDArray[np.float64]
_Gaps: TypeAlias = tuple[_Floats, _Floats]
_Rows: TypeAlias = tuple[_Floats, _Floats, _Floats]
_Parameters: TypeAlias = tuple[_Floats, _Floats, _Floats]
_Watch: TypeAlias = Callable[..., Any]

VERSION: Final[str]

@final
class Sample:
    def __new__(cls, values: _Floats, weights: _Floats | None = None) -> Sample: ...
    @property
    def values(self) -> _Floats: ...
    @property
    def weights(self) -> _Floats | None: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def distinct(self) -> int: ...
    def __len__(self) -> int: ...

@final
class KMeansFit:
    @property
    def labels(self) -> npt.NDArray[np.int32]: ...
    @property
    def centers(self) -> _Floats: ...
    @property
    def boundaries(self) -> _Floats: ...
    @property
    def sizes(self) -> npt.NDArray[np.int64]: ...
    @property
    def within(self) -> _Floats: ...
    @property
    def inertia(self) -> float: ...
    @property
    def gaps(self) -> _Floats: ...
    @property
    def active(self) -> list[Literal["free", "lower", "upper", "both"]]: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def optimal(self) -> bool: ...

def kmeans(
    sample: Sample,
    k: int,
    bounds: _Gaps | _Rows | None = None,
    *,
    centers: str = "means",
    method: str = "exact",
    ties: str = "split",
    watch: _Watch | None = None,
) -> KMeansFit: ...

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
    def status(self) -> Literal["converged", "max-iterations", "collapsed", "lost-weight"]: ...
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

def mixture(
    sample: Sample,
    start: _Parameters,
    bounds: _Gaps | _Rows | None = None,
    *,
    tol: float,
    tol_scale: str,
    max_iter: int,
    variances: str,
    min_variance: float | None = None,
    engine: Callable[[_Floats, _Floats, _Floats], tuple[_Floats, _Floats, _Floats, float, float | None]] | None = None,
    watch: _Watch | None = None,
) -> MixtureFit: ...
def auto_start(sample: Sample, k: int, bounds: _Gaps | _Rows | None = None) -> _Parameters: ...
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
def moments(sample: Sample, parameters: _Parameters) -> tuple[_Floats, _Floats, _Floats, float, float]: ...
def predict(parameters: _Parameters, values: _Floats) -> npt.NDArray[np.int32]: ...
def predict_proba(parameters: _Parameters, values: _Floats) -> _Floats: ...
def score_samples(parameters: _Parameters, values: _Floats) -> _Floats: ...
