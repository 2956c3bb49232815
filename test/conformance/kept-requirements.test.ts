import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestOf, keptIn, loadRequirements } from '../../src/conformance/format/requirements.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = 'fixtures/requirements.yaml'

/** Differs from what the file says, so that it shows which of the two was read. */
const KEPT = { [digestOf(SOURCE) ?? '']: { requirements: { 'OLD-01': { level: 'must', text: 'Old.' } as const } } }

const idsOf = (file: string) => [...loadRequirements(file, KEPT).requirements.keys()]

it('a registry that the build has read is not read again', () => {
  expect(idsOf(SOURCE)).toEqual(['OLD-01'])
})

it('a registry that was edited since is read again', () => {
  const edited = join(tempFolder(), 'edited.yaml')
  writeFileSync(edited, 'requirements: { NEW-01: { level: must, text: New. } }\n')
  expect(idsOf(edited)).toEqual(['NEW-01'])
})

it.each(['', '[]', '{"rules":', 'null'])('a damaged file counts for nothing: %j', (text) => {
  const file = join(tempFolder(), 'kept.json')
  writeFileSync(file, text)
  expect(Object.entries(keptIn(file))).toEqual([])
})
