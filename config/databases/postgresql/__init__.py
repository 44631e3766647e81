"""PostgreSQL with a time limit for answers and a circuit breaker."""
