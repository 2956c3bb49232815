import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { BLAND } from '../../../src/sandbox/wire/error-answer.ts'
import { callServed, end, type Served, serve } from '../../support/served.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { lacks } from '../../support/tools.ts'

const MOST_DESCRIPTORS = 1_024
/** Node keeps some with high numbers for itself. */
const MOST_OPEN = 200

async function served(...options: string[]): Promise<Served> {
  const sandbox = await serve(...options)
  onTestFinished(() => end(sandbox.child, 'SIGKILL'))
  return sandbox
}

/** Changes a limit of a running server; its hard limit stays. */
function limit({ child: { pid } }: Served, what: 'nofile' | 'fsize', to: number | 'unlimited'): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--${what}=${to}:`])
}

async function statusOf(
  { operatorUrl }: Served,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<number> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(`${operatorUrl}/v1/worlds${path}`, { method, ...json })
  await answer.arrayBuffer()
  return answer.status
}

it.skipIf(lacks('prlimit'))('a server that ran out of descriptors works when there are some again', async () => {
  const sandbox = await served('--data', tempFolder(), '--inventory', '5')
  await wait(2_000) // It loads what its start did not need.
  const open = readdirSync(`/proc/${sandbox.child.pid}/fd`).filter((fd) => Number(fd) < MOST_OPEN).length
  // Room for one connection, and for no file.
  limit(sandbox, 'nofile', open + 1)
  expect(await statusOf(sandbox, 'POST', '', { name: 'ci', inventory: 5 })).toBe(507)
  // That one is still open.
  limit(sandbox, 'nofile', open + 2)
  const refused = await fetch(`${sandbox.url}/api/partner/v1/orders`)
  expect(refused.status).toBe(401)
  limit(sandbox, 'nofile', MOST_DESCRIPTORS)
  expect(await statusOf(sandbox, 'POST', '', { name: 'ci', inventory: 5 })).toBe(201)
  const requestId = refused.headers.get('x-request-id')
  for (const path of ['/default/coverage', `/default/requests/${requestId}`]) {
    expect([path, await statusOf(sandbox, 'GET', path)]).toEqual([path, 200])
  }
  expect((await fetch(`${sandbox.url}/docs`)).status).toBe(200)
})

it.skipIf(lacks('prlimit'))(
  'operators read a world whose file cannot grow, and it works when there is room again',
  async () => {
    const folder = tempFolder()
    const sandbox = await served('--data', folder, '--inventory', '5')
    const wanted = JSON.stringify({ tier: 'managed', buyer_email: 'jo@buyer.example', budget: 100_000 })
    const open = async () =>
      (await callServed(sandbox, 'POST', '/api/partner/v1/brokerage', wanted, randomUUID())).status
    expect(await open()).toBe(201)
    limit(sandbox, 'fsize', statSync(join(folder, 'default.sqlite-wal')).size)
    expect(await open()).toBe(500)
    // A read keeps its nonce, so that it cannot be replayed.
    const read = await callServed(sandbox, 'GET', '/api/partner/v1/orders')
    expect([read.status, await read.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'internal_error', message: BLAND }),
    ])
    for (const path of ['', '/brokerage', '/events', '/clock', '/summary', '/audit', '/requests']) {
      expect([path, await statusOf(sandbox, 'GET', `/default${path}`)]).toEqual([path, 200])
    }
    limit(sandbox, 'fsize', 'unlimited')
    expect(await open()).toBe(201)
    expect((await callServed(sandbox, 'GET', '/api/partner/v1/orders')).status).toBe(200)
  },
)
