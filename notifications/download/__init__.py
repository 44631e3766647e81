"""The recipient's pages: from the link in an email to the bytes of a file. Source: Files sent by email §9."""
