"""A Flask program that sends a message for each order, and notes the email addresses that do not work."""

import hmac
import os

import orders
from flask import Flask, request

app = Flask(__name__)
unreachable: set[str] = set()


@app.post("/orders")
def order() -> tuple[dict[str, str], int]:
    form = request.get_json()
    return {"email": orders.confirm(form["email"], form["name"], callback_url=form.get("callback_url", ""))}, 201


@app.post("/callbacks")
def callback() -> tuple[str, int]:
    if not hmac.compare_digest(request.headers.get("Authorization", ""), f"Bearer {os.environ['CALLBACK_TOKEN']}"):
        return "", 401
    event = request.get_json()
    if event["status"] == "permanent-failure":
        unreachable.add(event["to"])
    return "", 204
