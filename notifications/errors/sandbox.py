"""Errors of the sandbox inbox. Source: docs/reference/running.md §9."""

from notifications.errors.calling import AuthError, Unauthenticated
from notifications.errors.fields import ValidationError


class SandboxSignInMissing(Unauthenticated):
    slug = "sandbox-sign-in"
    text = "Sign in, or send SANDBOX_TOKEN as a bearer token"
    fix = "Send the header `Authorization: Bearer` with the value of SANDBOX_TOKEN."


class SandboxOperatorsAlone(AuthError):
    slug = "sandbox-operators-alone"
    text = "Only operators may remove messages from the inbox"
    fix = "Ask an operator to remove them, or use SANDBOX_TOKEN."


class SandboxParameterInvalid(ValidationError):
    slug = "sandbox-parameter"
    text = "{name} must {rule}"
    fix = "Use a value that the message allows, or leave the parameter out."
