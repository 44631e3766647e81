"""Background jobs: retention rules and bulk jobs, their runner, and the rows that show progress."""
