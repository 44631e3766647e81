"""The headers of answers to writes."""

NOT_STORED = {"Cache-Control": "no-store"}
REPLAYED = {"Idempotent-Replay": "true"}
WARNINGS = "Signalbox-Warnings"
