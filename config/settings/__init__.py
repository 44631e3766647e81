"""Django's settings, by topic. Nothing but environment variables tells a laptop from production.

Each module holds plain assignments; a later one may read an earlier one, never the other way round.
"""

from config.env import environment
from config.settings.base import *  # noqa: F403  Django wants one flat namespace
from config.settings.rest import *  # noqa: F403
from config.settings.queue import *  # noqa: F403
from config.settings.logs import *  # noqa: F403
from config.settings.datasets import *  # noqa: F403
from config.settings.notifications import *  # noqa: F403
from config.settings.console import *  # noqa: F403

if environment() == "production":
    from config.settings.production import *  # noqa: F403
if environment() == "test":
    from config.settings.test import *  # noqa: F403
