import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { AFTER_SALES_CHOICES } from '../../src/contract/choices/after-sales.ts'
import { CALL_CHOICES } from '../../src/contract/choices/calls.ts'
import { SALES_CHOICES } from '../../src/contract/choices/sales.ts'
import { GAP_IDS, GAPS, gapOf } from '../../src/contract/choices.ts'
import { repoFiles, repoRoot } from '../house/repo.ts'
import { registry } from '../support/referee.ts'

const rows = [...registry.requirements].filter(([, { level }]) => level === 'open').map(([id]) => id)

describe('the table of open points', () => {
  it('has every open row of the requirements, or says by what else it is settled', () => {
    const covered = new Set(GAP_IDS.map((id) => GAPS[id].requirement as string))
    expect(rows.filter((id) => !covered.has(id))).toEqual([])
  })

  it('has no row that the document states', () => {
    expect(GAP_IDS.filter((id) => !rows.includes(GAPS[id].requirement))).toEqual([])
  })

  it('has each id once', () => {
    const all = [CALL_CHOICES, SALES_CHOICES, AFTER_SALES_CHOICES].flatMap((part) => Object.keys(part))
    expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([])
  })
})

test('each open point with several values is observed over HTTP under every one of them', () => {
  const tests = repoFiles('test/all/sandbox').map((file) => readFileSync(join(repoRoot, file), 'utf8'))
  const observed = tests.flatMap((text) =>
    [...text.matchAll(/\bobserved(?:InBalance)?(?:<[^(]*>)?\(\s*'([\w-]+)'/g)].map(([, id]) => id),
  )
  const open = GAP_IDS.filter((id) => gapOf(id).values.length > 1)
  expect(open.filter((id) => !observed.includes(id))).toEqual([])
})

test.each(GAP_IDS)('%s has several legal values, or says why there is one only', (id) => {
  const { values, question, reason, chosenBy, fixed } = gapOf(id)
  expect(new Set(values.map(String)).size).toBe(values.length)
  expect([question, reason].every((text) => text.length > 10)).toBe(true)
  if (chosenBy === undefined && fixed === undefined) expect(values.length).toBeGreaterThan(1)
  else expect(values).toHaveLength(1)
})
