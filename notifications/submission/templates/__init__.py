"""Templates: find and fill their texts, change them, and count their use."""

from notifications.submission.templates.texts import (
    TemplateText,
    for_bulk_sending,
    for_sending,
    text_of,
    uses_test_version,
    values_for,
    versions_in_use,
)
