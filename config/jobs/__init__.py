"""Background jobs: retention rules and bulk steps, their runner, and the rows that show progress."""
