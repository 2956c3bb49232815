"""Sales model 1: the partner charges the buyer itself and then records the sale.

The domain is delivered, the partner keeps its commission and owes the rest, as the settlement statement says. A second sale is
refunded in time.
"""

import uuid

from partner_api import PartnerApiError
from setting import dollars, setting
from webhook_receiver import WebhookReceiver

api, staff = setting()


def record(domain, price_cents, payment, quote_id=None):
    """Records a sale that the buyer has paid for. A lost answer is no harm: the same key brings the same order back."""
    body = {
        "domain": domain,
        "expected_price": price_cents,
        "currency": "USD",
        "buyer": {"email": "buyer@example.com", "name": "Buyer", "country": "AT"},
        "external_payment_ref": payment,
    }
    if quote_id:
        body["quote_id"] = quote_id
    return api.post("/orders", body, idempotency_key=str(uuid.uuid4()))


# Once, at the start of the partner's application: where to be told of what happens.
secret = str(uuid.uuid4())
hooks = WebhookReceiver(secret)
api.put("/api/partner/webhooks", {"url": hooks.url, "secret": secret})

found = api.get("/domains/search?q=garden")["domains"]
first, second = found[0], found[1]
print("Search found", ", ".join(domain["domain"] for domain in found))

# A quote holds price and domain for ten minutes, time enough to charge the buyer.
quote = api.post("/quotes", {"domain": first["domain"]})
print(quote["domain"], "is quoted at", dollars(quote["price_cents"]), "until", quote["expires_at"])

order = record(quote["domain"], quote["price_cents"], "payment-1", quote["quote_id"])
assert order["status"] == "EXTERNALLY_PAID"
assert hooks.next("order.recorded")["data"]["order"]["public_id"] == order["public_id"]
print("Recorded as", order["public_id"], "with", dollars(order["commission_cents"]), "to keep and", dollars(order["amount_owed_cents"]), "owed")

staff.start_transfer(order["public_id"])
hooks.next("order.transfer_started")
staff.complete_transfer(order["public_id"])
hooks.next("order.transfer_completed")
print("The domain has been delivered to the registrar")

settled = staff.run_settlement()["settled"]
assert any(one["public_id"] == order["public_id"] for one in settled)
hooks.next("order.settled")
statement = api.get("/settlements?limit=1")["settlements"][0]
assert statement["gross_sold_cents"] == statement["commission_retained_cents"] + statement["amount_owed_cents"]
assert order["public_id"] in statement["orders"]
print("Statement", statement["statement_id"], "says", dollars(statement["amount_owed_cents"]), "owed")

# The buyer of the second domain changes their mind before it is delivered.
regretted = record(second["domain"], second["price_cents"], "payment-2")
refund = api.post("/refunds", {"public_id": regretted["public_id"]})
assert hooks.next("order.refunded")["data"]["order"]["public_id"] == regretted["public_id"]
print("Refunded", dollars(refund["amount_cents"]), "for", second["domain"])

# After delivery it is too late for that.
try:
    api.post("/refunds", {"public_id": order["public_id"]})
    raise AssertionError("a refund after delivery was accepted")
except PartnerApiError as refusal:
    assert refusal.status == 409
    print("A refund after delivery is refused:", refusal.code)

timeline = api.get(f"/orders/{order['public_id']}")["timeline"]
print("What happened to the first:", " > ".join(entry["status"] for entry in timeline))
hooks.close()
