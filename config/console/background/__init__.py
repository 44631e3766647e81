"""Steps over many rows: at once where they are few, by a worker where they are more than BACKGROUND_OVER."""
