import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { end, type Served, serve } from '../../support/served.ts'
import { size } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** How often the server is killed. */
const CYCLES = size(2, 15)

interface Seen {
  /** Worlds whose making was answered. */
  made: Set<string>
  /** Worlds whose end was begun. */
  ended: Set<string>
}

async function ask(served: Served, method: string, path: string, body?: unknown): Promise<Response> {
  const answer = await fetch(`${served.operatorUrl}/v1/worlds${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer
}

let named = 0

/** Makes, forks, saves, restores, resets and deletes worlds until the server is gone. */
async function workUntilGone(served: Served, { made, ended }: Seen): Promise<void> {
  try {
    for (;;) {
      const [name, fork] = [`made-${++named}`, `forked-${named}`]
      await ask(served, 'POST', '', { name, inventory: 50 })
      made.add(name)
      await ask(served, 'POST', `/${name}/fork`, { name: fork })
      made.add(fork)
      const bytes = await (await ask(served, 'GET', `/${name}/snapshot`)).arrayBuffer()
      const restored = await fetch(`${served.operatorUrl}/v1/worlds/${fork}/snapshot`, {
        method: 'PUT',
        headers: { 'content-type': 'application/vnd.sqlite3' },
        body: bytes,
      })
      if (!restored.ok) throw new Error(`a restore was answered ${restored.status}: ${await restored.text()}`)
      await ask(served, 'POST', `/${name}/reset`, {})
      ended.add(name)
      await ask(served, 'DELETE', `/${name}`)
    }
  } catch (error) {
    // fetch fails with a TypeError once the server has been killed; anything else is a finding.
    if (!(error instanceof TypeError)) throw error
  }
}

test(`${CYCLES} times kill -9 amid the making of worlds: none that was answered is lost, none is half made`, async () => {
  const folder = tempFolder()
  const seen: Seen = { made: new Set(), ended: new Set() }
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const served = await serve('--data', folder)
    const workers = [1, 2, 3].map(() => workUntilGone(served, seen))
    const wanted = seen.made.size + 4 + cycle * 3
    // The moment of the kill follows from the work done, so it needs no clock and falls anywhere in it.
    while (seen.made.size < wanted) await new Promise((resolve) => setImmediate(resolve))
    await end(served.child, 'SIGKILL')
    await Promise.all(workers)
  }
  const served = await serve('--data', folder)
  const { worlds } = (await (await ask(served, 'GET', '')).json()) as { worlds: { world: string }[] }
  const names = new Set(worlds.map(({ world }) => world))
  expect([...seen.made].filter((name) => !names.has(name) && !seen.ended.has(name))).toEqual([])
  for (const name of names) {
    const domains = (await (await ask(served, 'GET', `/${name}/domains?limit=50`)).json()) as { domains: unknown[] }
    expect([name, domains.domains.length]).toEqual([name, 50])
  }
  await end(served.child, 'SIGTERM')
  expect(readdirSync(folder).filter((file) => !file.endsWith('.sqlite'))).toEqual([])
})

/** Its copies take long enough to be killed in. */
const LARGE = 24_000

/** Copies a large world and takes it back, until the server is gone. */
async function copyUntilGone(served: Served): Promise<void> {
  try {
    for (;;) {
      const fork = `large-${++named}`
      await ask(served, 'POST', '/large/fork', { name: fork })
      const body = await (await ask(served, 'GET', `/${fork}/snapshot`)).arrayBuffer()
      const headers = { 'content-type': 'application/vnd.sqlite3' }
      const restored = await fetch(`${served.operatorUrl}/v1/worlds/large/snapshot`, { method: 'PUT', headers, body })
      // Another of us restores or resets it as well.
      if (!restored.ok && restored.status !== 409)
        throw new Error(`answered ${restored.status}: ${await restored.text()}`)
      await ask(served, 'DELETE', `/${fork}`)
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

test('kill -9 amid the copying of a large world: it is the old one or the new one, and nothing is left of copies', async () => {
  const folder = tempFolder()
  let served = await serve('--data', folder)
  await ask(served, 'POST', '', { name: 'large', inventory: LARGE })
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const copying = copyUntilGone(served)
    // Counts what others are answered meanwhile, so that the kill falls anywhere in the work.
    for (let answered = 0; answered < 20 + 15 * cycle; answered++) await ask(served, 'GET', '/default')
    await end(served.child, 'SIGKILL')
    await copying
    served = await serve('--data', folder)
    const { worlds } = (await (await ask(served, 'GET', '')).json()) as { worlds: { world: string }[] }
    for (const { world } of worlds.filter(({ world }) => world !== 'default')) {
      const page = (await (await ask(served, 'GET', `/${world}/domains?limit=50`)).json()) as { domains: unknown[] }
      expect([world, page.domains.length]).toEqual([world, 50])
    }
    expect(readdirSync(folder).filter((file) => file.includes('.new'))).toEqual([])
  }
  await end(served.child, 'SIGTERM')
  expect(readdirSync(folder).filter((file) => !file.endsWith('.sqlite'))).toEqual([])
})
