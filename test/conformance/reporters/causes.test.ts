import { expect, it } from 'vitest'
import { reportModelOf } from '../../../src/conformance/reports/report-model.ts'
import { type Made, runOf } from './failing-run.ts'
import { REPORTERS } from './rendering.ts'
import { INVOCATION } from './sample-run.ts'

const options = { color: false, invocation: INVOCATION }

const stepsOf = (run: ReturnType<typeof runOf>) =>
  reportModelOf(run).failed.map(({ id, causes }) => [
    id,
    causes.map(({ checks }) => checks.map(({ check }) => check.step)),
  ])

const filtered = (query: string, actual: string): Made => ({
  expected: 'none of orders.items: order.public_id is ord_01m8p9pcfc5s',
  actual,
  call: { target: `/api/partner/v1/orders?${query}` },
})

it('failures are one where what was asked of a list and what came agree in kind, whatever page it was', () => {
  const actual = 'number 10 of 30 orders.items should not be there'
  const run = runOf({
    'orders/pairs': [
      filtered('status=EXTERNALLY_PAID&domain=a.test', actual),
      filtered('status=TRANSFER_COMPLETED&domain=a.test', 'number 2 of 2 orders.items should not be there'),
      filtered('status=EXTERNALLY_PAID&domain=a.test&cursor=c2', actual),
    ],
  })
  expect(stepsOf(run)).toEqual([['NONCE-01', [['step_0', 'step_2'], ['step_1']]]])
})

it('failures of one call with one note are one, in whatever words two steps expect it', () => {
  const failed = (expected: string, size: number, note = 'asked for: case.id is case_1'): Made => ({
    ...{ expected, note, actual: `none of ${size} cases.items fits` },
  })
  const run = runOf({
    'brokerage/list': [
      failed('the list still has it', 7),
      failed('the list has it, too', 8),
      failed('', 8, 'the list is empty'),
    ],
  })
  expect(stepsOf(run)).toEqual([['NONCE-01', [['step_0', 'step_1'], ['step_2']]]])
})

it('failures with a note are one also where their calls differ', () => {
  const failed = (id: string): Made => ({
    ...{ expected: 'sold', actual: 'order.status is ON_HOLD', note: `asked for: order.public_id is ${id}` },
    call: { target: `/api/partner/v1/orders/${id}` },
  })
  expect(stepsOf(runOf({ 'orders/one': [failed('ord_01m8p1'), failed('ord_01m8p2')] }))).toEqual([
    ['NONCE-01', [['step_0', 'step_1']]],
  ])
})

it('the failure that explains most comes first: the one with most checks, then that of the scenario about the fewest things', () => {
  const failed = (actual: string): Made => ({ expected: 'accepted', actual })
  const run = runOf({
    'lifecycle/long': [failed('403 forbidden'), { requirement: 'TIME-01', verdict: 'pass' }],
    'orders/near': [failed('404 not_found')],
    'orders/often': [failed('409 conflict'), failed('409 conflict'), { requirement: 'TIME-01', verdict: 'pass' }],
  })
  const [failure] = reportModelOf(run).failed
  expect(failure?.causes.map(({ first }) => first.scenario.id)).toEqual([
    'orders/often',
    'orders/near',
    'lifecycle/long',
  ])
})

it('requirements that failed come in the order of the registry', () => {
  const run = runOf({ 'orders/one': [{ requirement: 'AUTH-13' }, { requirement: 'X-1' }, { requirement: 'NONCE-01' }] })
  expect(reportModelOf(run).failed.map(({ id }) => id)).toEqual(['NONCE-01', 'AUTH-13', 'X-1'])
})

const order = (domain: string, status: number) => ({
  method: 'POST',
  target: '/api/partner/v1/orders',
  requestBody: `{"domain":"${domain}"}`,
  status,
})
const priced = { expected: 'refused: 422 price_mismatch' }
const sold = { ...priced, actual: '409 not_available: The domain has been sold.' }
const ODD_PRICES = {
  'orders/odd-prices': [
    { ...priced, actual: '409 before', call: order('a.test', 409) },
    { ...priced, actual: 'accepted with 202', call: order('a.test', 202) },
    { ...sold, call: order('a.test', 409) },
    { ...priced, actual: '409 of another domain', call: order('b.test', 409) },
    { ...sold, expected: 'what was refused holds nothing', call: order('a.test', 409) },
    { verdict: 'inconclusive' as const, actual: 'not judged', exchange: null },
  ],
}

it('refusals after a write that had to be refused and was accepted are shown under that one, where they are about its domain', () => {
  const run = runOf(ODD_PRICES)
  expect(stepsOf(run)).toEqual([['NONCE-01', [['step_1'], ['step_0'], ['step_3']]]])
  const follows =
    '2 more and 1 inconclusive may only follow, as the domain was taken here: orders/odd-prices > step_2, step_4 (409 not_available: The domain has been sold.)'
  expect(REPORTERS.pretty.render(run, options)).toContain(`  follows       ${follows}\n`)
  expect(REPORTERS.pretty.render(run, options)).toMatch(/NONCE-01 +5 checks/)
  expect(REPORTERS.markdown.render(run, options)).toContain(`- follows: \`${follows}\``)
  expect(REPORTERS.html.render(run, options)).toContain('<dt>Follows</dt><dd>2 more and 1 inconclusive may only follow')
  expect(REPORTERS.github.render(run, options)).toContain('%0Afollows: 2 more and 1 inconclusive')
})

it('each check has a card of its own in the verbose report, also one that only follows', () => {
  const text = REPORTERS.pretty.render(runOf(ODD_PRICES), { ...options, verbose: true })
  expect(text.match(/^ {2}1 check /gm)).toHaveLength(5)
})

it('a scenario that was tried with several domains says so, and why', () => {
  const tried =
    /^ {2}tried +3 times, each with other domains, as another caller may have caused what came before; this is/m
  const run = (id: string) => runOf({ 'orders/one': [{ exchange: id, call: { id } }] })
  expect(REPORTERS.pretty.render(run('s9x3e2'), options)).toMatch(tried)
  expect(REPORTERS.pretty.render(run('s9e2'), options)).not.toContain('tried')
})
