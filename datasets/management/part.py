"""The parts of the data set area in the shared commands."""

from config.areas import Commands
from datasets.management import demo, provision
from datasets.management.tries import try_data

COMMANDS = Commands(
    area="datasets",
    provision_key="data_sets",
    provision=provision.apply,
    demo=demo.make,
    wipe=demo.wipe,
    tries={"data": try_data},
)
