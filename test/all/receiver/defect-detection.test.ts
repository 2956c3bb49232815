import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { BROKEN_RECEIVERS, type BrokenReceiver, DEGENERATE_RECEIVERS } from '../../receiver/broken-receivers.ts'
import { judge, REGISTRY, violated } from '../../receiver/judge.ts'
import { IS_FULL } from '../../support/size.ts'

/** At small size so many of them that every requirement is broken by one. */
const CHOSEN = IS_FULL ? BROKEN_RECEIVERS : oneForEach(BROKEN_RECEIVERS)

function oneForEach(all: readonly BrokenReceiver[]): BrokenReceiver[] {
  const seen = new Set<string>()
  return all.filter(({ violates }) => {
    const isNew = violates.some((id) => !seen.has(id))
    for (const id of violates) seen.add(id)
    return isNew
  })
}

/** What each of them was found to violate, for the page that tells. */
const found = new Map<string, string[]>()

async function judged({ mistake, handle, deadlineMs, countsEffects, only }: BrokenReceiver) {
  const result = await judge(handle(), {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(countsEffects ? { countsEffects } : {}),
    ...(only ? { only } : {}),
  })
  found.set(mistake, violated(result).sort())
  return result
}

describe('a receiver that', () => {
  it.each(CHOSEN.map((one) => [one.mistake, one] as const))(
    '%s is non-conforming, for a reason that says so',
    async (_, broken) => {
      const result = await judged(broken)
      expect(result.verdict).toBe('non_conforming')
      expect(violated(result).filter((id) => broken.violates.includes(id))).not.toEqual([])
      expect(result.summary.checks.harness_error).toBe(0)
    },
    30_000,
  )

  it.each(Object.entries(DEGENERATE_RECEIVERS))(
    '%s is non-conforming',
    async (_, handle) => {
      const result = await judge(handle(), { timeoutMs: 500, deadlineMs: 400 })
      expect(result.verdict).toBe('non_conforming')
      expect(result.summary.checks.harness_error).toBe(0)
    },
    30_000,
  )
})

it('for every requirement that must hold there is a receiver that breaks it', () => {
  const broken = new Set(BROKEN_RECEIVERS.flatMap(({ violates }) => violates))
  const must = [...REGISTRY.requirements.values()].filter(({ level }) => level === 'must').map(({ id }) => id)
  expect(must.filter((id) => !broken.has(id))).toEqual([])
})

const PROOF = 'docs/receiver-proof.md'

it(`${PROOF} tells which requirement catches which mistake`, async () => {
  for (const broken of CHOSEN) if (!found.has(broken.mistake)) await judged(broken)
  if (IS_FULL) await expect(proofPage()).toMatchFileSnapshot(`../../../${PROOF}`)
  else expect(readFileSync(PROOF, 'utf8').split('\n')).toEqual(expect.arrayContaining([...found].map(mistakeRow)))
}, 120_000)

function proofPage(): string {
  const file = 'fixtures/receiver-requirements.yaml'
  const { requirements } = parse(readFileSync(file, 'utf8')) as { requirements: Record<string, Row> }
  return [
    '# What a receiver is judged by, and the proof that it is',
    '',
    'Every requirement of `fixtures/receiver-requirements.yaml`, and every receiver of `test/receiver/broken-receivers.ts`: real HTTP servers',
    'with one mistake each. Made by `FULL_SIZE=1 npx vitest run test/receiver/defect-detection.test.ts -u`; a test fails where it is behind.',
    '',
    '## Requirements',
    '',
    '| id | requirement | why | broken by |',
    '|---|---|---|---|',
    ...Object.entries(requirements).map(
      ([id, row]) => `| ${id} | ${row.text} | ${row.why ?? 'observed only'} | ${breakersOf(id)} |`,
    ),
    '',
    '## Mistakes',
    '',
    '| a receiver that | is found to violate |',
    '|---|---|',
    ...[...found].map(mistakeRow),
    '',
    'Never green either, whatever else they do: a receiver that',
    `${Object.keys(DEGENERATE_RECEIVERS).join(', ')}.`,
    '',
  ].join('\n')
}

function mistakeRow([mistake, ids]: [string, string[]]): string {
  return `| ${mistake} | ${ids.join(', ')} |`
}

interface Row {
  text: string
  why?: string
}

function breakersOf(id: string): string {
  const count = [...found.values()].filter((ids) => ids.includes(id)).length
  return count === 0 ? '' : `${count} of them`
}
