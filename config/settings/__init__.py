"""Django's settings by topic. Only environment variables distinguish a laptop from production.

Each module has plain assignments. It may read modules that are imported before it, never later ones. A wrong value
stops the process with one line.
"""

from config.env import environment, one_line_errors

with one_line_errors():
    from config.settings.base import *
    from config.settings.databases import *
    from config.settings.rest import *
    from config.settings.docs import *
    from config.settings.queue import *
    from config.settings.logs import *
    from config.settings.telemetry import *
    from config.settings.datasets import *
    from config.settings.notifications import *
    from config.settings.files import *
    from config.settings.console import *
    from config.settings.single_sign_on import *

    if environment() == "production":
        from config.settings.production import *
    if environment() == "test":
        from config.settings.test import *
