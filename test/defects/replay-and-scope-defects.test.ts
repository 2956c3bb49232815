import { randomUUID } from 'node:crypto'
import type { TestCall, TestSandbox } from '../support/sandbox.ts'
import { burst, outcome, type Probe, showDefects } from './probe.ts'

const READ = '/availability?domain=stalls-1.test'
const WRONG_TIME = '401 invalid_timestamp'
const REPLAY = '401 replay_detected'
const now = () => Math.floor(Date.now() / 1_000)

const stamped = (timestamp: () => string) => async (sandbox: TestSandbox) =>
  outcome(await sandbox.call({ path: READ, timestamp: timestamp() }))
const shifted = (seconds: number) => stamped(() => String(now() + seconds))

const timestamps: Probe[] = [
  { defect: 'window-past-30-seconds', look: shifted(-280), sound: '200', broken: WRONG_TIME },
  { defect: 'window-future-30-seconds', look: shifted(280), sound: '200', broken: WRONG_TIME },
  { defect: 'window-past-600-seconds', look: shifted(-330), sound: WRONG_TIME, broken: '200' },
  { defect: 'window-future-600-seconds', look: shifted(330), sound: WRONG_TIME, broken: '200' },
  { defect: 'window-past-unlimited', look: shifted(-100_000), sound: WRONG_TIME, broken: '200' },
  { defect: 'window-future-unlimited', look: shifted(100_000), sound: WRONG_TIME, broken: '200' },
  { defect: 'timestamp-in-milliseconds-passes', look: stamped(() => `${now()}000`), sound: WRONG_TIME, broken: '200' },
  { defect: 'timestamp-any-number-passes', look: stamped(() => `${now()}.5`), sound: WRONG_TIME, broken: '200' },
  { defect: 'timestamp-leading-digits-read', look: stamped(() => `${now()}Z`), sound: WRONG_TIME, broken: '200' },
  {
    defect: 'timestamp-iso-date-passes',
    look: stamped(() => new Date(now() * 1_000).toISOString()),
    sound: WRONG_TIME,
    broken: '200',
  },
  {
    defect: 'timestamp-malformed-crashes',
    look: stamped(() => 'soon'),
    sound: WRONG_TIME,
    broken: '500 internal_error',
  },
  {
    defect: 'timestamp-refused-as-validation-error',
    look: shifted(-900),
    sound: WRONG_TIME,
    broken: '400 validation_error',
  },
]

/** Two calls, one after the other. */
const pair = (first: TestCall, second: TestCall) => async (sandbox: TestSandbox) => [
  outcome(await sandbox.call(first)),
  outcome(await sandbox.call(second)),
]
const sameNonce = (second: Partial<TestCall>, first: Partial<TestCall> = {}) =>
  pair({ path: READ, nonce: 'one', ...first }, { path: READ, nonce: 'one', ...second })

const replays: Probe[] = [
  { defect: 'nonce-never-tracked', look: sameNonce({}), sound: ['200', REPLAY], broken: ['200', '200'] },
  { defect: 'nonce-within-path', look: sameNonce({ path: '/orders' }), sound: ['200', REPLAY], broken: ['200', '200'] },
  {
    defect: 'nonce-within-verb',
    look: sameNonce({ path: '/quotes', body: { domain: 'stalls-1.test' } }),
    sound: ['200', REPLAY],
    broken: ['200', '201'],
  },
  {
    defect: 'nonce-within-second',
    look: (sandbox) => sameNonce({ timestamp: String(now() - 60) })(sandbox),
    sound: ['200', REPLAY],
    broken: ['200', '200'],
  },
  { defect: 'nonce-refused-as-conflict', look: sameNonce({}), sound: ['200', REPLAY], broken: ['200', '401 conflict'] },
  {
    defect: 'retry-in-the-same-second-refused',
    look(sandbox) {
      const timestamp = String(now())
      return pair({ path: READ, timestamp }, { path: READ, timestamp })(sandbox)
    },
    sound: ['200', '200'],
    broken: ['200', REPLAY],
  },
  {
    defect: 'nonce-race',
    async look(sandbox) {
      const answers = await burst(sandbox, 8, { method: 'GET', path: READ, nonce: 'one' })
      const afterwards = outcome(await sandbox.call({ path: READ, nonce: 'one' }))
      return [answers.filter(({ status }) => status === 200).length > 1, afterwards]
    },
    sound: [false, REPLAY],
    broken: [true, REPLAY],
  },
  {
    defect: 'nonce-compared-without-case',
    look: sameNonce({ nonce: 'NONCE' }, { nonce: 'nonce' }),
    sound: ['200', '200'],
    broken: ['200', REPLAY],
  },
  {
    defect: 'nonce-compared-without-its-end',
    look: sameNonce({ nonce: 'nonce-2' }, { nonce: 'nonce-1' }),
    sound: ['200', '200'],
    broken: ['200', REPLAY],
  },
  {
    defect: 'nonce-must-be-uuid',
    look: sameNonce({ nonce: randomUUID() }),
    sound: ['200', '200'],
    broken: [REPLAY, '200'],
  },
  {
    defect: 'nonce-not-checked-on-retries',
    look: sameNonce({ path: '/orders', body: {}, key: 'a' }),
    sound: ['200', REPLAY],
    broken: ['200', '400 validation_error'],
  },
]

const as = (name: string, call: TestCall) => async (sandbox: TestSandbox) =>
  outcome(await sandbox.call({ as: name, ...call }))
const FORBIDDEN = '403 forbidden'
const DETAIL = '/orders/ord_0000000000000000'

const scopes: Probe[] = [
  {
    defect: 'scope-of-domains-search-is-buy',
    look: as('only-search', { path: '/domains/search?q=a' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-domains-detail-is-buy',
    look: as('only-search', { path: '/domains/stalls-1.test' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-pricing-is-buy',
    look: as('only-search', { path: '/pricing?domain=stalls-1.test' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-orders-create-is-report',
    look: as('only-buy', { path: '/orders', body: {}, key: 'a' }),
    sound: '400 validation_error',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-domains-search-ignored',
    look: as('no-scope', { path: '/domains/search?q=a' }),
    sound: FORBIDDEN,
    broken: '200',
  },
  {
    defect: 'scope-of-domains-detail-ignored',
    look: as('only-buy', { path: '/domains/stalls-1.test' }),
    sound: FORBIDDEN,
    broken: '200',
  },
  { defect: 'scope-of-availability-ignored', look: as('only-buy', { path: READ }), sound: FORBIDDEN, broken: '200' },
  {
    defect: 'scope-of-pricing-ignored',
    look: as('only-report', { path: '/pricing?domain=stalls-1.test' }),
    sound: FORBIDDEN,
    broken: '200',
  },
  {
    defect: 'scope-of-quotes-create-ignored',
    look: as('only-search', { path: '/quotes', body: { domain: 'stalls-1.test' } }),
    sound: FORBIDDEN,
    broken: '201',
  },
  {
    defect: 'scope-of-orders-create-ignored',
    look: as('only-search', { path: '/orders', body: {}, key: 'a' }),
    sound: FORBIDDEN,
    broken: '400 validation_error',
  },
  {
    defect: 'scope-of-events-list-ignored',
    look: as('only-buy', { path: '/events' }),
    sound: FORBIDDEN,
    broken: '200',
  },
  {
    defect: 'scope-of-orders-list-ignored',
    look: as('only-report', { path: '/orders' }),
    sound: FORBIDDEN,
    broken: '200',
  },
  {
    defect: 'scope-of-orders-detail-ignored',
    look: as('only-report', { path: DETAIL }),
    sound: FORBIDDEN,
    broken: '404 not_found',
  },
  {
    defect: 'scope-of-orders-list-is-buy',
    look: as('only-search', { path: '/orders' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-orders-list-is-search',
    look: as('only-buy', { path: '/orders' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-orders-detail-is-buy',
    look: as('only-search', { path: DETAIL }),
    sound: '404 not_found',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-orders-detail-is-search',
    look: as('only-buy', { path: DETAIL }),
    sound: '404 not_found',
    broken: FORBIDDEN,
  },
  { defect: 'scope-of-availability-is-buy', look: as('only-search', { path: READ }), sound: '200', broken: FORBIDDEN },
  {
    defect: 'scope-of-quotes-create-is-search',
    look: as('only-buy', { path: '/quotes', body: { domain: 'stalls-1.test' } }),
    sound: '201',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-events-list-is-report',
    look: as('only-webhook', { path: '/events' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-domains-search-is-buy',
    look: as('only-search', { path: '/domains/search?q=a' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-domains-detail-is-buy',
    look: as('only-search', { path: '/domains/stalls-1.test' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-pricing-is-buy',
    look: as('only-search', { path: '/pricing?domain=stalls-1.test' }),
    sound: '200',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-of-orders-create-is-report',
    look: as('only-buy', { path: '/orders', body: {}, key: 'a' }),
    sound: '400 validation_error',
    broken: FORBIDDEN,
  },
  {
    defect: 'scope-lacking-is-401',
    look: as('no-scope', { path: '/orders' }),
    sound: FORBIDDEN,
    broken: '401 forbidden',
  },
  {
    defect: 'scope-lacking-is-not-found',
    look: as('no-scope', { path: '/orders' }),
    sound: FORBIDDEN,
    broken: '404 not_found',
  },
]

showDefects([...timestamps, ...replays, ...scopes])
