"""Benchmarks: `make bench` runs all figures, `make bench FIGURE=P1` one of them. Tests never measure time.

Each figure is a file whose name starts with its number, such as `p1_post_message.py`, with a function `main(bench)`.
"""
