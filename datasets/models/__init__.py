"""The rows of the data set area; outside this package they are imported from here."""

from datasets.models.access_token import AccessToken
from datasets.models.address import DataGroup, DataType, is_word
from datasets.models.data_set import DataSet, DataSetDay
from datasets.models.record import Record
from datasets.models.remembered_key import RememberedKey

__all__ = ["AccessToken", "DataGroup", "DataSet", "DataSetDay", "DataType", "Record", "RememberedKey", "is_word"]
