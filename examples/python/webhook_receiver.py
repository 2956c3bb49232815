"""Takes webhooks: believes none that is not signed, takes each event once, and answers before it works."""

import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from partner_signing import is_signed_webhook


class WebhookReceiver:
    def __init__(self, secret, patience_seconds=20):
        self.patience_seconds = patience_seconds
        self.secret = secret.encode()
        self.events = queue.Queue()
        self.set_aside = []
        self.seen = set()
        self.lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                signature = self.headers.get("X-Partner-Signature", "").encode("latin-1")
                accepted = is_signed_webhook(raw, signature, receiver.secret)
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

    def take(self, event):
        # Deliveries may repeat, and a copied one verifies for ever: the event's id is what tells them apart.
        with self.lock:
            if event["id"] in self.seen:
                return
            self.seen.add(event["id"])
        self.events.put(event)

    def next(self, wanted):
        """Waits for an event of that type; ends the walk with a line where none comes."""
        for event in self.set_aside:
            if event["type"] == wanted:
                self.set_aside.remove(event)
                return event
        deadline = time.monotonic() + self.patience_seconds
        while True:
            try:
                event = self.events.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                hint = "is the clock frozen, or a delivery profile set?"
                raise SystemExit(f"no webhook of type {wanted} came within {self.patience_seconds} s; {hint}") from None
            if event["type"] == wanted:
                return event
            self.set_aside.append(event)

    def close(self):
        self.server.shutdown()
