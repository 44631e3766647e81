"""What a template turns into: text messages and emails, as pure functions.

placeholders   values into templates; every view of a template begins here
sms            the one text of a text message, and what it costs
email          subject, body, HTML and plain part of an email
sanitise       values from strangers, before they are filled in
"""
