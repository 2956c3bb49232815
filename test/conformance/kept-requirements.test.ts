import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepRequirements, loadRequirements, readRequirements } from '../../src/conformance/format/requirements.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = 'fixtures/requirements.yaml'
const { registry } = readRequirements(SOURCE)

/** Differs from what the file says, so that it shows which of the two was read. */
const KEPT = { ...registry, conflicts: [] }

function kept(): string {
  const file = join(tempFolder(), 'requirements.json')
  keepRequirements(new Map([[SOURCE, KEPT]]), file)
  return file
}

it('a registry that the build has read is not read again', () => {
  expect(loadRequirements(SOURCE, kept())).toEqual({ registry: KEPT, problems: [] })
  expect(registry.conflicts).not.toEqual([])
})

it('a registry that was edited since is read again', () => {
  const edited = join(tempFolder(), 'edited.yaml')
  writeFileSync(edited, 'requirements: { NEW-01: { level: must, text: New. } }\n')
  expect([...loadRequirements(edited, kept()).registry.requirements.keys()]).toEqual(['NEW-01'])
})

it.each(['', '[]', '{"rules":', 'null'])('a damaged file counts for nothing: %j', (text) => {
  const file = join(tempFolder(), 'requirements.json')
  writeFileSync(file, text)
  expect(loadRequirements(SOURCE, file).registry).toEqual(registry)
})
