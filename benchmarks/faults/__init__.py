"""Break dependencies of a running service and count lost messages. Each module is a separate program."""
