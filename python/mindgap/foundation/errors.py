"""What mindgap raises. Catch `MindgapError` for all of it."""


class MindgapError(Exception):
    """The base of every error that mindgap raises on purpose."""


class InvalidInputError(MindgapError, ValueError):
    """The data, a constraint or a setting is invalid; nothing has been computed."""


class ChangedDataError(InvalidInputError):
    """Data that a fit reads several times were not the same every time; the message says where and what to do."""


class InfeasibleError(MindgapError):
    """No solution satisfies the constraint; the attributes say what was asked.

    Attributes
    ----------
    k : int or None
        The number of clusters.
    lower, upper : list of float or None
        The bounds of the gaps.
    largest : float or None
        Where one lower bound serves all gaps: the largest that can be held.
    delta : float or None
        The separation that the paper's program was given.
    rows : list of int or None
        The rows of the constraint that clash, where it is linear rows (or for a mixture): drop any one and the others
        can be held.
    """

    def __init__(
        self,
        message: str,
        *,
        k: int | None = None,
        lower: list[float] | None = None,
        upper: list[float] | None = None,
        largest: float | None = None,
        delta: float | None = None,
        rows: list[int] | None = None,
    ) -> None:
        super().__init__(message)
        self.k = k
        self.lower = lower
        self.upper = upper
        self.largest = largest
        self.delta = delta
        self.rows = rows


class MissingExtraError(MindgapError, ImportError):
    """An optional dependency is not installed; the message says which extra has it."""


class SolverError(MindgapError):
    """A solver gave up for numerical reasons."""


class OutOfMemoryError(SolverError, MemoryError):
    """The work is known to take more memory than there is; nothing has been computed."""


class PluginError(MindgapError):
    """A plugin raised or returned something unusable; the message names it and its package."""


class UnusableValueError(InvalidInputError):
    """A value that plugins exchange (bounds, rows, a start, moments) was built from numbers that are invalid.

    Where a plugin builds it, the caller sees a `PluginError` that names the plugin instead.
    """


class UnusableLookError(InvalidInputError):
    """A closer look at data elsewhere does not agree with what was said of them before.

    Where an engine answered it, the caller sees a `PluginError` that names the engine instead.
    """


class InfeasiblePluginError(PluginError, InfeasibleError):
    """A plugin's constraint asks for what no centres satisfy; caught as either of its bases."""


#: What a plugin may raise that is not about the plugin: someone wants the program, or a generator, to stop.
PASSING = (KeyboardInterrupt, SystemExit, GeneratorExit)


class PluginWarning(UserWarning):
    """A plugin package was blocked, or asked for and not found; everything else works."""


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
