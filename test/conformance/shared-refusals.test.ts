import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { ownTarget, withMoreKeys } from '../../src/proof/self-test/own-target.ts'
import { startServer } from '../../src/server.ts'
import { judge, registry } from '../support/referee.ts'

const { scenarios } = loadScenarios(
  ['scenarios/scopes/all-scopes-but-its-own.yaml', 'scenarios/scopes/other-scope-does-not-open.yaml'],
  registry,
)
const ofLinks = scenarios.filter(({ id }) => id.includes('[links.list'))

async function checksOf(
  defect: string | undefined,
  changed: (affiliate: boolean | null, name: string) => boolean | null,
) {
  const server = await startServer({ port: 0, operatorPort: 0, wall: wallClock, ...(defect && { defect }) })
  onTestFinished(() => server.close())
  const target = await withMoreKeys(ownTarget(server))
  const credentials = target.credentials.map((key) => ({ ...key, affiliate: changed(key.affiliate, key.name) }))
  const result = await judge({ ...target, credentials }, ofLinks, { transcript: 'all', concurrency: 1 })
  const checks = result.scenarios.flatMap((one) => one.checks)
  return { checks, calls: new Set(checks.map(({ exchange }) => exchange)).size }
}

test('one refusal of a key with all other scopes shows of each of them that it does not open an operation', async () => {
  const { checks, calls } = await checksOf(undefined, (affiliate) => affiliate)
  expect(checks.map(({ verdict }) => verdict)).toEqual(checks.map(() => 'pass'))
  expect(checks.length).toBeGreaterThan(4)
  expect(calls).toBe(1)
  const notes = checks.flatMap(({ note }) => note ?? [])
  expect(notes).toHaveLength(checks.length - 1)
  expect(new Set(notes)).toEqual(
    new Set(['refused to the credential all-but-refer, which holds this scope with others']),
  )
})

test('a refusal of a key that differs in more than its scopes shows nothing of another key', async () => {
  const { calls, checks } = await checksOf(undefined, (affiliate, name) =>
    name.startsWith('only') ? affiliate : false,
  )
  expect(calls).toBe(checks.length)
})

test('a scope that opens an operation is found', async () => {
  const { checks } = await checksOf('scope-of-links-list-is-report', (affiliate) => affiliate)
  expect(checks.filter(({ verdict }) => verdict === 'fail').map(({ requirement }) => requirement)).toContain('SCOPE-05')
})
