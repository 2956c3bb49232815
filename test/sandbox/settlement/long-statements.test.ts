import { expect, test } from 'vitest'
import { atOnce } from '../../../src/contract/steps.ts'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { recordOrder } from '../../../src/sandbox/sales/record-order.ts'
import { runSettlement } from '../../../src/sandbox/settlement/settlement-runs.ts'
import { listStatements } from '../../../src/sandbox/settlement/statements.ts'
import { castMember, testWorld } from '../../support/world.ts'

test('a page of statements with very many orders ends early, has a next one, and none is left out', () => {
  const world = testWorld({ inventory: 0 })
  const caller = castMember(world, 'main')
  let sold = 0
  const settleSome = (count: number) =>
    world.commits.commitNow(() => {
      for (let n = 0; n < count; n++) {
        const domain = `live-site-${++sold}.test`
        const expectedPriceCents = findListing(world, domain)?.priceCents as number
        const input = { domain, expectedPriceCents, currency: 'USD', buyer: { email: 'buyer@example.test' } }
        const started = takeStep(world, recordOrder(world, caller, input), 'start-transfer', null)
        takeStep(world, started, 'complete-transfer', null)
      }
      atOnce(runSettlement(world))
    })
  for (const count of [11, 6, 3, 2]) settleSome(count)

  const pages: number[][] = []
  let cursor: string | undefined
  do {
    const { rows, hasMore } = listStatements(world, caller, { limit: 100, cursor }, 10)
    pages.push(rows.map(({ publicIds }) => publicIds.length))
    cursor = hasMore ? rows.at(-1)?.statementId : undefined
  } while (cursor !== undefined)
  expect(pages).toEqual([[2, 3], [6], [11]])
})
