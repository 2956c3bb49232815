import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { BAD_SERVERS } from '../../src/proof/self-test/bad-server-targets.ts'
import { defectList } from '../../src/proof/self-test/defect-list.ts'
import { allGapVariations } from '../../src/proof/self-test/gap-variations.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const page = readFileSync(at('docs/proof.md'), 'utf8')
const registry = loadRequirements()

/** The rows of the table under a heading, by cells. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(`## ${heading}`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('| '))
  return lines.slice(1).map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
}

/** A page behind its data is made anew, by the whole self-test, which only test:all runs: selftest --write-docs docs/proof.md */
describe('docs/proof.md', () => {
  test('has a row for every must requirement that can be seen', () => {
    const seen = rowsUnder('Requirements and').map(([, id]) => id)
    const musts = [...registry.requirements.values()].filter(({ level }) => level === 'must').map(({ id }) => id)
    expect(seen).toEqual(musts.filter((id) => !registry.unobservable.has(id)))
  })

  test('names every defect there is and no other', () => {
    const cells = rowsUnder('Requirements and').map((row) => row[5] ?? '')
    const named = new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, id]) => id)))
    expect([...named].sort()).toEqual(
      defectList()
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('has every legal value that was tried alone, and every server', () => {
    const tried = rowsUnder('Legal choices').reduce((sum, row) => sum + Number(row[3]), 0)
    expect(tried).toBe(allGapVariations().filter(({ choice }) => choice.includes('=')).length)
    expect(rowsUnder('Servers that').map(([, name]) => name)).toEqual(BAD_SERVERS.map(({ name }) => name))
  })
})
