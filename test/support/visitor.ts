import { showIfTestFails } from './shown-if-test-fails.ts'

/** A page as a visitor meets it. */
export interface Visited {
  status: number
  headers: Headers
  text: string
  /** Where the browser is sent on to; null where it stays. */
  location: string | null
}

/** Somebody with a browser that keeps cookies and runs no script. Follows redirects only when told to. */
export interface Visitor {
  readonly cookies: Map<string, string>
  get(url: string): Promise<Visited>
  head(url: string): Promise<Visited>
  post(url: string, form: Record<string, string>): Promise<Visited>
}

export function visitor(): Visitor {
  const cookies = new Map<string, string>()

  async function visit(url: string, init: RequestInit): Promise<Visited> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { cookie }), ...init.headers }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const text = await answer.text()
    const location = answer.headers.get('location')
    const target = url.replace(/^\w+:\/\/[^/]+/, '').slice(0, 120)
    showIfTestFails(`${init.method ?? 'GET'} ${target}: ${answer.status} ${location ?? headingOf(text)}`.trimEnd())
    return { status: answer.status, headers: answer.headers, text, location }
  }

  return {
    cookies,
    get: (url) => visit(url, {}),
    head: (url) => visit(url, { method: 'HEAD' }),
    post: (url, form) => visit(url, { method: 'POST', body: new URLSearchParams(form) }),
  }
}

/** What a page says it is. */
function headingOf(html: string): string {
  return /<h1[^>]*>([^<]*)/.exec(html)?.[1] ?? ''
}
