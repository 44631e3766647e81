"""Settings of the OpenAPI document. Source: docs/reference/running.md §8."""

from config.settings.base import BASE_URL
from config.version import VERSION

SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Signalbox",
    "VERSION": VERSION,
    "DESCRIPTION": "Send text messages and emails from templates, and write time-stamped records into data sets.",
    "CONTACT": {"name": "The team that runs this service", "url": BASE_URL or "/"},
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": BASE_URL or "/"}],
    "PREPROCESSING_HOOKS": ["config.docs.document.keep_documented"],
    "POSTPROCESSING_HOOKS": ["config.docs.document.complete"],
    "COMPONENT_SPLIT_PATCH": False,  # the bodies of PATCH state themselves which properties they need
    "SORT_OPERATIONS": False,  # the order of the URLs suits a first reading
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,  # the test suite checks more than this check does
}
