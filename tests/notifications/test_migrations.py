"""The tables accept the statements of the previous release."""

import pytest
from django.db import connection

from notifications.models import VersionState
from tests.factories import make_template


@pytest.mark.django_db
def test_a_version_of_the_previous_release_is_published() -> None:
    template = make_template()

    with connection.cursor() as cursor:  # its statement does not name the new column
        cursor.execute(
            "INSERT INTO notifications_templateversion"
            " (template_id, number, name, subject, content, unsubscribe_link, note, created_at, created_by)"
            " SELECT template_id, 2, name, subject, content, unsubscribe_link, note, created_at, created_by"
            " FROM notifications_templateversion"
        )

    assert template.versions.get(number=2).state == VersionState.PUBLISHED
