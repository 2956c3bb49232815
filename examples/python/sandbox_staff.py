"""What the service's own staff would do, through the operator API of a sandbox. In production it happens by itself."""

import json
import urllib.request


class SandboxStaff:
    def __init__(self, operator_url, world="default"):
        self.root = f"{operator_url}/v1/worlds/{world}"

    def act(self, path, body=None):
        request = urllib.request.Request(
            self.root + path,
            data=json.dumps(body or {}).encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def start_transfer(self, public_id):
        return self.act(f"/orders/{public_id}/start-transfer")

    def complete_transfer(self, public_id):
        return self.act(f"/orders/{public_id}/complete-transfer")

    def run_settlement(self):
        return self.act("/settlement-runs")

    def run_payouts(self):
        return self.act("/payout-runs")

    def close_deal(self, case_id, price_cents):
        return self.act(f"/brokerage/{case_id}/close-deal", {"price_cents": price_cents})
