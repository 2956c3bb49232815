import { expect, test } from 'vitest'
import { startServer } from '../../../../src/server.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const WORLD = '/v1/worlds/default'

test('faults, and how often they have acted, survive a restart', async () => {
  const dataDir = tempFolder()
  const options = { port: 0, operatorPort: 0, dataDir, inventory: 0 }
  const ask = async (url: string | undefined, body?: object) => {
    const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return (await (await fetch(`${url}${WORLD}/faults`, init)).json()) as { faults: { hits: number; left: number }[] }
  }
  const before = await startServer(options)
  await ask(before.operator?.url, { match: { credential: 'main' }, effect: { drop: 'before-commit' }, times: 2 })
  const kept = await ask(before.operator?.url)
  await before.close()

  const sandbox = await startSandbox({ dataDir })
  expect((await sandbox.operate('GET', `${WORLD}/faults`)).json).toEqual(kept)
  await expect(sandbox.call({ path: '/events' })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await sandbox.operate('GET', `${WORLD}/faults`)).json.faults[0]).toMatchObject({ hits: 1, left: 1 })
})

test('a fork has the faults of its world, and they act on its own credentials', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const rule = { match: { credential: 'main' }, effect: { status: 500 }, times: null }
  const made = await sandbox.operate('POST', `${WORLD}/faults`, rule)
  const fork = await sandbox.operate('POST', `${WORLD}/fork`, { name: 'fork' })
  const main = fork.json.credentials.find(({ name }: { name: string }) => name === 'main')
  const { json } = await sandbox.operate('GET', '/v1/worlds/fork/faults')
  expect(json.faults).toEqual([{ ...made.json, match: { ...made.json.match, key_id: main.key_id } }])
  await sandbox.operate('DELETE', '/v1/worlds/fork/faults')
  expect((await sandbox.call({ path: '/events' })).status).toBe(500)
})

test('a snapshot brings back the faults of its time, and takes away those that came later', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const url = `${sandbox.operator?.url}${WORLD}/snapshot`
  const headers = { 'content-type': 'application/vnd.sqlite3' }
  const without = await (await fetch(url)).arrayBuffer()
  await sandbox.operate('POST', `${WORLD}/faults`, { effect: { status: 500 }, times: null })
  const withOne = await (await fetch(url)).arrayBuffer()
  expect((await fetch(url, { method: 'PUT', headers, body: without })).status).toBe(200)
  expect((await sandbox.call({ path: '/events' })).status).toBe(200)
  expect((await fetch(url, { method: 'PUT', headers, body: withOne })).status).toBe(200)
  expect((await sandbox.call({ path: '/events' })).status).toBe(500)
})
