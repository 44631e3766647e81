"""List what the sending area adds to the shared pages, commands and jobs. `config.areas` describes the parts."""

from config.accounts.invites import Mailer
from config.docs.parts import Documentation
from config.queue import publishing
from notifications import tasks
from notifications.admin import finding, needs, overview, permissions
from notifications.admin.api_keys.revoking import REVOKE_KEYS
from notifications.admin.bulk_sends.checking import CHECK
from notifications.admin.bulk_sends.reading import READ
from notifications.admin.limits import page as limits_page
from notifications.admin.messages.cancelling import CANCEL_MESSAGES
from notifications.admin.messages.download import DOWNLOAD_MESSAGES
from notifications.admin.messages.retrying import RETRY_MESSAGES
from notifications.admin.one_person import page as one_person_page
from notifications.admin.one_person.job import ERASE
from notifications.admin.queue import page as queue_page
from notifications.admin.queue.retrying import RETRY_CALLBACKS
from notifications.admin.statistics import page as statistics_page
from notifications.admin.team import groups
from notifications.admin.templates.archiving import ARCHIVE, RESTORE
from notifications.admin.unsubscribe_requests.marking import MARK_DONE
from notifications.delivery import own_email
from notifications.delivery.callbacks.data_sets import LISTENER
from notifications.delivery.own_channels import EMAIL, SMS
from notifications.jobs.call_records import CALLBACKS, REQUESTS
from notifications.jobs.message_records import MESSAGES
from notifications.management import clean_up
from notifications.management.part import COMMANDS
from notifications.personal_columns import COLUMNS

PARTS: tuple[object, ...] = (
    COMMANDS,
    Documentation("notifications.api.schema.PART"),
    *clean_up.RULES,
    *(
        REVOKE_KEYS,
        ARCHIVE,
        RESTORE,
        MARK_DONE,
        READ,
        CHECK,
        RETRY_CALLBACKS,
        RETRY_MESSAGES,
        CANCEL_MESSAGES,
        DOWNLOAD_MESSAGES,
    ),
    ERASE,
    queue_page.PAGES,
    limits_page.PAGES,
    one_person_page.PAGES,
    statistics_page.PAGES,
    permissions.ACCESS,
    permissions.MANAGED_SERVICES,
    groups.GROUP_ACCESS,
    permissions.SWITCHER,
    overview.PANEL,
    needs.NEEDS,
    finding.FINDER,
    COLUMNS,
    EMAIL,
    SMS,
    LISTENER,
    MESSAGES,
    REQUESTS,
    CALLBACKS,
    Mailer(
        leaves=own_email.can_reach_people,
        enqueue=lambda invite_id: publishing.enqueue(tasks.mail_invite, str(invite_id)),
    ),
)
