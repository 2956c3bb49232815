import { expect, onTestFinished, test } from 'vitest'
import { RULES } from '../../src/contract/rules.ts'
import { createOperatorApp } from '../../src/operator/app.ts'
import { NO_DEFECT_HOOKS } from '../../src/sandbox/app/defect-hooks.ts'
import { randomKeys } from '../../src/sandbox/kernel/credentials.ts'
import { snapshotOf } from '../../src/sandbox/worlds/snapshots.ts'
import { setProgress } from '../../src/sandbox/worlds/world-facts.ts'
import { Worlds } from '../../src/sandbox/worlds/worlds.ts'
import { startSandbox } from '../support/sandbox.ts'
import { setWall, TEST_NOW_MS } from '../support/world.ts'

const DAY_MS = 86_400_000
const OPTIONS = { seed: 'test', inventory: 5, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null }

/** The operator API over worlds whose running clocks a test moves. */
async function operatorOver(wall: ReturnType<typeof setWall>) {
  const first = { ...OPTIONS, clockMs: null, frozen: false }
  const surroundings = {
    dataDir: null,
    wall,
    rules: RULES,
    hooks: NO_DEFECT_HOOKS,
    publicUrl: () => 'http://127.0.0.1',
  }
  const worlds = new Worlds({ ...surroundings, first, firstKeys: randomKeys })
  const app = createOperatorApp({
    consoleFolder: '',
    ...{
      worlds,
      wall,
      host: '127.0.0.1',
      token: null,
      apiUrl: () => '',
      version: '0',
      command: (words: string) => words,
    },
    newWorldDefaults: { ...OPTIONS, gaps: {} },
  })
  onTestFinished(async () => {
    await app.close()
    worlds.close()
  })
  return { app, world: await worlds.create('old', first, randomKeys) }
}

test.each([
  ['POST', '/reset', 0],
  ['PUT', '/snapshot', 0],
  ['DELETE', '', 0],
  ['GET', '/orders', 1],
] as const)('%s of a world%s runs what has fallen due in it %i times', async (method, path, times) => {
  const wall = setWall()
  const { app, world } = await operatorOver(wall)
  const body = method === 'PUT' ? snapshotOf(world) : undefined
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: DAY_MS })
  // The world looks by itself for what its new progress makes due, and must not do so later.
  while (world.scheduler.isOverdue()) await new Promise((resolve) => setImmediate(resolve))
  let ran = 0
  world.scheduler.watch(() => {
    ran += 1
  })
  wall.setMs(wall.nowMs() + 40 * DAY_MS)
  const type = body ? 'application/vnd.sqlite3' : 'application/json'
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${origin}/v1/worlds/old${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body && { body: new Uint8Array(body) }),
  })
  expect([answer.status, ran]).toEqual([method === 'DELETE' ? 204 : 200, times])
})

test('while a world of 100,000 listings is drawn others are served, and a sandbox that closes does not wait for it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const drawing = sandbox.operate('POST', '/v1/worlds', { name: 'large', seed: 'large', inventory: 100_000 }).then(
    ({ status }) => status,
    // Hung up on.
    () => 0,
  )
  for (let n = 0; n < 20; n++) expect((await sandbox.operate('GET', '/v1/worlds')).json.worlds).toHaveLength(1)
  await sandbox.close()
  expect([0, 409]).toContain(await drawing)
}, 30_000)
