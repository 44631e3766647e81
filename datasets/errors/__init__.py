"""The errors of the data set API, one class for each. They import no framework.

Source: docs/reference/data-sets.md §10.
"""

from config.rest.api_errors import DataError
from config.rest.shared_errors import Busy, DataInternalError, DataRequestNotUnderstood, DataUseHttps, NothingHere
from datasets.errors.analysis import *  # noqa: F403  one name for each row of the tables
from datasets.errors.calling import *  # noqa: F403  # noqa: F403  one name for each row of the tables
from datasets.errors.editing import *  # noqa: F403
from datasets.errors.imports import *  # noqa: F403
from datasets.errors.queries import *  # noqa: F403

DataSetError = DataError
