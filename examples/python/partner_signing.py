"""Signing of calls and verifying of webhooks, with nothing but the standard library (Python 3.9 and later)."""

import hashlib
import hmac
import time
import urllib.parse
import uuid


def canonical_string(method, target, timestamp, nonce, body=b""):
    """The string that a signature covers: six lines, joined by line feeds, with none at the end."""
    path, _, query = target.partition("?")
    return "\n".join([method, path, canonical_query(query), timestamp, nonce, hashlib.sha256(body).hexdigest()])


def canonical_query(query):
    """Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well."""
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=None)
    return "&".join(f"{encode(key)}={encode(value)}" for key, value in sorted(pairs))


def encode(text):
    return urllib.parse.quote(text, safe="-_.~")


def sign(message, secret):
    """Lower-case hex."""
    return hmac.new(secret, message, hashlib.sha256).hexdigest()


def signed_headers(key_id, secret, method, target, body=b""):
    """The four headers of one attempt: each has a nonce and a timestamp of its own."""
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    canonical = canonical_string(method, target, timestamp, nonce, body)
    return {
        "X-Partner-Key-Id": key_id,
        "X-Partner-Timestamp": timestamp,
        "X-Partner-Nonce": nonce,
        "X-Partner-Signature": "v1=" + sign(canonical.encode(), secret.encode()),
    }


def is_signed_webhook(raw, signature, secret):
    """The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls."""
    return hmac.compare_digest(sign(raw, secret).encode(), signature)
