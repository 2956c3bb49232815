import { expect, test } from 'vitest'
import { ENDPOINT_IDS } from '../../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'
import { OPERATIONS as ROWS } from '../../../src/operator-api/operations.ts'
import { PAGE_HANDLERS } from '../../../src/sandbox/app/page-handlers.ts'
import type { PageId } from '../../../src/sandbox/wire/page.ts'
import { startBreakable } from '../../support/breakable.ts'
import { failStatement, RUNS } from '../../support/broken-statements.ts'
import { type Act, faultsAtEvery } from '../../support/every-fault.ts'
import { sampleOf } from '../../support/size.ts'
import { DELIVERIES, DUE } from './due-acts.ts'
import { OPERATIONS, WORLD_ACTS } from './operator-acts.ts'
import { CALLS, VISITS } from './partner-acts.ts'

const OPERATED = [...OPERATIONS, ...DELIVERIES, ...WORLD_ACTS]
const ACTS: readonly Act[] = [...CALLS, ...VISITS, ...OPERATED, ...Object.values(DUE)]

const on = await startBreakable(null)

test.each(sampleOf(ACTS, 6).map((act) => [act.name, act] as const))(
  'nothing is half done when a statement of %s fails',
  { timeout: 120_000 },
  async (_name, act) => {
    for (const faultOf of RUNS) expect(await faultsAtEvery(on, act, (n) => failStatement(n, faultOf(n)))).toEqual([])
  },
)

const things = (acts: readonly Act[]) => new Set(acts.map(({ name }) => name.replace(/ \(.*\)$/, '')))

test('every call, page and operation that changes something is among them', () => {
  expect(things(CALLS)).toEqual(new Set(ENDPOINT_IDS.filter((id) => ENDPOINTS[id].effect === 'write')))
  const pages = Object.keys(PAGE_HANDLERS) as PageId[]
  expect(things(VISITS)).toEqual(new Set(pages.filter((id) => PAGE_HANDLERS[id].writes)))
  const writing = Object.values(ROWS)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
  // A snapshot is the one thing to be read that writes where the clock stands.
  expect(things(OPERATED)).toEqual(new Set([...writing, 'GET /v1/worlds/{w}/snapshot']))
})
