"""Files sent by email: checked, scanned, encrypted, kept, and gone in time. Source: Files sent by email."""
