"""Use Signalbox from Python: send messages, write records, ask questions, and test your own program.

from signalbox import Signalbox

client = Signalbox("https://signalbox.example.org", key)
client.send_email_notification("ana@example.org", template_id, {"name": "Ana"})
"""

from signalbox import callbacks
from signalbox._records import StoredRecord
from signalbox._sandbox import AsyncSandbox, Sandbox
from signalbox._sending import prepare_upload
from signalbox._wire import VERSION as __version__
from signalbox.client import AsyncSignalbox, Signalbox
from signalbox.data_sets import AsyncDataSet, DataSet
from signalbox.errors import (
    ApiError,
    AuthenticationFailed,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServerFailed,
    SignalboxError,
    SignatureWrong,
)

__all__ = [
    "ApiError",
    "AsyncDataSet",
    "AsyncSandbox",
    "AsyncSignalbox",
    "AuthenticationFailed",
    "Conflict",
    "ConnectionFailed",
    "DataSet",
    "InvalidRequest",
    "NotFound",
    "RateLimited",
    "Sandbox",
    "ServerFailed",
    "Signalbox",
    "SignalboxError",
    "SignatureWrong",
    "StoredRecord",
    "__version__",
    "callbacks",
    "prepare_upload",
]
