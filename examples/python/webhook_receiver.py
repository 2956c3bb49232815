"""Takes webhooks: believes none that is not signed, takes each event once, and answers before it works."""

import hashlib
import hmac
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class WebhookReceiver:
    def __init__(self, secret):
        self.secret = secret.encode()
        self.events = queue.Queue()
        self.set_aside = []
        self.seen = set()
        self.lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                accepted = receiver.is_signed(raw, self.headers.get("X-Partner-Signature", ""))
                self.send_response(200 if accepted else 401)
                self.send_header("Content-Length", "0")
                self.end_headers()
                if accepted:
                    receiver.take(json.loads(raw))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def is_signed(self, raw, signature):
        """The header is the bare lower-case hex HMAC-SHA256 of the raw body: no prefix here, unlike in calls."""
        sound = hmac.new(self.secret, raw, hashlib.sha256).hexdigest()
        return hmac.compare_digest(sound.encode(), signature.encode("latin-1"))

    def take(self, event):
        # Deliveries may repeat, and a copied one verifies for ever: the event's id is what tells them apart.
        with self.lock:
            if event["id"] in self.seen:
                return
            self.seen.add(event["id"])
        self.events.put(event)

    def next(self, wanted):
        """Waits for an event of that type."""
        for event in self.set_aside:
            if event["type"] == wanted:
                self.set_aside.remove(event)
                return event
        while True:
            event = self.events.get(timeout=20)
            if event["type"] == wanted:
                return event
            self.set_aside.append(event)

    def close(self):
        self.server.shutdown()
