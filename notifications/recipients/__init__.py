"""Parse and compare recipients: phone numbers and email addresses. These functions do not use Django."""

from notifications.recipients.comparison import normalise
