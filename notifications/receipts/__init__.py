"""Delivery receipts and received texts from providers. Source: docs/reference/sending-api.md §19.2, §19.3."""
