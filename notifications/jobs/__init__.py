"""Periodic jobs besides sending: statistics of messages, and deletion of old messages."""
