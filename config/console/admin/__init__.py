"""The base class of every admin of the console, and the pages of `operations`."""

from config.console.admin.model_admin import ConsoleInline, ConsoleModelAdmin
from config.console.admin.secret_admin import ShownOnceAdmin

__all__ = ["ConsoleInline", "ConsoleModelAdmin", "ShownOnceAdmin"]
