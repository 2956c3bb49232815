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
  { as = 'main', ...body }: { as?: string; link_id?: string } = {},
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
