"""The work of `manage.py templates`: a folder of files, another service, and the difference from the stored ones."""
