"""Signs calls wrongly, in every known way alone and in pairs: the corpus that the diagnosis is judged by.

Shares no code with src and was written from the API document. Reads JSON from standard input, {} for its own example, or
whose key signs what and when: {"secret", "key_id", "other_secret", "timestamp", "host", "calls", "pairs": false}.
Prints JSON: a case names the mistakes that were made, the call and the header that came of it.
"""

import base64
import datetime
import hashlib
import hmac
import itertools
import json
import sys
import urllib.parse

AROUND = json.load(sys.stdin)
SECRET = AROUND.get("secret", "sk_sandbox_0a1b2c3d4e5f60718293a4b5c6d7e8f9")
KEY_ID = AROUND.get("key_id", "pk_sandbox_q7w2e5r8t1y4u3i6")
OTHER_SECRET = AROUND.get("other_secret", "sk_sandbox_zyxwvutsrqponmlkjihgfedcba234567")
OTHER_NAME = "the secret of only-buy"
TIMESTAMP = AROUND.get("timestamp", 1767225600)
MILLIS = TIMESTAMP * 1000 + 417
HOST = AROUND.get("host", "127.0.0.1:4600")
ISO = datetime.datetime.fromtimestamp(TIMESTAMP, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
NONCE = "5E0c3a1f-9d57-4f2b-8b1e-2f6f0a7c9d11"
ROOT = "/api/partner/v1"

BODY = '{"domain":"s\u00fcnna/1.test", "price": 1.0,\n  "buyer": {"name": "A <b>", "age": 7}, "list": [1, 2]}\n'

CALLS = AROUND.get("calls") or [
    {"name": "post", "method": "POST", "target": ROOT + "/Orders?b=2&a=1%2f2&a=0%20x&a-=3&c=&d=(q)*~&E=5&f=%41",
     "body": BODY},
    {"name": "get", "method": "GET", "target": ROOT + "/domains/search?q=solar+power&tag=%C3%BC&tag=b&tag=a&page2=1&page=2&x=",
     "body": ""},
    {"name": "bare", "method": "GET", "target": ROOT + "/orders", "body": ""},
    {"name": "put", "method": "PUT", "target": "/api/partner/webhooks", "body": '{"url": "http://127.0.0.1/hook"}'},
]


def sound(call):
    """Everything a signer decides on its way; a mistake changes one of these."""
    return {
        "secret": SECRET.encode(),
        "method": lambda m: m,
        "path": lambda p, q: p,
        "pairs": lambda ps: ps,
        "order": "pair",
        "quote": lambda t: urllib.parse.quote(t, safe="-._~"),
        "pair": lambda k, v, quote: quote(k) + "=" + quote(v),
        "query": lambda line, raw: line,
        "ts": lambda: str(TIMESTAMP),
        "nonce": lambda n: n,
        "content": lambda b: b,
        "bodyend": b"",
        "hash": lambda b: hashlib.sha256(b).hexdigest(),
        "arrange": lambda ls: ls,
        "joint": "\n",
        "end": False,
        "message": None,
        "mac": lambda key, msg: hmac.new(key, msg, hashlib.sha256).digest(),
        "write": lambda d: d.hex(),
        "prefix": "v1=",
    }


def sign(call, how):
    path, _, raw = call["target"].partition("?")
    pieces = [p for p in raw.split("&") if p]
    pairs = []
    for piece in pieces:
        key, _, value = piece.partition("=")
        pairs.append((urllib.parse.unquote_plus(key), urllib.parse.unquote_plus(value), piece))
    pairs = how["pairs"](pairs)
    write = lambda p: p[2] if how["quote"] == "raw" else how["pair"](p[0], p[1], how["quote"])
    if how["order"] == "pair":
        pairs = sorted(pairs, key=lambda p: (p[0].encode(), p[1].encode()))
    elif how["order"] == "key":
        pairs = sorted(pairs, key=lambda p: p[0].encode())
    elif how["order"] == "encoded":
        pairs = sorted(pairs, key=lambda p: tuple(write(p).split("=", 1)))
    elif how["order"] == "text":
        pairs = sorted(pairs, key=lambda p: p[0] + "=" + p[1])
    elif how["order"] == "nocase":
        pairs = sorted(pairs, key=lambda p: (p[0].lower(), p[1].lower()))
    query = how["query"]("&".join(write(p) for p in pairs), raw)
    body = b"" if call["method"] in ("GET", "HEAD") else call["body"].encode()
    body_line = how["hash"](how["content"](body) + how["bodyend"])
    lines = [how["method"](call["method"]), how["path"](path, raw), query, how["ts"](), how["nonce"](NONCE), body_line]
    lines = how["arrange"](lines)
    message = (how["joint"].join(lines) + (how["joint"] if how["end"] else "")).encode()
    if how["message"]:
        message = how["message"](how["content"](body))
    return how["prefix"] + how["write"](how["mac"](how["secret"], message))


def set_(**changes):
    return lambda how: how.update(changes)


def swap(a, b):
    def arranged(lines):
        lines = list(lines)
        lines[a], lines[b] = lines[b], lines[a]
        return lines
    return arranged


def dump(**options):
    return lambda b: json.dumps(json.loads(b), **options).encode() if b else b


def js(b, **options):
    """As JSON.stringify writes it: 1.0 is 1."""
    if not b:
        return b
    value = json.loads(b, parse_float=lambda t: int(float(t)) if float(t).is_integer() else float(t))
    return json.dumps(value, ensure_ascii=False, **options).encode()


def dropped(lines, at):
    return lines[:at] + lines[at + 1:]


def from_hex(text):
    """Half of all secrets are no hex; those have nothing to decode."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return SECRET.encode()


def from_base64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def firsts(pairs):
    seen = {}
    for pair in pairs:
        seen.setdefault(pair[0], pair)
    return list(seen.values())


def lasts(pairs):
    return list({pair[0]: pair for pair in pairs}.values())


# (mistake id, the part of the signer it changes, the change). Two changes of one part cannot be made together.
MISTAKES = [
    ("prefix-missing", "prefix", set_(prefix="")),
    ("prefix-wrong", "prefix", set_(prefix="sha256=")),
    ("digest-upper-case", "write", set_(write=lambda d: d.hex().upper())),
    ("digest-base64", "write", set_(write=lambda d: base64.b64encode(d).decode())),
    ("digest-base64-of-hex", "write", set_(write=lambda d: base64.b64encode(d.hex().encode()).decode())),
    ("digest-cut", "write", set_(write=lambda d: d.hex()[:48])),
    ("digest-too-long", "write", set_(write=lambda d: d.hex() + "00")),
    ("digest-algorithm", "mac", set_(mac=lambda k, m: hmac.new(k, m, hashlib.sha1).digest())),
    ("digest-algorithm", "mac", set_(mac=lambda k, m: hmac.new(k, m, hashlib.sha512).digest())),
    ("plain-hash", "mac", set_(mac=lambda k, m: hashlib.sha256(k + m).digest())),
    ("plain-hash", "mac", set_(mac=lambda k, m: hashlib.sha256(m + k).digest())),
    ("hmac-swapped", "mac", set_(mac=lambda k, m: hmac.new(m, k, hashlib.sha256).digest())),
    ("key-id-as-secret", "secret", set_(secret=KEY_ID.encode())),
    ("secret-of-another", "secret", set_(secret=OTHER_SECRET.encode())),
    ("secret-newline", "secret", set_(secret=(SECRET + "\n").encode())),
    ("secret-space", "secret", set_(secret=(" " + SECRET).encode())),
    ("secret-quoted", "secret", set_(secret=f'"{SECRET}"'.encode())),
    ("secret-without-prefix", "secret", set_(secret=SECRET[len("sk_sandbox_"):].encode())),
    ("secret-base64-decoded", "secret", set_(secret=from_base64(SECRET))),
    ("secret-base64-decoded", "secret", set_(secret=from_base64(SECRET[len("sk_sandbox_"):]))),
    ("secret-hex-decoded", "secret", set_(secret=from_hex(SECRET[len("sk_sandbox_"):]))),
    ("secret-hashed", "secret", set_(secret=hashlib.sha256(SECRET.encode()).hexdigest().encode())),
    ("secret-case", "secret", set_(secret=SECRET.upper().encode())),
    ("secret-cut", "secret", set_(secret=SECRET[:-2].encode())),
    ("secret-empty", "secret", set_(secret=b"")),
    ("secret-unset", "secret", set_(secret=str(None).encode())),
    ("secret-unset", "secret", set_(secret=b"$PARTNER_SECRET")),
    ("method-lower-case", "method", set_(method=lambda m: m.lower())),
    ("method-other", "method", set_(method=lambda m: "DELETE")),
    ("path-without-root", "path", set_(path=lambda p, q: p.replace(ROOT, "").replace("/api/partner", ""))),
    ("path-with-query", "path", set_(path=lambda p, q: p + ("?" + q if q else ""))),
    ("path-lower-case", "path", set_(path=lambda p, q: p.lower())),
    ("path-upper-case", "path", set_(path=lambda p, q: p.upper())),
    ("path-slash-added", "path", set_(path=lambda p, q: p + "/")),
    ("path-without-first-slash", "path", set_(path=lambda p, q: p[1:])),
    ("path-with-host", "path", set_(path=lambda p, q: "http://" + HOST + p)),
    ("path-versioned", "path", set_(path=lambda p, q: p.replace("partner/webhooks", "partner/v1/webhooks"))),
    ("query-unsorted", "order", set_(order="none")),
    ("query-sorted-by-key-only", "order", set_(order="key")),
    ("query-sorted-after-encoding", "order", set_(order="encoded")),
    ("query-sorted-as-text", "order", set_(order="text")),
    ("query-sorted-ignoring-case", "order", set_(order="nocase")),
    ("query-raw", "query", set_(query=lambda line, raw: raw)),
    ("query-empty", "query", set_(query=lambda line, raw: "")),
    ("query-with-mark", "query", set_(query=lambda line, raw: "?" + line if line else line)),
    ("query-sorted-raw", "quote", set_(quote="raw")),
    ("query-plus", "quote", set_(quote=lambda t: urllib.parse.quote(t, safe="-._~ ").replace(" ", "+"))),
    ("query-five-bare", "quote", set_(quote=lambda t: urllib.parse.quote(t, safe="-._~!'()*"))),
    ("query-lower-hex", "quote", set_(quote=lambda t: "".join(
        c if c.isascii() and (c.isalnum() or c in "-._~") else "".join(f"%{b:02x}" for b in c.encode()) for c in t))),
    ("query-decoded", "quote", set_(quote=lambda t: t)),
    ("query-encoded-twice", "quote", set_(quote=lambda t: urllib.parse.quote(urllib.parse.quote(t, safe="-._~"), safe="-._~"))),
    ("query-slash-bare", "quote", set_(quote=lambda t: urllib.parse.quote(t, safe="-._~/"))),
    ("query-form", "quote", set_(quote=lambda t: urllib.parse.quote_plus(t, safe="-._*").replace("~", "%7E"))),
    ("query-blank-dropped", "pairs", set_(pairs=lambda ps: [p for p in ps if p[1]])),
    ("query-blank-bare", "pair", set_(pair=lambda k, v, quote: quote(k) + ("=" + quote(v) if v else ""))),
    ("query-duplicates-first", "pairs", set_(pairs=firsts)),
    ("query-duplicates-last", "pairs", set_(pairs=lasts)),
    ("timestamp-milliseconds", "ts", set_(ts=lambda: str(MILLIS))),
    ("timestamp-milliseconds", "ts", set_(ts=lambda: str(TIMESTAMP * 1000))),
    ("timestamp-iso", "ts", set_(ts=lambda: ISO)),
    ("timestamp-fraction", "ts", set_(ts=lambda: f"{TIMESTAMP}.0")),
    ("timestamp-other-second", "ts", set_(ts=lambda: str(TIMESTAMP + 1))),
    ("timestamp-empty", "ts", set_(ts=lambda: "")),
    ("nonce-case", "nonce", set_(nonce=lambda n: n.lower())),
    ("nonce-without-dashes", "nonce", set_(nonce=lambda n: n.replace("-", ""))),
    ("nonce-empty", "nonce", set_(nonce=lambda n: "")),
    ("body-json-compact", "content", set_(content=lambda b: js(b, separators=(",", ":")))),
    ("body-json-compact", "content", set_(content=dump(separators=(",", ":"), ensure_ascii=False))),
    ("body-json-spaced", "content", set_(content=dump(ensure_ascii=False))),
    ("body-json-spaced-ascii", "content", set_(content=dump())),
    ("body-json-indented-2", "content", set_(content=dump(indent=2, ensure_ascii=False))),
    ("body-json-indented-4", "content", set_(content=dump(indent=4, ensure_ascii=False))),
    ("body-json-indented-tab", "content", set_(content=dump(indent="\t", ensure_ascii=False))),
    ("body-json-sorted", "content", set_(content=dump(sort_keys=True, separators=(",", ":"), ensure_ascii=False))),
    ("body-json-sorted-spaced", "content", set_(content=dump(sort_keys=True, ensure_ascii=False))),
    ("body-json-sorted-ascii", "content", set_(content=dump(sort_keys=True))),
    ("body-json-ascii", "content", set_(content=dump(separators=(",", ":")))),
    ("body-json-slashes", "content", set_(content=lambda b: dump(separators=(",", ":"), ensure_ascii=False)(b).replace(b"/", b"\\/"))),
    ("body-json-slashes-ascii", "content", set_(content=lambda b: dump(separators=(",", ":"))(b).replace(b"/", b"\\/"))),
    ("body-json-html", "content", set_(content=lambda b: dump(separators=(",", ":"), ensure_ascii=False)(b)
        .replace(b"<", b"\\u003c").replace(b">", b"\\u003e"))),
    ("body-json-python", "content", set_(content=lambda b: str(json.loads(b)).encode() if b else b)),
    ("body-trimmed", "content", set_(content=lambda b: b.strip())),
    ("body-newline-added", "bodyend", set_(bodyend=b"\n")),
    ("body-crlf", "content", set_(content=lambda b: b.replace(b"\n", b"\r\n"))),
    ("body-latin1", "content", set_(content=lambda b: b.decode().encode("latin-1"))),
    ("body-utf16", "content", set_(content=lambda b: b.decode().encode("utf-16-le"))),
    ("body-hashed-empty", "content", set_(content=lambda b: b"")),
    ("body-empty-object", "content", set_(content=lambda b: b or b"{}")),
    ("body-null", "content", set_(content=lambda b: b or b"null")),
    ("body-hash-upper-case", "hash", set_(hash=lambda b: hashlib.sha256(b).hexdigest().upper())),
    ("body-hash-base64", "hash", set_(hash=lambda b: base64.b64encode(hashlib.sha256(b).digest()).decode())),
    ("body-unhashed", "hash", set_(hash=lambda b: b.decode("utf-8", "replace"))),
    ("body-hash-line-empty", "hash", set_(hash=lambda b: "")),
    ("body-hash-twice", "hash", set_(hash=lambda b: hashlib.sha256(hashlib.sha256(b).hexdigest().encode()).hexdigest())),
    ("lines-crlf", "joint", set_(joint="\r\n")),
    ("lines-escaped", "joint", set_(joint="\\n")),
    ("lines-joined-otherwise", "joint", set_(joint="")),
    ("lines-joined-otherwise", "joint", set_(joint="|")),
    ("newline-at-end", "end", set_(end=True)),
    ("query-line-missing", "arrange", set_(arrange=lambda ls: dropped(ls, 2))),
    ("line-missing", "arrange", set_(arrange=lambda ls: dropped(ls, 4))),
    ("line-missing", "arrange", set_(arrange=lambda ls: dropped(ls, 5))),
    *[("lines-swapped", "arrange", set_(arrange=swap(a, b))) for a, b in itertools.combinations(range(6), 2)],
    ("webhook-scheme", "message", set_(message=lambda body: body)),
    ("timestamp-and-body", "message", set_(message=lambda body: str(TIMESTAMP).encode() + b"." + body)),
]


def made(call, changes):
    how = sound(call)
    for _, _, change in changes:
        change(how)
    return sign(call, how)


def cases_of(index):
    """Singles, then pairs; what has no effect on this call, or only that of one of the two, is no mistake here."""
    call = CALLS[index]
    right = made(call, [])
    singles = []
    for row in MISTAKES:
        header = made(call, [row])
        if header != right:
            singles.append((row, header))
    for row, header in singles:
        yield {"call": index, "mistakes": [row[0]], "signature": header}
    if not AROUND.get("pairs", True):
        return
    for (a, alone_a), (b, alone_b) in itertools.combinations(singles, 2):
        if a[1] == b[1]:
            continue
        header = made(call, [a, b])
        if header not in (right, alone_a, alone_b):
            yield {"call": index, "mistakes": [a[0], b[0]], "signature": header}


def webhook_cases():
    body = BODY.encode()
    mac = lambda key, message: hmac.new(key, message, hashlib.sha256)
    secret = b"whsec_chosen-by-the-partner"
    good = mac(secret, body)
    yield {"mistakes": [], "signature": good.hexdigest()}
    yield {"mistakes": ["prefix-on-webhook"], "signature": "v1=" + good.hexdigest()}
    yield {"mistakes": ["digest-upper-case"], "signature": good.hexdigest().upper()}
    yield {"mistakes": ["digest-base64"], "signature": base64.b64encode(good.digest()).decode()}
    yield {"mistakes": ["prefix-on-webhook", "digest-base64"], "signature": "sha256=" + base64.b64encode(good.digest()).decode()}
    yield {"mistakes": ["secret-newline"], "signature": mac(secret + b"\n", body).hexdigest()}
    yield {"mistakes": ["secret-of-another"], "signature": mac(OTHER_SECRET.encode(), body).hexdigest()}
    yield {"mistakes": ["body-json-compact"], "signature": mac(secret, js(body, separators=(",", ":"))).hexdigest()}
    yield {"mistakes": ["body-json-spaced-ascii"], "signature": mac(secret, dump()(body)).hexdigest()}
    yield {"mistakes": ["body-trimmed"], "signature": mac(secret, body.strip()).hexdigest()}
    yield {"mistakes": ["timestamp-and-body"], "signature": mac(secret, str(TIMESTAMP).encode() + b"." + body).hexdigest()}
    lines = ["POST", "/hook", "", "", "", hashlib.sha256(body).hexdigest()]
    yield {"mistakes": ["call-scheme"], "signature": mac(secret, "\n".join(lines).encode()).hexdigest()}
    yield {"mistakes": ["prefix-on-webhook", "call-scheme"], "signature": "v1=" + mac(secret, "\n".join(lines).encode()).hexdigest()}


if __name__ == "__main__":
    json.dump({
        "signer": {"keyId": KEY_ID, "secret": SECRET, "others": [{"secret": OTHER_SECRET, "whose": OTHER_NAME}]},
        "timestamp": str(TIMESTAMP), "nonce": NONCE, "host": HOST,
        "calls": CALLS, "right": [made(call, []) for call in CALLS],
        "cases": [case for index in range(len(CALLS)) for case in cases_of(index)],
        "webhook": {"secret": "whsec_chosen-by-the-partner", "body": BODY, "target": "/hook",
                    "cases": list(webhook_cases())},
    }, sys.stdout)
