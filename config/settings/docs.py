"""The OpenAPI document and the pages made of it. Source: Developer experience §8."""

from config.settings.base import BASE_URL

SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Signalbox",
    "VERSION": "2",
    "DESCRIPTION": "Send text messages and emails from templates, and write time-stamped records into data sets.",
    "CONTACT": {"name": "The team that runs this service", "url": BASE_URL or "/"},
    "SERVERS": [{"url": BASE_URL or "/"}],
    "PREPROCESSING_HOOKS": ["config.docs.document.keep_documented"],
    "POSTPROCESSING_HOOKS": ["config.docs.document.complete"],
    "SORT_OPERATIONS": False,  # in the order of the addresses, which is that of a first reading
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,  # the suite holds the document to more than the check would
}
