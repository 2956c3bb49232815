import { expect, test } from 'vitest'
import type { EndpointId } from '../../../src/contract/endpoints.ts'
import { ROUTES } from '../../../src/sandbox/all-routes.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { handled } from '../../../src/sandbox/app/server.ts'
import type { AuthenticatedCall } from '../../../src/sandbox/wire/call.ts'
import { doOne } from '../../support/lived-history.ts'
import { castMember, testWorld } from '../../support/world.ts'

/** How many statements an answer takes. */
function statementsOf(world: Environment, endpoint: EndpointId, query: [string, string][]): number {
  const known = { world, credential: castMember(world, 'main'), params: {}, query, rawHeaders: [] }
  const call = known as unknown as AuthenticatedCall
  const real = world.db.statement.bind(world.db)
  let count = 0
  world.db.statement = (sql) => {
    count += 1
    return real(sql)
  }
  handled(call, endpoint, ROUTES[endpoint])
  world.db.statement = real
  return count
}

test('availability takes one statement', () => {
  const world = testWorld()
  doOne(world, { what: 'quote', domain: 'stalls-1.test', partner: 'main' })
  expect(statementsOf(world, 'availability', [['domain', 'stalls-1.test']])).toBe(1)
})

test('a page takes as many statements as one of its rows', () => {
  const world = testWorld()
  for (let n = 1; n <= 9; n++) {
    doOne(world, { what: 'order', domain: `stalls-${n}.test`, partner: 'main' })
    doOne(world, { what: 'case', domain: `live-${n}.test`, partner: 'main' })
  }
  const page = (endpoint: EndpointId, limit: number) => statementsOf(world, endpoint, [['limit', String(limit)]])
  for (const endpoint of ['orders.list', 'brokerage.list'] as const) {
    expect([page(endpoint, 1), page(endpoint, 9)], endpoint).toEqual([2, 2])
  }
})
