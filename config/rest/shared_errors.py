"""Errors of requests that reach no view of an API: one class for each of the two body shapes."""

from config.rest.api_errors import DataError, SendingError


class RequestNotUnderstood(SendingError):
    slug = "request-not-understood"
    text = "The request could not be understood"
    fix = "The web server cannot read the request. Check what your program or a proxy sends."


class DataRequestNotUnderstood(DataError):
    slug = "data-request-not-understood"
    text = "The request could not be understood."
    fix = "The web server cannot read the request. Check what your program or a proxy sends."


class UseHttps(SendingError):
    slug = "use-https"
    status = 403
    kind = "AuthError"
    text = "Error: use https"
    cause = "The request came over plain http, so others may have read the key."
    fix = "Use the same URL with `https`, and replace the key, which was sent unencrypted."


class DataUseHttps(DataError):
    slug = "data-use-https"
    status = 403
    text = "Use https."
    fix = "Use the same URL with `https`, and rotate the token, which was sent unencrypted."


class UrlNotFound(SendingError):
    slug = "url-not-found"
    status = 404
    kind = "NotFound"
    text = "The requested URL was not found on the server"
    fix = "Check the URL. This page lists all paths, which begin at the root of the host."


class NothingHere(DataError):
    slug = "data-nothing-here"
    status = 404
    text = "There is nothing at this address."
    fix = "Use the path `/data/{group}/{type}`, with nothing before or after it."


class InternalError(SendingError):  # any unexpected exception; the caller gets no details
    slug = "internal-server-error"
    status = 500
    kind = "Exception"
    text = "Internal server error"
    cause = "Something failed on our side. Your request is not the cause."
    fix = "Send the request again. If the error stays, contact the team of the service and quote `X-Request-Id`."


class DataInternalError(DataError):
    slug = "data-failure"
    status = 500
    text = "The service failed to answer this request."
    cause = "Something failed on our side. Your request is not the cause."
    fix = "Send the request again. If the error stays, contact the team of the service and quote `X-Request-Id`."


class Unavailable(SendingError):  # the database is unavailable
    slug = "service-unavailable"
    status = 503
    kind = "Exception"
    text = "Service unavailable"
    cause = "The database or another part of the service cannot be reached for a moment."
    fix = "Send the same request again after the seconds in `Retry-After`."
    retry_after_seconds = 5


class Busy(DataError):
    slug = "data-busy"
    status = 503
    text = "The service is busy; try again."
    cause = "The database or another part of the service cannot be reached for a moment, or too many large queries run."
    fix = "Nothing was stored. Send the same request again after the seconds in `Retry-After`."
    retry_after_seconds = 1
