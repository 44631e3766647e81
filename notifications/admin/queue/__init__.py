"""The page of queues and providers for operators: their state, pauses, failed work and probes."""
