"""A Django program in one file, which checks the signatures of callbacks and keeps the texts that people send."""

import os

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from signalbox import SignatureWrong, callbacks

settings.configure(SECRET_KEY=os.urandom(32).hex(), ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"])
django.setup()
texts: list[str] = []


@csrf_exempt
def callback(request: HttpRequest) -> HttpResponse:
    try:
        event = callbacks.verify(request.headers, request.body, os.environ["SIGNING_SECRET"])
    except SignatureWrong as error:
        return HttpResponse(str(error), status=401)
    if event["type"] == "received_text":
        texts.append(event["data"]["message"])
    return HttpResponse(status=204)


urlpatterns = [path("callbacks", callback)]
