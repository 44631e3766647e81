"""Alarms on data sets: measures, their states, and the messages to people. Source: docs/reference/alarms.md."""
