"""The sandbox inbox, which shows the messages that were stored instead of sent."""
