"""Render templates to text messages and emails. All functions are pure.

placeholders   fill values into templates
sms            render, measure and price a text message
email          render the subject, body, HTML part and plain part of an email
sanitise       remove links and Markdown from values before they are filled in
"""
