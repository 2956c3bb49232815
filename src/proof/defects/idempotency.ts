import type { EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { checkScope, checkSignature } from '../../sandbox/app/checks.ts'
import { fingerprintOf, idempotencyKeyOf } from '../../sandbox/app/idempotency.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { type AuthenticatedCall, type Call, headerValues } from '../../sandbox/wire/call.ts'
import type { Answer } from '../../sandbox/wire/route.ts'
import { actingWhere, answeringWhere, codeOf, type Fields, fieldsOf, readable, refusal, without } from './answers.ts'
import { change, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import { recordAgain } from './orders.ts'
import { type AnyInput, handlingBefore, listingRefused } from './routes.ts'
import { mainPartnerOf } from './signature/authentication.ts'
import { signatureCheck } from './signature/signing.ts'

const INVENTORY = ['domains.search', 'domains.detail', 'availability', 'pricing'] as const

/** Fields of an order that a fingerprint may lack. */
const FINGERPRINTED = [
  ...['domain', 'expected_price', 'currency', 'buyer.email', 'buyer.name', 'buyer.country'],
  ...['return_url', 'cancel_url', 'external_payment_ref', 'quote_id'],
]

/** Rows that a world has before the server requires a key: one more than the runner needs to learn a body. */
const ROWS: Partial<Record<EndpointId, { table: string; enough: number }>> = {
  'brokerage.create': { table: 'brokerage_cases', enough: 2 },
  'checkout.create': { table: 'checkout_sessions', enough: 2 },
  'links.create': { table: 'links', enough: 2 },
  'refunds.create': { table: 'refunds', enough: 2 },
  'webhooks.put': { table: 'webhook_endpoints', enough: 1 },
}

/** Mistakes about orders that are sent more than once. */
export const idempotencyDefects: readonly Defect[] = [
  defect('key-optional', ['IDEM-01'], {
    summary: 'An order without an Idempotency-Key is recorded.',
    ...beforeKeys(givingKey),
  }),
  defect('replay-records-again', ['IDEM-02'], {
    summary: 'A repeated order is recorded and emits its event a second time.',
    ...answeringWhere(isReplay, (answer, call) => showingOrder(answer, call, recordAgain(worldOf(call), idIn(answer)))),
  }),
  defect('replay-of-other-partners-is-refused', ['IDEM-02'], {
    summary: 'An order that any but the first partner repeats is refused with 409 conflict.',
    ...answeringWhere(
      (answer, call) => isReplay(answer) && mainPartnerOf(worldOf(call)) !== call.credential?.partnerId,
      () => refusal(409, 'conflict', 'the domain has been sold'),
    ),
  }),
  defect('replay-is-refused-as-conflict', ['IDEM-02', 'IDEM-04', 'IDEM-07'], {
    summary: 'A repeated order is refused with 409 conflict.',
    ...answeringWhere(isReplay, () => refusal(409, 'conflict', 'the Idempotency-Key has been used')),
  }),
  ...FINGERPRINTED.map((field) =>
    defect(`fingerprint-without-${field.replace('.', '-').replaceAll('_', '-')}`, ['IDEM-03'], {
      summary: `Two bodies that differ in ${field} only count as the same.`,
      ...beforeKeys((call) => leavingOut(call, field)),
    }),
  ),
  defect('key-conflict-takes-the-domain', ['IDEM-03'], {
    summary: 'An order that is refused because its key has been used takes its domain off the market.',
    ...afterKeyConflict((world, call) => {
      change(world, 'UPDATE listings SET listed = 0 WHERE domain = ?', readable(call.body)['domain'])
    }),
  }),
  defect('key-conflict-replaces-the-body', ['IDEM-03'], {
    summary: 'The body of an order that is refused because its key has been used replaces the stored one.',
    ...afterKeyConflict((world, call) => {
      const [key] = headerValues(call, HEADERS.idempotencyKey)
      const replacing = 'UPDATE idempotency_keys SET fingerprint = ? WHERE key = ?'
      change(world, replacing, fingerprintOf(call.body, world.gaps), key)
    }),
  }),
  defect('key-conflict-changes-the-reference', ['IDEM-03'], {
    summary: 'An order that is refused because its key has been used leaves its reference with the order of the key.',
    ...afterKeyConflict((world, call) => {
      const { public_id: order } = storedOrder(call) as Fields
      const replacing = 'UPDATE orders SET external_payment_ref = ? WHERE public_id = ?'
      change(world, replacing, readable(call.body)['external_payment_ref'], order)
    }),
  }),
  defect('key-race', ['IDEM-04'], {
    summary: 'A key is looked up first and stored later, so that calls which arrive together all record an order.',
    ...answeringWhere(isRacing, (answer, call) => showingOrder(answer, call, recordAgain(worldOf(call), idIn(answer)))),
  }),
  defect('replay-shows-the-current-state', ['IDEM-05'], {
    summary: 'A repeated order gets the order as it is now.',
    ...answeringWhere(isReplay, (answer, call) => showingOrder(answer, call, orderIn(answer, call))),
  }),
  defect('replay-checks-the-price-again', ['IDEM-05'], {
    summary: 'A repeated order is refused with price_mismatch when the price of its domain has changed since.',
    ...answeringWhere(isReplay, (answer, call) => {
      const { domain, salePriceCents } = orderIn(answer, call)
      const listed = found(worldOf(call), 'SELECT price_cents FROM listings WHERE domain = ?', domain)
      return listed === salePriceCents ? answer : refusal(409, 'price_mismatch', 'the price has changed')
    }),
  }),
  demandsKey('quotes-demand', 'A quote', 'quotes.create'),
  demandsKey('refunds-demand', 'A refund request', 'refunds.create'),
  demandsKey('cases-demand', 'A brokerage case', 'brokerage.create'),
  demandsKey('links-demand', 'A tracking link', 'links.create'),
  demandsKey('checkout-sessions-demand', 'A checkout session', 'checkout.create'),
  demandsKey('registrations-demand', 'A webhook registration', 'webhooks.put'),
  defect('further-writes-demand-a-key', ['IDEM-06'], {
    summary:
      'Once there are some cases, sessions, links, refunds or a registration, further ones are refused without an Idempotency-Key.',
    ...handlingBefore(Object.keys(ROWS) as EndpointId[], (input) => {
      if (hasSome(input)) demandKey(input)
    }),
  }),
  demandsKey('order-reads-demand', 'Reading orders', 'orders.list', 'orders.detail'),
  demandsKey('inventory-demands', 'Reading the inventory', ...INVENTORY),
  demandsKey('history-demands', 'Reading the event history', 'events.list'),
  defect('key-in-any-case', ['IDEM-03'], {
    summary: 'Keys are compared without regard to letter case.',
    ...keyTakenAs((key) => key.toLowerCase()),
  }),
  defect('key-is-cut-short', ['IDEM-03'], {
    summary: 'Of a key the first 32 characters count.',
    ...keyTakenAs((key) => key.slice(0, 32)),
  }),
  defect('key-shared-by-all-partners', ['IDEM-10'], {
    summary: 'The key of one partner brings back its order to another.',
    ...beforeKeys(sharingKeys),
  }),
  defect('key-shared-by-all-partners-and-bodies', ['IDEM-10', 'IDEM-03'], {
    summary: 'A key brings back its order for any partner and any body.',
    ...beforeKeys((call) => {
      sharingKeys(call)
      takingAnyBody(call)
    }),
  }),
  defect('repeated-order-answered-before-its-signature-is-read', ['IDEM-07'], {
    summary: 'The stored answer of an order goes to any call with its key, whatever its signature is.',
    ...signatureCheck((call) => {
      if (storedOrder(call) === null) checkSignature(call)
    }),
  }),
  defect('conflicts-are-transactions', ['IDEM-03'], {
    summary: 'An order that is refused for its key is among the transactions.',
    ...listingRefused('orders.create', 'conflict', 'transactions.list', refusedSale),
  }),
  defect('conflicts-are-listed', ['IDEM-03'], {
    summary: 'An order that is refused for its key is in the list of orders.',
    ...listingRefused('orders.create', 'conflict', 'orders.list', refusedSale),
  }),
]

/** Gives a call without a key one of its own. */
function givingKey(call: AuthenticatedCall): void {
  if (headerValues(call, HEADERS.idempotencyKey).length > 0) return
  Object.assign(call, { rawHeaders: [...call.rawHeaders, HEADERS.idempotencyKey, call.id] })
}

/** A server that does something before it looks a key up. */
function beforeKeys(act: (call: AuthenticatedCall) => void): Tampered {
  return {
    hooks: {
      checks: {
        scope(call) {
          checkScope(call)
          act(call)
        },
      },
    },
  }
}

/** A server that changes something although it refuses a key that comes with another body. */
function afterKeyConflict(act: (world: World, call: Call) => void): Tampered {
  return actingWhere(isKeyConflict, (call) => {
    const world = worldOf(call)
    world.commits.commitNow(() => act(world, call))
  })
}

/** Makes the body of this call the stored one of every key. */
function takingAnyBody({ world, body }: AuthenticatedCall): void {
  change(world, 'UPDATE idempotency_keys SET fingerprint = ?', fingerprintOf(body, world.gaps))
}

/** What each key came with first, in a world whose fingerprints lack a field. */
const firstBodies = perWorld(() => new Map<string, string>())

/** Takes a body that differs from the first one of its key in nothing but a field for the same. */
function leavingOut(call: AuthenticatedCall, field: string): void {
  const [name = '', inner] = field.split('.')
  const { [name]: left, ...rest } = readable(call.body)
  const pared = JSON.stringify([rest, inner === undefined ? null : without((left ?? {}) as Fields, inner)])
  const [key = ''] = headerValues(call, HEADERS.idempotencyKey)
  const known = firstBodies(call.world)
  if (known.get(key) === pared) takingAnyBody(call)
  if (!known.has(key)) known.set(key, pared)
}

/** Makes the key of this call the caller's, even if another partner has stored it. */
function sharingKeys(call: AuthenticatedCall): void {
  const [key] = headerValues(call, HEADERS.idempotencyKey)
  change(call.world, 'UPDATE idempotency_keys SET partner_id = ? WHERE key = ?', call.credential.partnerId, key)
}

/** A server that looks a key up in another form than it came in. */
function keyTakenAs(form: (key: string) => string): Tampered {
  return signatureCheck((call) => {
    checkSignature(call)
    const isKey = (at: number) => call.rawHeaders[at]?.toLowerCase() === HEADERS.idempotencyKey.toLowerCase()
    const rawHeaders = call.rawHeaders.map((text, at) => (at % 2 === 1 && isKey(at - 1) ? form(text) : text))
    Object.assign(call, { rawHeaders })
  })
}

/** A server that demands a key of calls that need none. */
function demandsKey(whatDemands: string, words: string, ...ids: readonly EndpointId[]): Defect {
  return defect(`${whatDemands}-a-key`, ['IDEM-06'], {
    summary: `${words} without an Idempotency-Key is refused.`,
    ...handlingBefore(ids, demandKey),
  })
}

function demandKey({ call, world }: AnyInput): void {
  idempotencyKeyOf(call, world.gaps)
}

function hasSome({ call, world }: AnyInput): boolean {
  const rows = call.endpoint === null ? undefined : ROWS[call.endpoint]
  return rows !== undefined && Number(found(world, `SELECT count(*) FROM ${rows.table}`)) >= rows.enough
}

function isReplay(answer: Answer): boolean {
  return answer.headers[HEADERS.idempotentReplayed] !== undefined
}

/** How long such a server takes to store a key; calls that arrive together are judged well within it. */
const STORING_MS = 200

/** Whether a repeated order came before the key of the first was stored. */
function isRacing(answer: Answer, call: Call): boolean {
  return isReplay(answer) && worldOf(call).clock.nowMs() - orderIn(answer, call).createdAtMs < STORING_MS
}

function isKeyConflict(answer: Answer, call: Call): boolean {
  return codeOf(answer) === 'conflict' && storedOrder(call) !== null
}

/** The order that is stored under the call's key so far. */
function storedOrder(call: Call): Fields | null {
  const [key] = headerValues(call, HEADERS.idempotencyKey)
  if (key === undefined) return null
  const body = found(worldOf(call), 'SELECT body FROM idempotency_keys WHERE key = ?', key)
  return body === undefined ? null : (JSON.parse(String(body)) as Fields)
}

function worldOf(call: Call): World {
  return call.world as World
}

function idIn(answer: Answer): string {
  return String(fieldsOf(answer)['public_id'])
}

function orderIn(answer: Answer, call: Call): Order {
  return findOrder(worldOf(call), idIn(answer)) as Order
}

function showingOrder(answer: Answer, call: Call, order: Order): Answer {
  return { ...answer, body: JSON.stringify(presentOrder(worldOf(call), order)) }
}

/** A refused order, as a list has it. */
function refusedSale(_: Fields, { clock }: World): Fields {
  return {
    ...{ transaction_id: 'txn_refused', public_id: 'ord_refused', status: 'EXTERNALLY_PAID', sale_price_cents: 0 },
    ...{ commission_cents: 0, currency: 'USD', payment_model: 'partner_collected' },
    created_at: new Date(clock.nowMs()).toISOString(),
  }
}
