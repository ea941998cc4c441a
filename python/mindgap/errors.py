"""What mindgap raises. Catch `MindgapError` for all of it."""


class MindgapError(Exception):
    """The base of every error that mindgap raises on purpose."""


class InvalidInputError(MindgapError, ValueError):
    """The data, a constraint or a setting makes no sense; nothing has been computed."""


class InfeasibleError(MindgapError):
    """No solution holds the constraint."""


class SolverError(MindgapError):
    """A solver gave up for numerical reasons."""


class PluginError(MindgapError):
    """A plugin raised or returned something unusable; the message names it and its package."""
