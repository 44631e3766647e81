"""PostgreSQL as Django has it, left alone for a moment once it has stopped answering."""
