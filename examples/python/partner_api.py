"""Signed calls to the partner API, with nothing but the standard library (Python 3.9 and later)."""

import json
import time
import urllib.error
import urllib.request

from partner_signing import signed_headers

API_ROOT = "/api/partner/v1"
MOST_ATTEMPTS = 5


class PartnerApiError(Exception):
    """An answer that is no success, with the code that the API gives for it."""

    def __init__(self, status, code, message):
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


class PartnerApi:
    """One credential of the API. The secret stays on this machine."""

    def __init__(self, url, key_id, secret):
        self.url = url
        self.key_id = key_id
        self.secret = secret

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body, idempotency_key=None):
        return self.call("POST", path, body, idempotency_key)

    def put(self, path, body):
        return self.call("PUT", path, body)

    def call(self, method, path, body=None, idempotency_key=None):
        target = path if path.startswith("/api/") else API_ROOT + path
        # The bytes that are signed are the bytes that are sent, in every attempt.
        raw = b"" if body is None else json.dumps(body).encode()
        for attempt in range(1, MOST_ATTEMPTS + 1):
            status, headers, answer = self._send(method, target, raw, idempotency_key)
            if 200 <= status < 300:
                return answer
            if attempt == MOST_ATTEMPTS or not (status == 429 or status >= 500):
                raise PartnerApiError(status, answer["code"], answer["message"])
            time.sleep(float(headers.get("Retry-After") or 0.1 * 2**attempt))

    def _send(self, method, target, raw, idempotency_key):
        """One attempt. Each has a nonce and a timestamp of its own; the idempotency key and the bytes stay."""
        headers = signed_headers(self.key_id, self.secret, method, target, raw)
        if raw:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        request = urllib.request.Request(self.url + target, data=raw or None, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers, json.load(refusal)
