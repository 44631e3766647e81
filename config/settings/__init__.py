"""Django's settings, by topic. Nothing but environment variables tells a laptop from production.

Each module holds plain assignments; a later one may read an earlier one, never the other way round. A wrong value ends
the process with one line.
"""

from config.env import environment, one_line_refusals

with one_line_refusals():
    from config.settings.base import *
    from config.settings.rest import *
    from config.settings.docs import *
    from config.settings.queue import *
    from config.settings.logs import *
    from config.settings.datasets import *
    from config.settings.notifications import *
    from config.settings.files import *
    from config.settings.console import *

    if environment() == "production":
        from config.settings.production import *
    if environment() == "test":
        from config.settings.test import *
