import { expect, test } from 'vitest'
import { changedGaps, GAP_IDS, gapOf, variedGaps } from '../../src/contract/choices.ts'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile({ inventory: 0 })

const make = (sandbox: TestSandbox, body: Record<string, unknown>) =>
  sandbox.operate('POST', '/v1/worlds', { inventory: 0, ...body })

const chosenBy = async (sandbox: TestSandbox, world: string) => {
  const { json } = await sandbox.operate('GET', `/v1/worlds/${world}/gaps`)
  return Object.fromEntries(json.gaps.map(({ id, chosen }: { id: string; chosen: unknown }) => [id, chosen]))
}

test('every open point is listed with its row, its legal values, the usual one and the reason', async () => {
  const sandbox = shared
  const { gaps } = (await sandbox.operate('GET', '/v1/gaps')).json
  expect(gaps.map(({ id }: { id: string }) => id)).toEqual(GAP_IDS)
  const { requirement, question, values, reason } = gapOf('delivered-by')
  expect(gaps.find(({ id }: { id: string }) => id === 'delivered-by')).toEqual({
    id: 'delivered-by',
    requirement,
    question,
    values,
    default: 'any 2xx',
    reason,
  })
  expect(gaps.find(({ id }: { id: string }) => id === 'webhook-places')).toMatchObject({
    chosen_by: 'serve --webhook-hosts',
  })
})

test('a new world takes the choices it is given, and shows those that are not usual', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { status, json } = await make(sandbox, { name: 'ci', gaps: { 'created-status': 200, 'skew-edge': 'accepted' } })
  expect([status, json.gaps]).toEqual([201, { 'created-status': 200 }])
  expect((await sandbox.operate('GET', '/v1/worlds/ci')).json.gaps).toEqual({ 'created-status': 200 })
  expect((await sandbox.operate('GET', '/v1/worlds/default')).json.gaps).toEqual({})
  expect(await chosenBy(sandbox, 'ci')).toMatchObject({ 'created-status': 200, 'skew-edge': 'accepted' })
})

test('a seed draws all choices of a new world, and a choice that is named wins', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const drawn = variedGaps('ci-1')
  expect((await make(sandbox, { name: 'drawn', vary: 'ci-1' })).json.gaps).toEqual(changedGaps(drawn))
  const other = gapOf('delivered-by').values.find((value) => value !== drawn['delivered-by'])
  await make(sandbox, { name: 'both', vary: 'ci-1', gaps: { 'delivered-by': other } })
  expect(await chosenBy(sandbox, 'both')).toEqual({ ...drawn, 'delivered-by': other })
})

test('a new world that is told nothing decides as the server was started', async () => {
  const sandbox = await startSandbox({ inventory: 0, gaps: { 'created-status': 200 } })
  expect((await make(sandbox, { name: 'plain' })).json.gaps).toEqual({ 'created-status': 200 })
  expect((await make(sandbox, { name: 'own', gaps: { 'created-status': 201 } })).json.gaps).toEqual({})
})

test.each([
  [{ gaps: { 'no-such-gap': 1 } }, 'gaps: unknown open point: "no-such-gap"'],
  [{ gaps: { 'delivered-by': 'all' } }, 'gaps: delivered-by is "all"; legal are "any 2xx", "only 200"'],
  [
    { gaps: { 'delivered-by': null, x: 1 } },
    'gaps: delivered-by is null; legal are "any 2xx", "only 200"; unknown open point: "x"',
  ],
  [{ gaps: ['delivered-by'] }, 'gaps must be an object'],
  [{ vary: '' }, 'vary must have at least 1 character'],
  [{ vary: 7 }, 'vary must be a string'],
])('%j makes no world and says what would be right', async (body, detail) => {
  const sandbox = shared
  const answer = await make(sandbox, { name: 'ci', ...body })
  expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining(detail)])
  expect((await sandbox.operate('GET', '/v1/worlds/ci')).status).toBe(404)
})

test('a world keeps its choices through a reset and a restart, whatever the server is told then', async () => {
  const dataDir = tempFolder()
  const before = await startSandbox({ inventory: 0, dataDir, vary: 'ci-2' })
  const drawn = await chosenBy(before, 'default')
  expect(drawn).toEqual(variedGaps('ci-2'))
  await before.operate('POST', '/v1/worlds/default/reset', {})
  await before.close()
  const after = await startSandbox({ inventory: 0, dataDir })
  expect(await chosenBy(after, 'default')).toEqual(drawn)
  expect(after.gaps).toEqual(changedGaps(variedGaps('ci-2')))
})

test('a fork decides as the world it was made of', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await make(sandbox, { name: 'first', gaps: { 'created-status': 200 } })
  const { status, json } = await sandbox.operate('POST', '/v1/worlds/first/fork', { name: 'second' })
  expect([status, json.gaps]).toEqual([201, { 'created-status': 200 }])
})
