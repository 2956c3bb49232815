"""
python3 client.py call GET '/api/partner/v1/domains/search?q=solar'
python3 client.py call POST /api/partner/v1/orders order.json order-1
python3 client.py vectors < tasks        see ../README.md
"""

import base64
import os
import pathlib
import sys
import urllib.error
import urllib.request

from partner_signing import canonical_string, is_signed_webhook, sign, signed_headers


def call(method, target, body_file=None, idempotency_key=None):
    body = pathlib.Path(body_file).read_bytes() if body_file else b""
    headers = signed_headers(os.environ["PARTNER_KEY_ID"], os.environ["PARTNER_SECRET"], method, target, body)
    if body:
        headers["Content-Type"] = "application/json"
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    url = os.environ.get("PARTNER_URL", "http://127.0.0.1:4600") + target
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, data=body or None, headers=headers, method=method))
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        print(answer.status, answer.read().decode())


def decoded(field):
    return b"" if field == "-" else base64.b64decode(field)


def vectors():
    for line in sys.stdin:
        kind, *fields = line.split()
        if kind == "call":
            method, target, timestamp, nonce, secret, body = fields
            canonical = canonical_string(method, target, timestamp, nonce, decoded(body)).encode()
            print(base64.b64encode(canonical).decode(), sign(canonical, decoded(secret)))
        else:
            secret, signature, body = map(decoded, fields)
            print("accepted" if is_signed_webhook(body, signature, secret) else "refused")


if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    call(*arguments) if mode == "call" else vectors()
