"""Where a walk takes place, from the environment (examples/README.md)."""

import os
import sys

from partner_api import PartnerApi
from sandbox_staff import SandboxStaff


def setting():
    try:
        key_id, secret = os.environ["PARTNER_KEY_ID"], os.environ["PARTNER_SECRET"]
    except KeyError:
        print("Set PARTNER_KEY_ID and PARTNER_SECRET to what `partner-sandbox serve` prints.", file=sys.stderr)
        sys.exit(4)
    url = os.environ.get("PARTNER_URL", "http://127.0.0.1:4600")
    operator_url = os.environ.get("PARTNER_SANDBOX_URL", "http://127.0.0.1:4601")
    return PartnerApi(url, key_id, secret), SandboxStaff(operator_url)


def dollars(cents):
    return f"${cents / 100:.2f}"
