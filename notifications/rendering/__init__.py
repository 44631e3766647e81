"""What a template turns into: text messages and emails, as pure functions."""
