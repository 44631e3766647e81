"""Read a stranger's email in a limited process: its parts, the report in it, or what a person wrote.

The modules have no Django. The time is linear in the length of the email, whatever it contains: Python's parser takes
3 s for 200 KiB of nested parts, and 7 s to decode a subject of 80 KiB.

    limits         what an email may have, and the error for one that has more
    parts          split an email into its parts
    headers        read header fields and their parameters
    words          decode encoded words, and text in the character sets of an allow list
    html_text      turn HTML into plain text
    returned       find the report of a mail server or mailbox provider
    plain_bounces  the same in plain text, as qmail and Exim write it
    replies        read what a person wrote
    one_email      the entry point

Source: docs/reference/inbox.md §6; docs/reference/suppressions.md §5.
"""
