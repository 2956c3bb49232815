import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ERROR_CODES, ERRORS, statusOf } from '../../src/contract/errors.ts'
import { DEFAULT_GAPS } from '../../src/contract/gaps.ts'
import { repoRoot } from './repo.ts'

/** The cells of each row of the table of codes. */
function rows(): string[][] {
  const section = readFileSync(join(repoRoot, 'docs/errors.md'), 'utf8').split('\n## Codes')[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) => line.split('|').map((cell) => cell.trim()))
}

it('docs/errors.md has every code of the document with its status, a cause and a cure; what the document leaves open is marked', () => {
  const expected = ERROR_CODES.map((code) => [
    `\`${code}\``,
    `${statusOf(code, DEFAULT_GAPS)}${ERRORS[code].status === null ? '*' : ''}`,
  ])
  expect(rows().map(([, code, status]) => [code, status])).toEqual(expected)
  expect(rows().filter(([, , , cause = '', cure = '']) => cause.length < 10 || cure.length < 10)).toEqual([])
})
