import { randomUUID } from 'node:crypto'
import { createSession } from './checkout.ts'
import type { TestAnswer, TestSandbox } from './sandbox.ts'

const WORLD = '/v1/worlds/default'

/** An operator's step of an order, which must succeed. */
export async function step(sandbox: TestSandbox, publicId: string, ...names: string[]): Promise<TestAnswer> {
  let answer: TestAnswer | null = null
  for (const name of names) {
    answer = await sandbox.operate('POST', `${WORLD}/orders/${publicId}/${name}`, {})
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`)
  }
  return answer as TestAnswer
}

export const deliver = (sandbox: TestSandbox, publicId: string) =>
  step(sandbox, publicId, 'start-transfer', 'complete-transfer')

/** A hosted sale, paid on the operator's side; its public id. */
export async function sellHosted(
  sandbox: TestSandbox,
  { as = 'main', ...body }: { as?: string; link_id?: string; domain?: string } = {},
): Promise<{ public_id: string; price_cents: number; domain: string }> {
  const { json: session, text } = await createSession(sandbox, body, { as })
  const paid = await sandbox.operate('POST', `${WORLD}/checkout-sessions/${session.session_id}/pay`, {})
  if (paid.status !== 200) throw new Error(`no hosted sale: ${text} ${paid.text}`)
  return { public_id: paid.json.public_id, price_cents: session.price_cents, domain: session.domain }
}

/** A brokerage case that closed with a deal; its case id. */
export async function closeDeal(sandbox: TestSandbox, priceCents: number): Promise<string> {
  const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000 }
  const { json } = await sandbox.call({ path: '/brokerage', body })
  const closed = await sandbox.operate('POST', `${WORLD}/brokerage/${json.case_id}/close-deal`, {
    price_cents: priceCents,
  })
  if (closed.status !== 200) throw new Error(`no deal: ${closed.status} ${closed.text}`)
  return json.case_id
}

export const settle = (sandbox: TestSandbox) => sandbox.operate('POST', `${WORLD}/settlement-runs`, {})

export const payOut = (sandbox: TestSandbox) => sandbox.operate('POST', `${WORLD}/payout-runs`, {})

export const audited = async (sandbox: TestSandbox) => (await sandbox.operate('GET', `${WORLD}/audit`)).json

export const advance = (sandbox: TestSandbox, by: string) => sandbox.operate('POST', `${WORLD}/clock/advance`, { by })

export type Listing = Awaited<ReturnType<TestSandbox['forSale']>>[number]

export const oneForSale = async (sandbox: TestSandbox) => (await sandbox.forSale(1))[0] as Listing

export const quote = (sandbox: TestSandbox, domain: string, as = 'main') =>
  sandbox.call({ path: '/quotes', body: { domain }, as })

/** A valid order for a domain, as far as nothing else is said. */
export function buy(
  sandbox: TestSandbox,
  { domain, price_cents }: Pick<Listing, 'domain' | 'price_cents'>,
  { as = 'main', key = randomUUID(), ...fields }: Record<string, unknown> & { as?: string; key?: string } = {},
): Promise<TestAnswer> {
  const buyer = { email: 'buyer@example.test' }
  const body = { domain, expected_price: price_cents, currency: 'USD', buyer, ...fields }
  return sandbox.call({ path: '/orders', body, key, as })
}

/** The rows of a list, page by page with two on each; `between` happens after every page. */
export async function walk(
  sandbox: TestSandbox,
  path: string,
  rows: string,
  between: () => Promise<unknown> = async () => undefined,
  // biome-ignore lint/suspicious/noExplicitAny: rows are judged member by member
): Promise<any[]> {
  const seen: unknown[] = []
  let cursor = ''
  do {
    const { json } = await sandbox.call({ path: `${path}?limit=2${cursor}` })
    seen.push(...json[rows])
    await between()
    cursor = json.next_cursor ? `&cursor=${json.next_cursor}` : ''
  } while (cursor)
  return seen
}
