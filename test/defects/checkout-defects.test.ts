import {
  BUYER,
  CANCEL_URL,
  createSession,
  type OpenSession,
  openSession,
  payment,
  RETURN_URL,
  submit,
  visit,
} from '../support/checkout.ts'
import type { TestSandbox } from '../support/sandbox.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

type Look = Probe['look']

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any

const later = (sandbox: TestSandbox, by: string) => sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by })

const created =
  (look: (json: Fields) => unknown): Look =>
  async (sandbox) =>
    look((await createSession(sandbox)).json)

/** The status of the page after a while. */
const opened =
  (by = '0s'): Look =>
  async (sandbox) => {
    const { checkout_url: url } = await openSession(sandbox)
    await later(sandbox, by)
    return (await visit(url)).status
  }

const reloaded: Look = async (sandbox) => {
  const { checkout_url: url } = await openSession(sandbox)
  return [(await visit(url)).status, (await visit(url)).status]
}

/** The status of the page when its token is changed; `facts` and `digest` are its two parts. */
const altered =
  (change: (facts: string, digest: string) => string): Look =>
  async (sandbox) => {
    const { checkout_url: url } = await openSession(sandbox)
    const [address = '', token = ''] = url.split('pt=')
    const [facts = '', digest = ''] = token.split('.')
    return (await visit(`${address}pt=${change(facts, digest)}`)).status
  }

const next = (character: string) => (character === 'A' ? 'B' : 'A')
const changedAt = (text: string, at: number) => text.slice(0, at) + next(text[at] as string) + text.slice(at + 1)
const otherCase = (text: string) => text.replace(/[a-z]/, (letter) => letter.toUpperCase())

/** The token with a much later end, under its old signature. */
function prolonged(facts: string, digest: string): string {
  const text = Buffer.from(facts, 'base64url').toString('utf8')
  return `${Buffer.from(text.replace(/\d+$/, (end) => `9${end.slice(1)}`)).toString('base64url')}.${digest}`
}

/** The same text in base64, with a bit set that nobody reads. */
function withSpareBits(facts: string, digest: string): string {
  const text = Buffer.from(facts, 'base64url').toString('utf8')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = facts.slice(-1)
  const other = facts.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1]
  if (Buffer.from(other, 'base64url').toString('utf8') !== text) throw new Error('there are no spare bits')
  return `${other}.${digest}`
}

async function sales(sandbox: TestSandbox, as = 'main'): Promise<number> {
  return (await sandbox.call({ as, path: '/transactions' })).json.transactions.length
}

const press =
  (action: string): Look =>
  async (sandbox) => {
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session, { action }))
    return [await sales(sandbox), await sales(sandbox, 'other-partner')]
  }

/** Somebody has opened the page in time and pays an hour after the seven days. */
const sentTooLate: Look = async (sandbox) => {
  const session = await openSession(sandbox)
  await later(sandbox, '7d1h')
  const { status } = await submit(session.checkout_url, payment(session))
  return [status, await sales(sandbox)]
}

/** The form is sent with the last character of the token changed. */
const sentAltered: Look = async (sandbox) => {
  const session = await openSession(sandbox)
  const { checkout_url: url } = session
  const { status } = await submit(changedAt(url, url.length - 1), payment(session))
  return [status, await sales(sandbox)]
}

const soldByTheOther: Look = async (sandbox) => {
  const { json } = await createSession(sandbox, {}, { as: 'other-partner' })
  await submit(json.checkout_url, payment(json as OpenSession, BUYER))
  return [await sales(sandbox), await sales(sandbox, 'other-partner')]
}

const unlisted: Look = async (sandbox) =>
  outcome(
    await sandbox.call({
      path: '/checkout-session',
      body: { domain: 'nowhere.example', return_url: RETURN_URL, cancel_url: CANCEL_URL },
    }),
  )

const malformed: Look = async (sandbox) => outcome(await sandbox.call({ path: '/checkout-session', body: '{' }))

const probes: Probe[] = [
  {
    defect: 'checkout-url-without-token',
    look: created((json) => json.checkout_url.includes('?pt=')),
    sound: true,
    broken: false,
  },
  {
    defect: 'checkout-without-url',
    look: created((json) => typeof json.checkout_url),
    sound: 'string',
    broken: 'undefined',
  },
  { defect: 'checkout-page-needs-a-signature', look: opened(), sound: 200, broken: 403 },
  { defect: 'checkout-page-opens-once', look: reloaded, sound: [200, 200], broken: [200, 410] },
  {
    defect: 'checkout-token-unchecked',
    look: altered((facts, digest) => `${facts}.${changedAt(digest, 20)}`),
    sound: 404,
    broken: 200,
  },
  {
    defect: 'checkout-token-unchecked-at-its-end',
    look: altered((facts, digest) => `${facts}.${changedAt(digest, digest.length - 1)}`),
    sound: 404,
    broken: 200,
  },
  {
    defect: 'checkout-token-signature-compared-by-its-beginning',
    look: altered((facts, digest) => `${facts}.${changedAt(digest, 8)}`),
    sound: 404,
    broken: 200,
  },
  {
    defect: 'checkout-token-signature-compared-without-case',
    look: altered((facts, digest) => `${facts}.${otherCase(digest)}`),
    sound: 404,
    broken: 200,
  },
  { defect: 'checkout-token-expiry-unsigned', look: altered(prolonged), sound: 404, broken: 200 },
  { defect: 'checkout-token-facts-read-leniently', look: altered(withSpareBits), sound: 404, broken: 200 },
  { defect: 'checkout-never-expires', look: opened('7d1h'), sound: 410, broken: 200 },
  { defect: 'checkout-expires-after-six-days', look: opened('6d23h'), sound: 200, broken: 410 },
  { defect: 'checkout-expires-after-seven-weeks', look: opened('48d'), sound: 410, broken: 200 },
  { defect: 'checkout-expires-with-its-last-day', look: opened('7d1h'), sound: 410, broken: 200 },
  { defect: 'checkout-expires-by-the-machines-clock', look: opened('7d1h'), sound: 410, broken: 200 },
  { defect: 'checkout-form-unchecked', look: sentAltered, sound: [404, 0], broken: [303, 1] },
  { defect: 'checkout-form-outlives-its-page', look: sentTooLate, sound: [410, 0], broken: [303, 1] },
  { defect: 'checkout-sale-is-nobodys', look: press('pay'), sound: [1, 0], broken: [0, 0] },
  { defect: 'checkout-sale-is-the-first-partners', look: soldByTheOther, sound: [0, 1], broken: [1, 0] },
  { defect: 'checkout-takes-money-and-sells-nothing', look: press('pay'), sound: [1, 0], broken: [0, 0] },
  { defect: 'checkout-sale-is-missing-from-the-history', look: press('pay'), sound: [1, 0], broken: [0, 0] },
  { defect: 'checkout-sale-is-everyones', look: press('pay'), sound: [1, 0], broken: [1, 1] },
  { defect: 'checkout-cancel-sells', look: press('cancel'), sound: [0, 0], broken: [1, 0] },
  { defect: 'checkout-of-unlisted-domains', look: unlisted, sound: '404 not_found', broken: '201' },
  {
    defect: 'checkout-of-unlisted-domains-is-validation-error',
    look: unlisted,
    sound: '404 not_found',
    broken: '400 validation_error',
  },
  {
    defect: 'checkout-of-unlisted-domains-is-conflict',
    look: unlisted,
    sound: '404 not_found',
    broken: '409 conflict',
  },
  { defect: 'checkout-of-unlisted-domains-is-empty', look: unlisted, sound: '404 not_found', broken: '200' },
  {
    defect: 'checkout-of-no-json-crashes',
    look: malformed,
    sound: '400 validation_error',
    broken: '500 internal_error',
  },
]

showDefects(probes)
