"""What providers post back to us. Source: the sending contract §19.2, §19.3."""
