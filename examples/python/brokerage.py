"""Sales model 3: a user wants a domain that is not simply for sale, and the service negotiates for it.

The partner earns a cut of the deal.
"""

import uuid

from buyer import Buyer
from setting import dollars, setting
from webhook_receiver import WebhookReceiver

api, staff = setting()

secret = str(uuid.uuid4())
hooks = WebhookReceiver(secret)
api.put("/api/partner/webhooks", {"url": hooks.url, "secret": secret})

live = api.get("/brokerage/eligibility?domain=live-site-2.test")
assert live["eligible"] is False
print(live["domain"], "cannot be brokered:", live["reason"])

wanted = api.get("/domains/search?q=health")["domains"][0]["domain"]
assert api.get(f"/brokerage/eligibility?domain={wanted}")["eligible"] is True
opened = api.post("/brokerage", {"tier": "self_serve", "buyer_email": "user@example.com", "budget": 500_000, "domain": wanted})
print("Case", opened["case_id"], "for", wanted, "is", opened["status"], "with a budget of", dollars(opened["budget"]))

browser = Buyer(api.url)
browser.go(opened["progress_url"])
assert wanted in browser.page
print("The user follows it on a page of its own, without a login")

staff.close_deal(opened["case_id"], 420_000)
deal = hooks.next("brokerage.case_completed")["data"]["case"]
assert deal["case_id"] == opened["case_id"]
print("A deal at", dollars(deal["deal_price_cents"]), "of which the partner's cut is", dollars(deal["partner_cut_cents"]))

closed = api.get(f"/brokerage/{opened['case_id']}")
print("What happened:", " > ".join(entry["status"] for entry in closed["timeline"]))
staff.run_payouts()
cut = next(payout for payout in api.get("/payouts")["payouts"] if payout["kind"] == "brokerage")
assert cut["amount_cents"] == deal["partner_cut_cents"]
print("Paid out on", cut["paid_at"])
hooks.close()
