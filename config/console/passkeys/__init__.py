"""The pages for passkeys: on a person's own account, at sign-in, and to confirm a sign-in."""
