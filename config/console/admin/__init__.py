"""The base classes of the console's admins, and the admins of accounts, audit, read log, clean-up and jobs."""

from config.console.admin.audit_events import AuditEventAdmin
from config.console.admin.clean_up import CleanUpAdmin
from config.console.admin.jobs import JobAdmin
from config.console.admin.model_admin import ConsoleInline, ConsoleModelAdmin
from config.console.admin.read_events import ReadEventAdmin
from config.console.admin.row_actions import Button, methods
from config.console.admin.secret_admin import ShownOnceAdmin
from config.console.admin.users import ConsoleUserAdmin
