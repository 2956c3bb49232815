import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  keepChecked,
  loadScenarios,
  NOTHING_CHECKED,
  readChecked,
} from '../../src/conformance/format/load-scenarios.ts'
import { models, registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FILES = models.map(({ file }) => file)

function kept() {
  const file = join(tempFolder(), 'checked.json')
  keepChecked(models, registry, file)
  return { file, checked: readChecked(registry, file) }
}

it('files that were checked before load as they did then', () => {
  const { checked } = kept()
  expect(checked.size).toBe(models.length)
  expect(loadScenarios(FILES, registry, checked)).toEqual(loadScenarios(FILES, registry, NOTHING_CHECKED))
})

it('a file that was edited is read and linted', () => {
  const { checked } = kept()
  const file = join(tempFolder(), 'edited.yaml')
  writeFileSync(file, 'title: Edited\nproves: [NO-99]\nsteps: []\n')
  expect(loadScenarios(file, registry, checked).problems.length).toBeGreaterThan(0)
})

it('a file is known by its bytes alone', () => {
  const { checked } = kept()
  const [known] = [...checked.keys()]
  const title = 'Nobody wrote this in any file'
  const forged = new Map([[known as string, { written: { title, proves: [], steps: [] } }]])
  const titles = loadScenarios(FILES, registry, forged).scenarios.map(({ scenario }) => scenario.title)
  expect(titles.filter((one) => one === title)).toHaveLength(1)
})

it('a file without a problem is parsed once a process, and one with a problem each time', () => {
  const file = join(tempFolder(), 'read.yaml')
  writeFileSync(file, 'title: Edited\nproves: [NO-99]\nsteps: []\n')
  const { problems } = loadScenarios(file, registry)
  expect(loadScenarios(file, registry)).toEqual({ scenarios: [], problems })
  const [once] = loadScenarios(FILES, registry).scenarios
  const [again] = loadScenarios(FILES, registry).scenarios
  expect(again?.scenario).toBe(once?.scenario)
})

it('what was checked by another registry counts for nothing', () => {
  const { file } = kept()
  const fewer = { ...registry, requirements: new Map([...registry.requirements].slice(1)) }
  expect(readChecked(fewer, file).size).toBe(0)
})

it.each(['', '[]', '{"rules":', 'null'])('a damaged file counts for nothing: %j', (text) => {
  const file = join(tempFolder(), 'checked.json')
  writeFileSync(file, text)
  expect(readChecked(registry, file).size).toBe(0)
})
