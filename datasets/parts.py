"""The parts that the data set area registers for shared pages, commands and jobs (`config.areas`)."""

from config.areas import Commands, HealthCheck, ProvisionKey
from config.docs.parts import Documentation
from datasets.admin import access, finding, needs, overview
from datasets.admin.deleting import DELETE_RECORDS
from datasets.admin.failure_alarms import FAILURE_ALARMS
from datasets.admin.retention import SET_RETENTION
from datasets.admin.retrying import RETRY_REJECTED
from datasets.alarms import mail
from datasets.dashboards import open_data
from datasets.imports.one_person import PERSONAL_IMPORTS
from datasets.management import clean_up, column_health, dashboards, demo, provision
from datasets.management.tries import try_data
from datasets.personal_columns import COLUMNS
from datasets.store.one_person import PERSONAL_RECORDS
from datasets.store.request_records import REQUESTS

PARTS: tuple[object, ...] = (
    Commands(
        area="datasets",
        provision_key="data_sets",
        provision=provision.apply,
        demo=demo.make,
        wipe=demo.wipe,
        tries={"data": try_data},
        health_checks=(HealthCheck(name="column files", look=column_health.column_files, needs_tables=True),),
        backlogs=column_health.backlogs,
    ),
    ProvisionKey(key="dashboards", apply=dashboards.apply),
    Documentation("datasets.api.schema.PART"),
    *clean_up.RULES,
    SET_RETENTION,
    DELETE_RECORDS,
    RETRY_REJECTED,
    access.ACCESS,
    access.GROUP_ACCESS,
    access.DATA_SETS,
    open_data.ENTRIES,
    overview.PANEL,
    needs.NEEDS,
    finding.FINDER,
    COLUMNS,
    PERSONAL_IMPORTS,  # before the records, because a cancelled import has stored some
    PERSONAL_RECORDS,
    REQUESTS,
    FAILURE_ALARMS,
    *mail.channels(),
)
