"""What a worker does with a job, by its kind."""

from __future__ import annotations

from importlib import import_module

from yardstone.web.tasks.context import NeedsPlayer, Task

__all__ = ["NeedsPlayer", "Task", "perform"]


def perform(task: Task) -> str:
    """Do the work of a job: JSON text of its result.

    Raises
    ------
    NeedsPlayer
        The visitor must say whose strength is asked for.
    Problem, InputError, ModelError, UsageError
        The files give no result; the message is for the visitor.
    """
    result: str = import_module(f"yardstone.web.tasks.{task.kind}").perform(task)
    return result
