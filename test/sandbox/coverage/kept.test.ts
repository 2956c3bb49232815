import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { coverageIn, metIn, rowIn } from '../../support/coverage.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FROZEN = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
const WORLD = '/v1/worlds/default'

async function someCalls(sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  await sandbox.sell()
  await sandbox.call({ path: '/events' })
  await sandbox.call({ path: '/pricing' })
}

/** Hints name the addresses, and the next server has others. */
async function withoutAddresses(sandbox: Awaited<ReturnType<typeof startSandbox>>): Promise<unknown> {
  const text = JSON.stringify(await coverageIn(sandbox))
  return JSON.parse(text.replaceAll(sandbox.url, '').replaceAll(sandbox.operator?.url ?? '', ''))
}

test('what was met outlives the server', async () => {
  const dataDir = tempFolder()
  const first = await startSandbox({ ...FROZEN, dataDir })
  await someCalls(first)
  const before = await withoutAddresses(first)
  await first.close()
  const second = await startSandbox({ ...FROZEN, dataDir })
  expect(await withoutAddresses(second)).toEqual(before)
  await second.call({ path: '/events' })
  expect((await rowIn(second, 'endpoints', 'events.list')).count).toBe(2)
  expect((await rowIn(second, 'events', 'order.recorded')).count).toBe(1)
})

test('a reset forgets it', async () => {
  const sandbox = await startSandbox(FROZEN)
  await someCalls(sandbox)
  await sandbox.operate('POST', `${WORLD}/reset`, {})
  expect(await metIn(sandbox)).toEqual([])
  await sandbox.call({ path: '/events' })
  expect(await metIn(sandbox)).toEqual(['endpoints events.list'])
})

test('a fork has met what the world had met, and goes on by itself', async () => {
  const sandbox = await startSandbox(FROZEN)
  await someCalls(sandbox)
  const before = await metIn(sandbox)
  expect((await sandbox.operate('POST', `${WORLD}/fork`, { name: 'fork' })).status).toBe(201)
  expect((await metIn(sandbox, 'fork')).sort()).toEqual(before.sort())
  await sandbox.call({ path: '/analytics' })
  expect(await metIn(sandbox, 'fork')).not.toContain('endpoints analytics')
})

test('a snapshot that is restored brings back what had been met by then', async () => {
  const sandbox = await startSandbox(FROZEN)
  await someCalls(sandbox)
  const before = await metIn(sandbox)
  const url = `${sandbox.operator?.url}${WORLD}/snapshot`
  const bytes = await (await fetch(url)).arrayBuffer()
  await sandbox.call({ path: '/analytics' })
  const type = 'application/vnd.sqlite3'
  const { status } = await fetch(url, { method: 'PUT', body: bytes, headers: { 'content-type': type } })
  expect(status).toBeLessThan(300)
  expect(await metIn(sandbox)).toEqual(before)
  await sandbox.call({ path: '/analytics' })
  expect(await metIn(sandbox)).toContain('endpoints analytics')
})

test('a snapshot with counts that cannot be read is refused by name, and the world goes on as it was', async () => {
  const sandbox = await startSandbox(FROZEN)
  await someCalls(sandbox)
  const url = `${sandbox.operator?.url}${WORLD}/snapshot`
  const db = new Database(Buffer.from(await (await fetch(url)).arrayBuffer()))
  db.pragma('ignore_check_constraints = ON')
  db.exec("UPDATE coverage_tallies SET detail = 'x' WHERE kind = 'history'")
  const type = 'application/vnd.sqlite3'
  const body = new Uint8Array(db.serialize())
  const refused = await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } })
  expect([refused.status, (await refused.json()).detail]).toEqual([400, expect.stringContaining('coverage_tallies')])
  expect((await sandbox.call({ path: '/events' })).status).toBe(200)
})

test('counting anew forgets what was met, also what the tables still hold, at the same instant of a frozen clock', async () => {
  const sandbox = await startSandbox(FROZEN)
  await someCalls(sandbox)
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-50.test' } })
  expect(quote.quote_id).toMatch(/^qt_/)
  expect((await sandbox.operate('DELETE', `${WORLD}/coverage`)).status).toBe(204)
  const anew = await coverageIn(sandbox)
  expect([anew.summary.met, anew.since]).toEqual([0, '2026-03-01T00:00:00.000Z'])
  expect(anew.sections.flatMap(({ rows }) => rows.filter(({ state }) => state === 'partly'))).toEqual([])
  const { orders } = (await sandbox.operate('GET', `${WORLD}/orders`)).json
  expect(orders).toHaveLength(1)
  await sandbox.sell()
  expect(await rowIn(sandbox, 'orders', 'NEW>EXTERNALLY_PAID')).toMatchObject({
    state: 'met',
    count: 1,
    happened: { count: 1 },
  })
})

test('worlds are counted apart', async () => {
  const sandbox = await startSandbox(FROZEN)
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  await sandbox.call({ path: '/orders' })
  expect(await metIn(sandbox, 'other')).toEqual([])
  expect((await sandbox.operate('GET', '/v1/worlds/nowhere/coverage')).status).toBe(404)
  expect((await rowIn(sandbox, 'orders', 'EXTERNALLY_PAID>MANUAL_REVIEW', 'other')).hint).toMatch(
    /^npx partner-sandbox order hold last --world other --sandbox http\S+; then /,
  )
})
