import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepRequirements, keptRequirements, readRequirements } from '../../src/conformance/format/requirements.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = 'fixtures/requirements.yaml'
const { registry } = readRequirements(SOURCE)

function kept(): string {
  const file = join(tempFolder(), 'requirements.json')
  keepRequirements(new Map([[SOURCE, registry]]), file)
  return file
}

it('a registry that the build has read is as if it were read again', () => {
  expect(keptRequirements(SOURCE, kept())).toEqual(registry)
})

it('a registry that was edited since is read again', () => {
  const edited = join(tempFolder(), 'edited.yaml')
  writeFileSync(edited, 'requirements: { NEW-01: { level: must, text: New. } }\n')
  expect(keptRequirements(edited, kept())).toBeNull()
})

it.each(['', '[]', '{"rules":', 'null'])('a damaged file counts for nothing: %j', (text) => {
  const file = join(tempFolder(), 'requirements.json')
  writeFileSync(file, text)
  expect(keptRequirements(SOURCE, file)).toBeNull()
})
