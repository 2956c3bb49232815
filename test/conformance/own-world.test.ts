import { describe, expect, it } from 'vitest'
import { withAdded } from '../../src/conformance/dialect/dialect.ts'
import { DEFAULT_GAPS, variedGaps } from '../../src/contract/choices.ts'
import { runConformance } from '../../src/library/run-conformance.ts'
import { startSandbox } from '../../src/library/start-sandbox.ts'
import { size } from '../support/size.ts'

/** Scenarios that name parameters, cursors and models which a world may call otherwise. */
const ONLY = [
  'orders/filter-by-dates',
  'orders/filters-together',
  'orders/paging-to-the-end',
  'reports/transactions-by-payment-model',
]

const TOLD = { priceUnit: null, params: {}, bodies: {}, roles: {}, statuses: {}, paymentModels: {} }

describe('a sandbox of ours whose operator can be asked', () => {
  it.each(size(['alpha'], ['42', 'alpha']))(
    'is judged in the dialect it was started with (drawn from %s)',
    async (seed) => {
      const gaps = { ...variedGaps(seed), 'cursor-parameter': 'page_token', 'held-status': 'ON_HOLD' } as const
      await using sandbox = await startSandbox({ gaps, rateLimit: null, inventory: 20 })
      const { keyId, secret } = sandbox.credentials.main
      const result = await runConformance({
        target: { url: sandbox.url, keyId, secret, mode: 'operator', operatorUrl: sandbox.operatorUrl },
        scenarios: ONLY.map((id) => `scenarios/${id}.yaml`),
      })
      expect(result.failures).toEqual([])
      const missing = result.scenarios.flatMap(({ checks }) =>
        checks.filter(({ reason }) => reason === 'needs-dialect'),
      )
      expect(missing).toEqual([])
      expect(result.summary.checks.pass).toBeGreaterThan(10)
    },
  )
})

describe('what a target file tells', () => {
  it('stays as it is told, for every operation', () => {
    const own = { roles: { 'pricing:listing.price': '/a', 'listing.floor': '/b' }, statuses: { held: 'X' } }
    const told = { ...TOLD, roles: { 'listing.price': '/mine' }, statuses: { refunded: 'R' } }
    expect(withAdded(told, own)).toEqual({
      ...TOLD,
      roles: { 'listing.floor': '/b', 'listing.price': '/mine' },
      statuses: { held: 'X', refunded: 'R' },
    })
  })

  it('wins over the unit of prices, too', () => {
    expect(DEFAULT_GAPS['expected-price-unit']).toBe('cents')
    expect(withAdded({ ...TOLD, priceUnit: 'cents' }, { priceUnit: 'units' }).priceUnit).toBe('cents')
  })
})
