"""The base class of every admin of the console, and the pages of `operations` and of accounts."""

from config.console.admin.audit_events import AuditEventAdmin
from config.console.admin.background_steps import BackgroundStepAdmin
from config.console.admin.clean_up import CleanUpAdmin
from config.console.admin.model_admin import ConsoleInline, ConsoleModelAdmin
from config.console.admin.secret_admin import ShownOnceAdmin
from config.console.admin.users import ConsoleUserAdmin

__all__ = [
    "AuditEventAdmin",
    "BackgroundStepAdmin",
    "CleanUpAdmin",
    "ConsoleInline",
    "ConsoleModelAdmin",
    "ConsoleUserAdmin",
    "ShownOnceAdmin",
]
