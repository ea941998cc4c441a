"""The exceptions of mindgap, all derived from `MindgapError`, and its warning."""


class MindgapError(Exception):
    """The base of every error that mindgap raises on purpose."""


class InvalidInputError(MindgapError, ValueError):
    """The data, a constraint or a setting is invalid; nothing has been computed."""


class ChangedDataError(InvalidInputError):
    """The data changed while a fit was reading them; the message says where and what to do."""


class InfeasibleError(MindgapError):
    """No solution satisfies the constraint; the attributes describe the problem.

    Attributes
    ----------
    k : int or None
        The number of clusters.
    lower, upper : list of float or None
        The bounds of the gaps.
    largest : float or None
        If all gaps have the same lower bound: the largest one that is feasible.
    largest_min_size, smallest_max_size : float or None
        If the sizes are infeasible: the largest feasible `min_size`; if there is none, the smallest `max_size`.
    delta : float or None
        The lower bound given to the paper's program.
    rows : list of int or None
        For linear rows and for mixtures: the rows that conflict. Without any one of them the others are feasible.

    Examples
    --------
    >>> try:
    ...     mg.kmeans([0, 1, 5, 6], 2, mg.LowerOnly(9), centers="means")
    ... except mg.InfeasibleError as error:
    ...     print(error.largest)
    5.666666666666667
    """

    def __init__(
        self,
        message: str,
        *,
        k: int | None = None,
        lower: list[float] | None = None,
        upper: list[float] | None = None,
        largest: float | None = None,
        largest_min_size: float | None = None,
        smallest_max_size: float | None = None,
        delta: float | None = None,
        rows: list[int] | None = None,
    ) -> None:
        super().__init__(message)
        self.k = k
        self.lower = lower
        self.upper = upper
        self.largest = largest
        self.largest_min_size = largest_min_size
        self.smallest_max_size = smallest_max_size
        self.delta = delta
        self.rows = rows


class MissingExtraError(MindgapError, ImportError):
    """An optional dependency is not installed; the message says which extra has it."""


class SolverError(MindgapError):
    """A solver failed, or reached its time limit before it had a result."""


class OutOfMemoryError(SolverError, MemoryError):
    """The computation needs more memory than is available; nothing has been computed."""


class PluginError(MindgapError):
    """A plugin raised or returned something unusable; the message names it and its package."""


class UnusableValueError(InvalidInputError):
    """A value that plugins exchange (bounds, rows, a start, moments) was built from numbers that are invalid.

    If a plugin built it, the caller sees a `PluginError` that names the plugin instead.
    """


class UnusableLookError(InvalidInputError):
    """A refined summary of remote data contradicts the earlier one.

    If an engine returned it, the caller sees a `PluginError` that names the engine instead.
    """


class InfeasiblePluginError(PluginError, InfeasibleError):
    """No centres satisfy a plugin's constraint. It can be caught as either of its bases."""


#: Exceptions of a plugin that are passed on unchanged: they stop the program, or a generator.
PASSING = (KeyboardInterrupt, SystemExit, GeneratorExit)


class PluginWarning(UserWarning):
    """A plugin package was blocked, or requested and not found; everything else works."""


# Tracebacks and pickles name these classes as callers do: `mindgap.InvalidInputError`.
for _public in (
    MindgapError,
    InvalidInputError,
    ChangedDataError,
    InfeasibleError,
    MissingExtraError,
    SolverError,
    OutOfMemoryError,
    PluginError,
    PluginWarning,
):
    _public.__module__ = "mindgap"
