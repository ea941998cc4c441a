from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Floats: TypeAlias = npt.NDArray[np.float64]
_Gaps: TypeAlias = tuple[_Floats, _Floats]
_Rows: TypeAlias = tuple[_Floats, _Floats, _Floats]
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
