import { describe, expect, it, vi } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { discover } from '../../../src/conformance/discover/discover.ts'
import type { CheckResult } from '../../../src/conformance/result/result.ts'
import { registry } from '../../support/referee.ts'
import { checksOf, type Speech, startStranger } from '../../support/renamed-wire.ts'
import { sampleOf } from '../../support/size.ts'

// Each starts a sandbox and runs scenarios of this package against it.
vi.setConfig({ testTimeout: 60_000 })

const MONEY = sampleOf(
  ['orders/recorded', 'reports/transaction-totals', 'inventory/reads-agree', 'reports/attributed-sales'],
  2,
)

/** Amounts in whole dollars, but for what the document counts in cents. */
const inDollars: Speech = (path, json) => (path.endsWith('/events') ? json : dollars(json, path.includes('/orders')))

function dollars(value: unknown, keeps: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => dollars(item, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key.endsWith('_cents') && !(keeps && key === 'sale_price_cents')
        ? [key.replace('_cents', ''), typeof inner === 'number' ? inner / 100 : inner]
        : [key, dollars(inner, keeps)],
    ),
  )
}

function withTotals(change: (totals: Record<string, number>) => unknown): Speech {
  return (path, json) =>
    path.endsWith('/transactions')
      ? { ...(json as object), totals: change((json as { totals: Record<string, number> }).totals) }
      : json
}

const notPassed = (checks: readonly CheckResult[]) =>
  checks
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')
    .map(({ step, requirement, note }) => [step, requirement, note])

const failed = (checks: readonly CheckResult[]) =>
  checks.filter(({ verdict }) => verdict === 'fail').map(({ requirement }) => requirement)

const TOTALS = { 'transactions.gmv': { at: '/totals/gmv_cents', unit: 'cents' } }

describe('a target that counts in whole dollars', () => {
  it.each([
    ['is understood without being told', 'cents', {}],
    ['is understood where its orders take dollars too', 'units', {}],
    ['is understood where one role says so', 'cents', { 'transactions.gmv': { at: '/totals/gmv', unit: 'units' } }],
    ['is understood where roles are told without a unit', 'cents', { 'transactions.gmv': '/totals/gmv' }],
  ] as const)('%s', async (_, unit, roles) => {
    const stranger = await startStranger(inDollars, { 'expected-price-unit': unit })
    expect(notPassed(await checksOf(stranger.target({ roles }), MONEY))).toEqual([])
  })

  it('is written down in one unit, and judged by that file', async () => {
    const stranger = await startStranger(inDollars)
    await checksOf(stranger.target(), ['orders/recorded'])
    const target = stranger.target()
    const { findings } = await discover({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0.0.0' })
    const roles = Object.fromEntries(
      findings.flatMap(({ path: [, section, key = ''], state, value, optional }) =>
        section === 'roles' && state === 'found' && !optional ? [[key, value]] : [],
      ),
    )
    expect(Object.values(roles).filter((role) => JSON.stringify(role).includes('cents'))).toEqual([])
    expect(roles['pricing:listing.price']).toMatchObject({ unit: 'units' })
    expect(roles['transaction.amount']).toMatchObject({ unit: 'units' })
    expect(notPassed(await checksOf(stranger.target({ roles }), MONEY))).toEqual([])
  })
})

describe('a factor of 100', () => {
  const rowsInDollars: Speech = (path, json) =>
    path.endsWith('/transactions')
      ? JSON.parse(
          JSON.stringify(json).replaceAll(
            /"sale_price_cents":(\d+)/g,
            (_, cents) => `"price":${Math.round(cents / 100)}`,
          ),
        )
      : json

  it('between places of which nobody said the unit is a question that names the place', async () => {
    const stranger = await startStranger(rowsInDollars)
    const checks = await checksOf(stranger.target(), ['reports/transaction-totals'])
    expect(failed(checks)).toEqual([])
    const asked = checks.find(({ reason }) => reason === 'needs-dialect')
    expect(asked?.note).toContain('is transactions.list:transaction.amount in whole units, such as dollars?')
  })

  it('is a violation where the target file has said the units', async () => {
    const stranger = await startStranger(
      withTotals((totals) => ({ ...totals, gmv_cents: (totals.gmv_cents ?? 0) * 100 })),
    )
    const roles = { ...TOTALS, 'transaction.amount': { at: '/sale_price_cents', unit: 'cents' } }
    expect(failed(await checksOf(stranger.target({ roles }), ['reports/transaction-totals']))).toContain('TXN-01')
  })
})

describe('a place that the runner found by itself', () => {
  const wrong = withTotals((totals) => ({ ...totals, gmv_cents: (totals.gmv_cents ?? 0) + 1 }))

  it('carries no failure alone', async () => {
    const stranger = await startStranger(wrong)
    const checks = await checksOf(stranger.target(), ['reports/transaction-totals'])
    expect(failed(checks)).toEqual([])
    const asked = checks.find(({ reason }) => reason === 'needs-dialect')
    expect(asked?.note).toContain('transactions.list:transactions.gmv at /totals/gmv_cents')
  })

  it('carries one once the target file names it', async () => {
    const stranger = await startStranger(wrong)
    const roles = { ...TOTALS, 'transaction.amount': { at: '/sale_price_cents', unit: 'cents' } }
    expect(failed(await checksOf(stranger.target({ roles }), ['reports/transaction-totals']))).toContain('TXN-01')
  })
})

describe('what the target file places somewhere and is not there', () => {
  it('is a failure of the step that reckons with it', async () => {
    const stranger = await startStranger(withTotals(() => ({})))
    const checks = await checksOf(stranger.target({ roles: TOTALS }), ['reports/transaction-totals'])
    const [all] = checks.filter(({ verdict }) => verdict === 'fail')
    expect(all).toMatchObject({ step: 'all', requirement: 'TXN-01', actual: 'no transactions.gmv' })
  })

  it('is a failure of the step that cannot be made without it', async () => {
    const stranger = await startStranger((path, json) => {
      if (!path.endsWith('/links')) return json
      const { url: _, ...rest } = json as Record<string, unknown>
      return rest
    })
    const target = stranger.target({ roles: { 'link.url': '/url' } })
    const checks = await checksOf(target, ['referral/click-is-counted'])
    expect(failed(checks)).not.toEqual([])
    expect(checks.map(({ verdict }) => verdict)).not.toContain('harness_error')
  })
})
