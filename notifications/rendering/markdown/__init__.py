"""Parse the Markdown of email bodies into a tree, and write the tree as HTML, plain text and preheader.
Source: docs/reference/rendering.md §4.2 to §4.7.

The project has its own parser because `markdown-it-py` cannot meet the contract. Seven block rules and both link forms
differ from CommonMark, such as carets, marks without a space and links that end at the first bracket. Bold, code, HTML
and references must not exist. The time must stay linear, without recursion over the depth of the input. With all of
that replaced, only the token classes of the library would remain.

    lines    classify single lines
    inline   parse running text into nodes
    lists    parse the lines of a list into one node
    blocks   parse a body into the tree; the entry point
    writers  write the tree as HTML and as plain text; only they escape
"""

from notifications.rendering.markdown.blocks import parse
