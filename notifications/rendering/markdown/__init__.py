"""The Markdown of email bodies: parsed once into a tree, written three times.
Source: docs/reference/rendering.md §4.2 to §4.7.

The parser is our own. `markdown-it-py` was to be preferred if it met the contract, but seven block rules and both
link forms differ from CommonMark (carets, marks without a space, what ends a paragraph or a list, links that end at
the first bracket), bold, code, HTML and references must not exist at all, and the work has to stay linear without
recursion over input depth. With all of that replaced, nothing of the library would be left but its token classes.

    lines        what one line can be
    inline       running text → nodes
    lists        the lines of a list → one node
    blocks       a body → the tree; the entry to the parser
    typography   quotes and dashes of one node
    html, plain, preheader   the writers; nothing is escaped before them
"""

from notifications.rendering.markdown.blocks import parse

__all__ = ["parse"]
