import { describe, expect, it, test } from 'vitest'
import { AFTERMATH_GAPS } from '../../src/contract/gaps/aftermath-gaps.ts'
import { CALL_GAPS } from '../../src/contract/gaps/call-gaps.ts'
import { SALES_GAPS } from '../../src/contract/gaps/sales-gaps.ts'
import { GAP_IDS, GAPS, gapOf } from '../../src/contract/gaps.ts'
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
    const all = [CALL_GAPS, SALES_GAPS, AFTERMATH_GAPS].flatMap((part) => Object.keys(part))
    expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([])
  })
})

test.each(GAP_IDS)('%s has several legal values, or says why there is one only', (id) => {
  const { values, default: usual, question, reason, chosenBy, fixed } = gapOf(id)
  expect(values).toContain(usual)
  expect(new Set(values.map(String)).size).toBe(values.length)
  expect([question, reason].every((text) => text.length > 10)).toBe(true)
  if (chosenBy === undefined && fixed === undefined) expect(values.length).toBeGreaterThan(1)
  else expect(values).toHaveLength(1)
})
