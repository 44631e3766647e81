"""Alarms on data sets: figures, their states, and the messages to people. Source: docs/reference/alarms.md."""
