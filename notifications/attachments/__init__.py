"""Files sent by link in emails: validation, virus scan, encryption, storage and expiry.

Source: docs/reference/files.md §1.
"""
