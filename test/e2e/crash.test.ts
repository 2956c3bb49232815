import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { callServed, end, type Served, serve } from '../support/served.ts'
import { size } from '../support/size.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** How often the server is killed. */
const CYCLES = size(2, 50)
const WRITERS = 8

interface Acknowledged {
  key: string
  publicId: string
}

const call = (served: Served, method: string, path: string, body?: string, key?: string) =>
  callServed(served, method, `/api/partner/v1${path}`, body, key)

let sold = 0

/** Told of each order that has been answered. */
const counted = new EventEmitter()

/** Sells domain after domain, every second order sent twice at once, until the server is gone. */
async function writeUntilGone(served: Served, acknowledged: Acknowledged[]): Promise<void> {
  try {
    for (;;) {
      const domain = `stalls-${++sold}.test`
      const { price_cents } = (await (await call(served, 'GET', `/availability?domain=${domain}`)).json()) as {
        price_cents: number
      }
      const key = randomUUID()
      const body = JSON.stringify({
        domain,
        expected_price: price_cents,
        currency: 'USD',
        buyer: { email: 'b@example.test' },
      })
      const attempts = sold % 2 ? 1 : 2
      const answers = await Promise.all(
        Array.from({ length: attempts }, () => call(served, 'POST', '/orders', body, key)),
      )
      for (const answer of answers) {
        if (answer.status !== 201) throw new Error(`an order was answered ${answer.status}: ${await answer.text()}`)
        const { public_id: publicId } = (await answer.json()) as { public_id: string }
        acknowledged.push({ key, publicId })
        counted.emit(String(acknowledged.length))
      }
    }
  } catch (error) {
    // fetch fails with a TypeError once the server has been killed; anything else is a finding.
    if (!(error instanceof TypeError)) throw error
  }
}

test(`${CYCLES} times kill -9 amid ${WRITERS} writers: no acknowledged order lost or doubled, one event each`, async () => {
  const folder = tempFolder()
  const acknowledged: Acknowledged[] = []
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const served = await serve('--data', folder, '--rate-limit', 'off')
    const writers = Array.from({ length: WRITERS }, () => writeUntilGone(served, acknowledged))
    const wanted = acknowledged.length + 20 + ((cycle * 13) % 40)
    // The moment of the kill follows from the work done, so it needs no clock and falls anywhere in a write.
    await Promise.race([once(counted, String(wanted)), ...writers])
    await end(served.child, 'SIGKILL')
    await Promise.all(writers)
  }
  judge(join(folder, 'default.sqlite'), acknowledged)
}, 600_000)

function judge(file: string, acknowledged: readonly Acknowledged[]): void {
  const db = new Database(file)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  const order = db.prepare('SELECT public_id FROM orders WHERE public_id = ?')
  const lost = acknowledged.filter(({ publicId }) => !order.get(publicId))
  expect(lost).toEqual([])
  const idsOfKey = new Map<string, Set<string>>()
  for (const { key, publicId } of acknowledged) idsOfKey.set(key, (idsOfKey.get(key) ?? new Set()).add(publicId))
  expect([...idsOfKey.values()].filter((ids) => ids.size > 1)).toEqual([])
  const count = (sql: string) => (db.prepare(sql).get() as { n: number }).n
  expect(count('SELECT count(*) - count(DISTINCT domain) AS n FROM orders')).toBe(0)
  const orders = count('SELECT count(*) AS n FROM orders')
  expect(orders).toBeGreaterThanOrEqual(new Set(acknowledged.map(({ publicId }) => publicId)).size)
  expect(count("SELECT count(*) AS n FROM events WHERE type = 'order.recorded'")).toBe(orders)
  expect(count('SELECT count(*) AS n FROM idempotency_keys')).toBe(orders)
  expect(count('SELECT count(*) AS n FROM order_timeline')).toBe(orders)
  db.close()
}
