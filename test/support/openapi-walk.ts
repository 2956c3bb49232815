import { randomUUID } from 'node:crypto'
import { DEFAULT_GAPS } from '../../src/contract/choices.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts'
import { refusalsOf } from '../../src/sandbox/openapi/refusals.ts'
import { closeDeal, deliver, payOut, sellHosted, settle } from './sales.ts'
import type { TestCall, TestSandbox } from './sandbox.ts'

/** What calls are about. */
interface Subjects {
  domain: string
  expected_price: number
  public_id: string
  case_id: string
  url: string
}

const ASKED_OF_A_DOMAIN: readonly EndpointId[] = ['availability', 'pricing', 'brokerage.eligibility']

/** A call of the endpoint that fits the document: its example, about these subjects. */
export function callOf(id: EndpointId, subjects: Subjects) {
  const {
    method,
    path,
    example: { body: exampleBody },
  }: Endpoint = ENDPOINTS[id]
  const { domain, public_id, case_id } = subjects
  const filled = path.replace('{name}', domain).replace('{public_id}', public_id).replace('{case_id}', case_id)
  const query = id === 'domains.search' ? '?q=solar' : ASKED_OF_A_DOMAIN.includes(id) ? `?domain=${domain}` : ''
  const example = exampleBody as object | undefined
  const about = Object.entries(subjects).filter(([name]) => example && name in example)
  const body = example && { body: { ...example, ...Object.fromEntries(about) } }
  return { method, path: filled + query, key: randomUUID(), ...body }
}

/** A world in which every list has a row: what can be bought, what has been sold, and what nobody knows. */
export async function livedIn(sandbox: TestSandbox) {
  const [one, other] = (await sandbox.forSale(2)) as [Listing, Listing]
  const { json: order } = await sandbox.sell()
  const { json: delivered } = await sandbox.sell()
  await deliver(sandbox, delivered.public_id)
  const brokered = { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000, domain: delivered.domain }
  await sandbox.call({ path: '/brokerage', body: brokered })
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'domain', domain: one.domain } })
  await sellHosted(sandbox, { link_id: link.link_id })
  const case_id = await closeDeal(sandbox, 400_000)
  await settle(sandbox)
  await payOut(sandbox)
  // Nobody listens there.
  const rest = { public_id: order.public_id, case_id, url: 'http://127.0.0.1:9/hooks' }
  const fresh = { ...rest, domain: one.domain, expected_price: one.price_cents }
  return {
    fresh,
    toSell: { ...rest, domain: other.domain, expected_price: other.price_cents },
    sold: { ...fresh, domain: delivered.domain, public_id: delivered.public_id },
    dearer: { ...fresh, expected_price: one.price_cents + 1 },
    unknown: { ...fresh, domain: 'nobody-lists-this.test', public_id: 'ord_0', case_id: 'brk_0' },
  }
}

type Listing = Awaited<ReturnType<TestSandbox['forSale']>>[number]

/** A call that must be answered with this status; `misfit` where the document itself has something against the call. */
export interface Step extends TestCall {
  status: number
  misfit?: true
}

/** What is refused of its own accord; faults bring the rest of what is documented. */
export function refusedSteps(id: EndpointId, about: Awaited<ReturnType<typeof livedIn>>): Step[] {
  const call = callOf(id, about.fresh)
  const unsigned: Step[] = [
    { ...call, status: 401, signs: { secret: 'another' } },
    { ...call, status: 403, as: 'no-scope' },
  ]
  const misfits: Step[] = [
    { ...call, status: 400, misfit: true, body: {} },
    { ...call, status: 413, misfit: true, body: { text: 'x'.repeat(65 * 1024) } },
    { ...call, status: 415, misfit: true, headers: { 'content-type': 'text/plain' } },
  ]
  const told: Step[] = [
    { ...callOf(id, about.unknown), status: 404 },
    { ...callOf(id, about.sold), status: 409 },
    { ...callOf(id, about.dearer), status: 422 },
  ]
  const documented = refusalsOf(id, DEFAULT_GAPS)
  return [...unsigned, ...(call.body ? misfits : []), ...told].filter(({ status }) => documented.has(status))
}
