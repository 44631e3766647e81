"""What is fast, and how it is shown: `make bench`, or `make bench FIGURE=P1`. Never a timed test.

Each figure is one file whose name begins with its number, `p1_post_message.py`, with a `main(bench)`.
"""
