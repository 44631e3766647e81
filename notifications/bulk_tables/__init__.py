"""Tables of recipients: read them, match their columns with a template, and check every row.

A table has one row of column names and one row for each message. This package needs no framework and no database.
"""
