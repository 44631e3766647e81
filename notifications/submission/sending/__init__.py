"""Send one message: check, render and store it, try it without sending, and send it again."""
