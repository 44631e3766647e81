"""Periodic jobs besides sending: daily counts of messages, and deletion of old messages."""
