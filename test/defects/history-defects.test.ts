import type { TestAnswer, TestSandbox } from '../support/sandbox.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any
type Look = Probe['look']

const WORLD = '/v1/worlds/default'
const history = async (sandbox: TestSandbox, query = '?limit=200') =>
  (await sandbox.call({ path: `/events${query}` })).json as { events: Fields[]; next_cursor: string | null }

/** Takes a fresh order through these steps; gives its state, what was told last, and its timeline. */
async function afterSteps(sandbox: TestSandbox, steps: readonly string[]) {
  const { public_id } = (await sandbox.sell()).json
  for (const step of steps) {
    const path = step === 'settle' ? '/settlement-runs' : `/orders/${public_id}/${step}`
    await sandbox.operate('POST', WORLD + path, {})
  }
  const order = (await sandbox.call({ path: `/orders/${public_id}` })).json
  const { events } = await history(sandbox)
  return { order, events, types: events.map((event) => event.type.replace('order.', '')) }
}

/** Its state and what was told of it. */
const taken =
  (...steps: string[]): Look =>
  async (sandbox) => {
    const { order, types } = await afterSteps(sandbox, steps)
    return [order.status, ...types]
  }

const START = ['start-transfer']
const COMPLETE = [...START, 'complete-transfer']
const STARTED = ['TRANSFER_IN_PROGRESS', 'recorded', 'transfer_started']
const COMPLETED = ['TRANSFER_COMPLETED', 'recorded', 'transfer_started', 'transfer_completed']
const SETTLED = ['SETTLED', 'recorded', 'transfer_started', 'transfer_completed', 'settled']
const CLEARED = ['EXTERNALLY_PAID', 'recorded', 'manual_review_cleared']

const lifecycle: Probe[] = [
  {
    defect: 'refund-leaves-the-state',
    look: taken('refund'),
    sound: ['REFUNDED', 'recorded', 'refunded'],
    broken: ['EXTERNALLY_PAID', 'recorded', 'refunded'],
  },
  {
    defect: 'cancellation-leaves-the-state',
    look: taken('cancel'),
    sound: ['CANCELLED', 'recorded', 'refunded'],
    broken: ['EXTERNALLY_PAID', 'recorded', 'refunded'],
  },
  {
    defect: 'events-show-orders-as-they-are-now',
    look: firstTold,
    sound: 'EXTERNALLY_PAID',
    broken: 'TRANSFER_IN_PROGRESS',
  },
  {
    defect: 'order-detail-status-never-changes',
    look: taken(...START),
    sound: STARTED,
    broken: ['EXTERNALLY_PAID', ...STARTED.slice(1)],
  },
  {
    defect: 'history-lacks-refunds',
    look: taken('refund'),
    sound: ['REFUNDED', 'recorded', 'refunded'],
    broken: ['REFUNDED', 'recorded'],
  },
  { defect: 'transfer-start-is-not-told', look: taken(...START), sound: STARTED, broken: STARTED.slice(0, 2) },
  {
    defect: 'transfer-start-leaves-the-state',
    look: taken(...START),
    sound: STARTED,
    broken: ['EXTERNALLY_PAID', ...STARTED.slice(1)],
  },
  {
    defect: 'transfer-start-is-told-as-completed',
    look: taken(...START),
    sound: STARTED,
    broken: [...STARTED.slice(0, 2), 'transfer_completed'],
  },
  {
    defect: 'transfer-completion-is-not-told',
    look: taken(...COMPLETE),
    sound: COMPLETED,
    broken: COMPLETED.slice(0, 3),
  },
  {
    defect: 'transfer-completion-settles',
    look: taken(...COMPLETE),
    sound: COMPLETED,
    broken: ['SETTLED', ...COMPLETED.slice(1)],
  },
  { defect: 'settlement-is-not-told', look: taken(...COMPLETE, 'settle'), sound: SETTLED, broken: SETTLED.slice(0, 4) },
  {
    defect: 'settlement-leaves-the-state',
    look: taken(...COMPLETE, 'settle', 'settle'),
    sound: SETTLED,
    broken: [...COMPLETED, 'settled', 'settled'],
  },
  { defect: 'clearing-is-not-told', look: taken('hold', 'clear'), sound: CLEARED, broken: CLEARED.slice(0, 2) },
  {
    defect: 'clearing-leaves-the-order-held',
    look: taken('hold', 'clear'),
    sound: CLEARED,
    broken: ['MANUAL_REVIEW', ...CLEARED.slice(1)],
  },
  {
    defect: 'clearing-cancels',
    look: taken('hold', 'clear'),
    sound: CLEARED,
    broken: ['CANCELLED', ...CLEARED.slice(1)],
  },
  {
    defect: 'refund-is-not-told',
    look: taken('refund'),
    sound: ['REFUNDED', 'recorded', 'refunded'],
    broken: ['REFUNDED', 'recorded'],
  },
  {
    defect: 'refund-is-told-as-settled',
    look: taken('refund'),
    sound: ['REFUNDED', 'recorded', 'refunded'],
    broken: ['REFUNDED', 'recorded', 'settled'],
  },
  {
    defect: 'cancellation-is-not-told',
    look: taken('cancel'),
    sound: ['CANCELLED', 'recorded', 'refunded'],
    broken: ['CANCELLED', 'recorded'],
  },
  {
    defect: 'events-swap-start-and-completion',
    look: taken(...COMPLETE),
    sound: COMPLETED,
    broken: [...COMPLETED.slice(0, 2), 'transfer_completed', 'transfer_started'],
  },
]

/** The one event of one order. */
const told =
  (look: (event: Fields) => unknown): Look =>
  async (sandbox) => {
    await sandbox.sell()
    const { events } = await history(sandbox)
    return events.length === 1 ? look(events[0]) : events.length
  }

const events: Probe[] = [
  { defect: 'history-without-after-id-is-empty', look: told(() => 'told'), sound: 'told', broken: 0 },
  { defect: 'order-recorded-is-not-told', look: told(() => 'told'), sound: 'told', broken: 0 },
  {
    defect: 'order-recorded-without-currency',
    look: told((event) => event.data.order.currency),
    sound: 'USD',
    broken: undefined,
  },
  {
    defect: 'order-recorded-without-price',
    look: told((event) => typeof event.data.order.sale_price_cents),
    sound: 'number',
    broken: 'undefined',
  },
  {
    defect: 'order-recorded-is-flat',
    look: told((event) => typeof event.data.order),
    sound: 'object',
    broken: 'undefined',
  },
  { defect: 'event-without-id', look: told(({ id }) => typeof id), sound: 'string', broken: 'undefined' },
  { defect: 'event-without-type', look: told(({ type }) => type), sound: 'order.recorded', broken: undefined },
  {
    defect: 'event-without-created-at',
    look: told((event) => typeof event.created_at),
    sound: 'string',
    broken: 'undefined',
  },
  { defect: 'event-without-data', look: told(({ data }) => typeof data), sound: 'object', broken: 'undefined' },
  { defect: 'history-page-starts-with-the-named-event', look: pages, sound: [2, 1], broken: [2, 2] },
  { defect: 'history-ignores-after-id', look: pages, sound: [2, 1], broken: [2, 2] },
  { defect: 'history-skips-one-at-each-page', look: pages, sound: [2, 1], broken: [2, 0] },
  { defect: 'history-shows-events-twice', look: pages, sound: [2, 1], broken: [4, 2] },
  { defect: 'history-ends-after-one-page', look: pages, sound: [2, 1], broken: [2] },
  { defect: 'history-ignores-limit', look: pages, sound: [2, 1], broken: [3] },
  { defect: 'history-shows-everyones-events', look: othersEvents, sound: 0, broken: 1 },
  { defect: 'history-lacks-transfers', look: taken(...START), sound: STARTED, broken: STARTED.slice(0, 2) },
]

const post =
  (body: unknown, headers: Record<string, string> = {}) =>
  (sandbox: TestSandbox) =>
    sandbox.call({ path: '/quotes', body, headers })
const get = (path: string) => (sandbox: TestSandbox) => sandbox.call({ path })
const of =
  (call: (sandbox: TestSandbox) => Promise<TestAnswer>, look: (answer: TestAnswer) => unknown = outcome): Look =>
  async (sandbox) =>
    look(await call(sandbox))

const unlisted = get('/pricing?domain=nowhere.example')
const BROKEN = '500 internal_error'

const errors: Probe[] = [
  {
    defect: 'body-not-utf-8-crashes',
    look: of(post(Buffer.from('{"domain":"\xff"}', 'latin1'))),
    sound: '400 validation_error',
    broken: BROKEN,
  },
  {
    defect: 'path-escape-broken-crashes',
    look: of(get('/domains/%zz')),
    sound: '400 validation_error',
    broken: BROKEN,
  },
  {
    defect: 'order-not-found-has-a-code-of-its-own',
    look: of(get('/orders/ord_0')),
    sound: '404 not_found',
    broken: '404 order_not_found',
  },
  { defect: 'version-segment-not-served', look: of(get('/orders')), sound: '200', broken: '404 not_found' },
  { defect: 'secret-in-every-answer', look: showsSecret({}), sound: false, broken: true },
  { defect: 'secret-in-refused-signatures', look: showsSecret({ secret: 'wrong' }), sound: false, broken: true },
  {
    defect: 'error-without-message',
    look: of(unlisted, ({ json }) => typeof json.message),
    sound: 'string',
    broken: 'undefined',
  },
  { defect: 'error-without-code', look: of(unlisted, ({ json }) => json.code), sound: 'not_found', broken: undefined },
  { defect: 'error-codes-in-upper-case', look: of(unlisted), sound: '404 not_found', broken: '404 NOT_FOUND' },
  {
    defect: 'errors-as-html',
    look: of(unlisted, ({ headers }) => headers['content-type']),
    sound: 'application/json; charset=utf-8',
    broken: 'text/html; charset=utf-8',
  },
  { defect: 'json-broken-crashes', look: of(post('{"domain":')), sound: '400 validation_error', broken: BROKEN },
  { defect: 'json-other-than-object-crashes', look: of(post('[]')), sound: '400 validation_error', broken: BROKEN },
  {
    defect: 'content-type-ignored',
    look: of(post({ domain: 'stalls-9.test' }, { 'content-type': 'text/plain' })),
    sound: '415 validation_error',
    broken: '201',
  },
  {
    defect: 'content-type-wrong-crashes',
    look: of(post({ domain: 'stalls-9.test' }, { 'content-type': 'text/plain' })),
    sound: '415 validation_error',
    broken: BROKEN,
  },
  {
    defect: 'body-too-large-crashes',
    look: of(post({ domain: 'x'.repeat(70_000) })),
    sound: '413 validation_error',
    broken: BROKEN,
  },
  { defect: 'query-escape-broken-crashes', look: brokenEscape, sound: '400 validation_error', broken: BROKEN },
  {
    defect: 'route-unknown-is-html',
    look: of(get('/nowhere'), ({ text }) => text.startsWith('<')),
    sound: false,
    broken: true,
  },
  { defect: 'route-unknown-crashes', look: of(get('/nowhere')), sound: '404 not_found', broken: BROKEN },
]

const limited = async (sandbox: TestSandbox) => {
  await sandbox.call({ path: '/orders' })
  return sandbox.call({ path: '/orders' })
}
const retryAfter: Look = async (sandbox) => (await limited(sandbox)).headers['retry-after']

showDefects([...lifecycle, ...events, ...errors])
showDefects(
  [
    { defect: 'retry-after-missing', look: retryAfter, sound: '60', broken: undefined },
    { defect: 'retry-after-in-milliseconds', look: retryAfter, sound: '60', broken: '60000' },
    { defect: 'retry-after-zero', look: retryAfter, sound: '60', broken: '0' },
    {
      defect: 'retry-after-as-date',
      look: async (sandbox) => /GMT$/.test(String(await retryAfter(sandbox))),
      sound: false,
      broken: true,
    },
    { defect: 'rate-limited-is-503', look: of(limited), sound: '429 rate_limited', broken: '503 rate_limited' },
  ],
  { inventory: 0, rateLimit: { requests: 1, seconds: 60 } },
)

/** How many events each page of three has, two a page. */
async function pages(sandbox: TestSandbox) {
  for (let n = 0; n < 3; n++) await sandbox.sell()
  const first = await history(sandbox, '?limit=2')
  if (first.next_cursor === null) return [first.events.length]
  const second = await history(sandbox, `?limit=2&after_id=${first.next_cursor}`)
  return [first.events.length, second.events.length]
}

async function othersEvents(sandbox: TestSandbox) {
  await sandbox.sell({ as: 'other-partner' })
  return (await history(sandbox)).events.length
}

/** Nothing can be signed over a query that cannot be decoded, so any signature does. */
async function brokenEscape(sandbox: TestSandbox) {
  const answer = await sandbox.call({ path: '/availability?domain=%zz', signs: { target: '/' } })
  return outcome(answer)
}

function showsSecret(signs: { secret?: string }): Look {
  return async (sandbox) => {
    const { text } = await sandbox.call({ path: '/orders', signs })
    return text.includes(sandbox.credentials[0]?.secret as string)
  }
}

/** The state that the first event of an order tells of once its transfer has started. */
async function firstTold(sandbox: TestSandbox) {
  const { events: told } = await afterSteps(sandbox, START)
  return told[0].data.order.status
}
