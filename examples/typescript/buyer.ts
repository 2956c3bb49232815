/**
 * A buyer with a browser, as far as these walks need one: it keeps cookies, follows redirects within the site, and fills in
 * forms. A real buyer has a real browser; no partner has to write this.
 */
export function buyer(site: string) {
  const cookies = new Map<string, string>()
  let address = site
  let html = ''

  async function go(to: string, form?: Record<string, string>): Promise<string> {
    let next = new URL(to, address)
    let body = form && new URLSearchParams(form)
    while (next.origin === new URL(site).origin) {
      const answer = await fetch(next, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { body }),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        cookies.set(name, value)
      }
      address = next.href
      html = await answer.text()
      const location = answer.headers.get('location')
      if (location === null) return address
      next = new URL(location, address)
      body = undefined
    }
    return next.href
  }

  /** Fills in the page's form, presses a button of it (the only one where none is named), and says where that led. */
  function press(action = '', filledIn: Record<string, string> = {}): Promise<string> {
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
    return go(address, { ...fields, ...filledIn, ...(action !== '' && { action }) })
  }

  return { go, press, page: () => html }
}
