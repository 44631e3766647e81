"""The words for the work in each queue, in the order in which staff see them."""

TITLES = {
    "send-email": "Emails",
    "send-sms": "Text messages",
    "receipts": "Delivery receipts",
    "bulk": "Bulk sends",
    "callbacks": "Callbacks",
    "upkeep": "Clean-up and background jobs",
    "imports": "Imports of files",
    "periodic": "Frequent tasks of the clock",
}
