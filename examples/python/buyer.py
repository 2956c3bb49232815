"""A buyer with a browser, as far as these walks need one. A real buyer has a real browser; no partner has to write this."""

import html
import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request


class _StayOnSite(urllib.request.HTTPRedirectHandler):
    def __init__(self, site):
        self.site = site

    def redirect_request(self, request, body, code, message, headers, location):
        if not location.startswith(self.site + "/"):
            return None
        return urllib.request.Request(location, method="GET")


class Buyer:
    """Keeps cookies, follows redirects within the site, and fills in forms."""

    def __init__(self, site):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(_StayOnSite(site), cookies)
        self.address = site
        self.page = ""

    def go(self, address, form=None):
        """Opens a page, or posts a form to it, and says where that led."""
        body = None if form is None else urllib.parse.urlencode(form).encode()
        try:
            answer = self.opener.open(urllib.parse.urljoin(self.address, address), body, timeout=30)
        except urllib.error.HTTPError as elsewhere:
            answer = elsewhere
        with answer:
            if answer.headers.get("Location"):
                return answer.headers["Location"]
            self.address = answer.geturl()
            self.page = answer.read().decode()
        return self.address

    def press(self, action="", **filled_in):
        """Fills in the page's form, presses a button of it, and says where that led."""
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', self.page)
        form = {name: html.unescape(value) for name, value in hidden}
        form.update(filled_in)
        if action:
            form["action"] = action
        return self.go(self.address, form)
