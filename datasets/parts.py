"""The parts that the data set area registers for shared pages, commands and jobs (`config.areas`)."""

from config.areas import Commands, HealthCheck, ProvisionKey
from config.docs.parts import Documentation
from datasets.admin import access, finding, needs, overview
from datasets.admin.retention import SET_RETENTION
from datasets.management import clean_up, column_health, dashboards, demo, provision
from datasets.management.tries import try_data
from datasets.personal_columns import COLUMNS

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
    access.ACCESS,
    access.GROUP_ACCESS,
    access.DATA_SETS,
    overview.PANEL,
    needs.NEEDS,
    finding.FINDER,
    COLUMNS,
)
