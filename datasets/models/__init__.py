"""The models of the data set area. Other packages import them from here."""

from datasets.models.access_token import AccessToken, AccessTokenDay
from datasets.models.alarm import OF_QUERIES, Alarm, AlarmCondition, AlarmMeasure, AlarmMessage
from datasets.models.dashboard import Dashboard, Tile, Visibility
from datasets.models.data_import import DataImport, ImportState, SavedImportSettings
from datasets.models.data_set import DataSet, DataSetDay
from datasets.models.emptied_store import EmptiedStore
from datasets.models.field_seen import ChosenColumns, FieldSeen
from datasets.models.found_token import token_by_hash
from datasets.models.hourly_requests import HourlyRequests
from datasets.models.kept_value import KEPT_VALUES_FOR, MAX_KEPT_VALUES, KeptValue, RecordValue
from datasets.models.paths import DataGroup, DataType
from datasets.models.record import Record
from datasets.models.rejected_record import REJECTED_KEPT_FOR, RejectedRecord
from datasets.models.remembered_key import RememberedKey
from datasets.models.saved_query import ChartKind, QueryToken, SavedQuery, StoredAnswer, StoredEvery, new_public_id
from datasets.models.schema import DRIFT_KEPT_DAYS, DataSetSchema, FieldDrift
from datasets.models.segment import EARLIEST, Segment
from datasets.models.sent_write import SentWrite
from datasets.models.write_error import WriteError
