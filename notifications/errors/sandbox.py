"""Errors of the sandbox inbox. Source: docs/reference/running.md §9."""

from notifications.errors.calling import AuthError, Unauthenticated
from notifications.errors.fields import ValidationError


class SandboxSignInMissing(Unauthenticated):
    slug = "sandbox-sign-in"
    text = "Sign in, or send SANDBOX_TOKEN as a bearer token"
    fix = "Send the header `Authorization: Bearer` with the value of SANDBOX_TOKEN."


class SandboxOperatorsAlone(AuthError):
    slug = "sandbox-operators-alone"
    text = "Only operators may change the sandbox"
    fix = "Ask an operator to do it, or use SANDBOX_TOKEN."


class SandboxParameterInvalid(ValidationError):
    slug = "sandbox-parameter"
    text = "{name} must {rule}"
    fix = "Use a value that the message allows, or leave the parameter out."


class SandboxClockRefused(AuthError):
    slug = "sandbox-clock"
    text = "The test clock works only if every message goes to the sandbox"
    fix = "Use an installation with PROVIDERS=sandbox that is not in production."


class SandboxReleaseRefused(ValidationError):
    slug = "sandbox-release"
    text = "The message cannot be sent for real: {reason}"
    fix = "Choose a recipient in the team or the guest list of the service, in an installation with a provider."


class SandboxHookUnreachable(ValidationError):
    slug = "sandbox-hook-unreachable"
    text = "The call could not be repeated: {reason}"
    fix = "Start your program and check its URL. Only IP addresses in OUTBOUND_ALLOWED_NETWORKS are called."
