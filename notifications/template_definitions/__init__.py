"""What defines a template, and the file that holds it. No framework."""
