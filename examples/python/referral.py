"""Sales model 4: the partner gives links away, visitors follow them and buy, and the partner earns commission on that."""

from buyer import Buyer
from setting import dollars, setting

api, _staff = setting()

promoted = api.get("/domains/search?q=sport")["domains"][0]
link = api.post("/links", {"kind": "domain", "domain": promoted["domain"]})
print("The link for", promoted["domain"], "is", link["url"])

Buyer(api.url).go(link["url"])
print("A reader follows it, and looks no further")

visitor = Buyer(api.url)
visitor.go(link["url"])
visitor.press()
visitor.press("pay", name="Visitor", email="visitor@example.com", country="DE")
print("A visitor follows it and buys")

listed = next(one for one in api.get("/links")["links"] if one["link_id"] == link["link_id"])
assert (listed["clicks"], listed["sales"]) == (2, 1), listed
print("The link has", listed["clicks"], "clicks and", listed["sales"], "sale")

sales = api.get("/me/sales")["sales"]
sale = next(one for one in sales if one["link_id"] == link["link_id"])
assert sale["amount_cents"] == promoted["price_cents"]
print("Sold to", sale["buyer"]["email"], "for", dollars(sale["amount_cents"]), "with", dollars(sale["commission_cents"]), "of commission")

funnel = api.get("/analytics")
assert funnel["gmv_cents"] == sum(one["amount_cents"] for one in sales)
assert funnel["clicks"] == api.get("/me/clicks")["total"]
print("The funnel:", funnel["clicks"], "clicks,", funnel["checkouts"], "checkouts,", funnel["sales"], "sales,", dollars(funnel["gmv_cents"]), "in all")
