"""What the data set area contributes to the shared commands."""

from config.management.parts import Part, register
from datasets.management import demo, provision
from datasets.management.tries import try_data

register(
    Part(
        area="datasets",
        provision_key="data_sets",
        provision=provision.apply,
        demo=demo.make,
        wipe=demo.wipe,
        tries={"data": try_data},
    )
)
