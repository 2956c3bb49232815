"""Sales model 2: the service collects the payment on its own page, and the partner earns a commission.

It is accrued at the sale, payable once the domain is delivered, and paid by a payout run.
"""

from buyer import Buyer
from setting import dollars, setting

api, staff = setting()

wanted = api.get("/domains/search?q=studio")["domains"][0]
session = api.post(
    "/checkout-session",
    {
        "domain": wanted["domain"],
        "return_url": "https://partner.example/thanks",
        "cancel_url": "https://partner.example/cart",
        "buyer": {"email": "buyer@example.com"},
    },
)
print("The buyer of", wanted["domain"], "is sent to the hosted page, good until", session["expires_at"])

browser = Buyer(api.url)
browser.go(session["checkout_url"])
browser.press("decline", name="Buyer", email="buyer@example.com", country="AT")
assert "declined" in browser.page
print("The first card is declined; the page can be tried again")
landed = browser.press("pay", name="Buyer", email="buyer@example.com", country="AT")
assert landed == f"https://partner.example/thanks?session_id={session['session_id']}", landed
print("Paid. The buyer is back at", landed)

order = api.get(f"/orders?domain={wanted['domain']}")["orders"][0]
assert order["payment_model"] == "hosted_checkout"
staff.complete_transfer(order["public_id"])
print("A payout run paid", len(staff.run_payouts()["payouts"]), "payout(s)")

ledger = api.get("/me/commissions")
lines = [entry for entry in reversed(ledger["entries"]) if entry["public_id"] == order["public_id"]]
for line in lines:
    print(f"  {line['kind']:<8} {dollars(line['amount_cents']):>12}  balance {dollars(line['balance_cents'])}")
assert [line["kind"] for line in lines] == ["accrued", "accrued", "pending", "paid_out"]
assert sum(line["amount_cents"] for line in lines) == 0

payouts = api.get("/payouts")
assert payouts["total_paid_cents"] == sum(payout["amount_cents"] for payout in payouts["payouts"])
print("Paid out so far:", dollars(payouts["total_paid_cents"]))
