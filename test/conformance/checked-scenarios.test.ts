import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CheckedScenarios, loadScenarios, readChecked } from '../../src/conformance/format/load-scenarios.ts'
import { models, registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FILES = [...new Set(models.map(({ file }) => file))]

/** What was checked before, as a later process reads it. */
function checkedBefore(): CheckedScenarios {
  const checked: CheckedScenarios = new Map()
  loadScenarios(FILES, registry, checked)
  const file = join(tempFolder(), 'checked.json')
  writeFileSync(file, JSON.stringify(Object.fromEntries(checked)))
  return readChecked(file)
}

it('files that were checked before load as they did then', () => {
  const checked = checkedBefore()
  expect(checked.size).toBe(FILES.length)
  expect(loadScenarios(FILES, registry, checked)).toEqual(loadScenarios(FILES, registry, new Map()))
})

it('a file that was edited is read and linted', () => {
  const file = join(tempFolder(), 'edited.yaml')
  writeFileSync(file, 'title: Edited\nproves: [NO-99]\nsteps: []\n')
  expect(loadScenarios(file, registry, checkedBefore()).problems.length).toBeGreaterThan(0)
})

it('a file is known by its bytes alone', () => {
  const [known] = [...checkedBefore().keys()]
  const title = 'Nobody wrote this in any file'
  const scenario = { title, proves: [], steps: [] }
  const forged = new Map([[known as string, [{ id: null, name: null, scenario }]]])
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
  const checked = checkedBefore()
  const fewer = { ...registry, requirements: new Map([...registry.requirements].slice(1)) }
  loadScenarios(FILES, fewer, checked)
  expect(checked.size).toBeGreaterThan(FILES.length)
})
