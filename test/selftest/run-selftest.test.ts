import { expect, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import type { LoadedScenario, Scenario } from '../../src/conformance/format/scenario.ts'
import { namedScenario } from '../../src/conformance/format/step-facts.ts'
import { UnknownDefectError } from '../../src/proof/defects/index.ts'
import { runDefect } from '../../src/proof/self-test/defect-detection.ts'
import { explainGapVariation, runGapVariation } from '../../src/proof/self-test/gap-variations.ts'
import { chosenBy, runSelftest, SelftestInterrupted } from '../../src/proof/self-test/run-selftest.ts'

const registry = loadRequirements()

const READ = { op: 'availability', query: { domain: '${unlisted.domain}' } } as const

/** A valid read, and one signed with the key id in the place of the secret. */
const KEY_ID_AS_SECRET = scenario('auth/key-id-as-secret', {
  title: 'A call signed with its key id is refused',
  proves: ['AUTH-01', 'AUTH-05'],
  steps: [
    { id: 'sound', call: READ, expect: { accepted: true, shows: 'AUTH-01' } },
    { id: 'refused', call: READ, fault: { signature: { key: 'key_id' } }, expect: { refused: true, shows: 'AUTH-05' } },
  ],
})

/** Asks for one legal status of an open point, which is wrong. */
const NARROW = scenario('auth/narrow', {
  title: 'A call without its nonce is refused with one certain status',
  proves: ['AUTH-03'],
  steps: [
    {
      id: 'refused',
      call: READ,
      fault: { nonce: 'drop' },
      expect: { refused: 'missing_signature_headers', status: 401, shows: 'AUTH-03' },
    },
  ],
})

function scenario(id: string, content: Scenario): LoadedScenario {
  return { id, file: `${id}.yaml`, scenario: namedScenario({ needs: ['scope.search'], ...content }) }
}

function suiteOf(...scenarios: LoadedScenario[]) {
  return { scenarios, registry, wall: wallClock, toolVersion: '0.0.0', signal: undefined }
}

test('a defect is killed by the red check of a requirement that it breaks', async () => {
  const { defects, passed, problems } = await runSelftest({
    ...suiteOf(KEY_ID_AS_SECRET),
    defects: ['secret-of-key-id'],
  })
  expect(problems).toEqual([])
  expect(passed).toBe(true)
  expect(defects[0]?.killedBy).toEqual([{ scenario: 'auth/key-id-as-secret', step: 'refused', requirement: 'AUTH-05' }])
  expect(defects[0]?.alsoRed).toEqual([])
})

test('a defect survives where no scenario proves what it breaks', async () => {
  const { passed, problems } = await runSelftest({ ...suiteOf(KEY_ID_AS_SECRET), defects: ['quote-never-expires'] })
  expect(passed).toBe(false)
  expect(problems).toEqual(['the defect quote-never-expires survives: no scenario proves QUOTE-03'])
})

test('an interrupted self-test has no result, and what was not tried did not survive', async () => {
  const stop = new AbortController()
  const found: (string | null)[] = []
  const run = runSelftest({
    ...suiteOf(KEY_ID_AS_SECRET),
    defects: [
      'secret-of-key-id',
      'secret-of-anybody',
      'signature-never-verified',
      'quote-never-expires',
      'prefix-optional',
    ],
    signal: stop.signal,
    onProgress: ({ problem }) => {
      found.push(problem)
      stop.abort()
    },
  })
  await expect(run).rejects.toThrow(SelftestInterrupted)
  await expect(run).rejects.toThrow('interrupted after 1 of 5 trials')
  expect(found).toHaveLength(1)
})

test('a check that cannot be judged kills nothing, although the defect hits it', async () => {
  // Everything is refused, so the refusal of the fault proves nothing either.
  const run = await runDefect(suiteOf(KEY_ID_AS_SECRET), {
    id: 'trailing-newline-demanded',
    breaks: ['AUTH-05'],
    summary: 'The canonical string must end in a newline.',
  })
  expect(run.killedBy).toEqual([])
  expect(run.alsoRed).toEqual([{ scenario: 'auth/key-id-as-secret', step: 'sound', requirement: 'AUTH-01' }])
})

test('a check that insists on one legal choice is red under another', async () => {
  const variation = { choice: 'missing-headers-status=400', gaps: { 'missing-headers-status': 400 } } as const
  const run = await runGapVariation(suiteOf(NARROW, KEY_ID_AS_SECRET), variation)
  expect(run.red.map(({ scenario, step, requirement }) => [scenario, step, requirement])).toEqual([
    ['auth/narrow', 'refused', 'AUTH-03'],
  ])
})

test('of a mix with a red check the choice that brings it about is found', async () => {
  const gaps = { 'created-status': 200, 'missing-headers-status': 403, 'skew-edge': 'refused' } as const
  const run = await explainGapVariation(suiteOf(NARROW, KEY_ID_AS_SECRET), { choice: 'a mix', gaps })
  expect(run.because).toEqual(['missing-headers-status=403'])
})

test('an unknown defect is refused before anything runs', async () => {
  await expect(runSelftest({ ...suiteOf(KEY_ID_AS_SECRET), defects: ['secret-of-keyid'] })).rejects.toThrow(
    UnknownDefectError,
  )
})

test('a quick self-test tries what its seed chooses: the same for the same seed, something else for another', () => {
  const chosen = chosenBy({ quick: '4711' })
  expect([chosen.defects.length, chosen.variations.length, chosen.badServers.length]).toEqual([40, 3, 4])
  expect(chosenBy({ quick: '4711' })).toEqual(chosen)
  expect(chosenBy({ quick: '4712' }).defects).not.toEqual(chosen.defects)
})

test('a hundred seeds choose nearly every defect', () => {
  const seeds = Array.from({ length: 100 }, (_, n) => String(n))
  const chosen = new Set(seeds.flatMap((quick) => chosenBy({ quick }).defects))
  expect(chosen.size / chosenBy({}).defects.length).toBeGreaterThan(0.98)
})
