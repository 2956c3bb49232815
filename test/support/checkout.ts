import { startSandbox, type TestAnswer, type TestCall, type TestSandbox } from './sandbox.ts'

export const RETURN_URL = 'https://shop.example/thanks?cart=7&note=a%20b#top'
export const CANCEL_URL = 'https://shop.example/cart'
export const BUYER = { name: 'Jo Doe', email: 'jo@buyer.example', country: 'AT' }

export interface OpenSession {
  session_id: string
  checkout_url: string
  domain: string
  price_cents: number
}

/** Asks for a session of a fresh domain. */
export async function createSession(
  sandbox: TestSandbox,
  body: Record<string, unknown> = {},
  call: Partial<TestCall> = {},
): Promise<TestAnswer> {
  const [listing] = await sandbox.forSale(1)
  const valid = { domain: listing!.domain, return_url: RETURN_URL, cancel_url: CANCEL_URL }
  return sandbox.call({ path: '/checkout-session', body: { ...valid, ...body }, ...call })
}

/** A session that is open. */
export async function openSession(sandbox: TestSandbox, body: Record<string, unknown> = {}): Promise<OpenSession> {
  const { status, json, text } = await createSession(sandbox, body)
  if (status !== 201) throw new Error(`no session: ${status} ${text}`)
  return json
}

export interface PageAnswer {
  status: number
  text: string
  headers: Headers
  location: string | null
}

/** Opens a page as a browser without script would, and follows nothing. */
export async function visit(url: string, init: RequestInit = {}): Promise<PageAnswer> {
  const answer = await fetch(url, { redirect: 'manual', ...init })
  return {
    status: answer.status,
    text: await answer.text(),
    headers: answer.headers,
    location: answer.headers.get('location'),
  }
}

/** Sends a form to a page. */
export function submit(
  url: string,
  fields: Record<string, string> | string,
  init: RequestInit = {},
): Promise<PageAnswer> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...init.headers }
  return visit(url, { method: 'POST', body, ...init, headers })
}

/** What the form of the page sends when its button Pay is pressed. */
export function payment(session: OpenSession, changes: Record<string, string> = {}): Record<string, string> {
  return { price_cents: String(session.price_cents), action: 'pay', ...BUYER, ...changes }
}

/** A sandbox of its own with a session that is open, and what a buyer does with it. */
export async function openCheckout(
  options: Parameters<typeof startSandbox>[0] = {},
  body: Record<string, unknown> = {},
) {
  const sandbox = await startSandbox(options)
  const session = await openSession(sandbox, body)
  return {
    sandbox,
    session,
    look: () => visit(session.checkout_url),
    send: (form: Record<string, string>) => submit(session.checkout_url, form),
    pay: (changes: Record<string, string> = {}) => submit(session.checkout_url, payment(session, changes)),
    orders: async () => (await sandbox.call({ path: `/orders?domain=${session.domain}` })).json.orders,
  }
}
