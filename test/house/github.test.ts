import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repoFiles, repoRoot } from './repo.ts'

const read = (path: string) => readFileSync(join(repoRoot, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

interface Job {
  strategy?: { matrix: { node: string[] } }
  permissions?: Record<string, string>
  steps: { uses?: string; run?: string }[]
}

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const workflows = repoFiles('.github/workflows').map((path) => ({ path, ...(parse(read(path)) as Workflow) }))

test('workflows run scripts that exist, and may write nothing to the repository', () => {
  expect(workflows.length).toBe(2)
  for (const { path, permissions, jobs } of workflows) {
    expect(permissions, path).toEqual({ contents: 'read' })
    for (const { permissions: own, steps } of Object.values(jobs)) {
      expect(Object.entries(own ?? {}).filter(([name, may]) => may === 'write' && name !== 'id-token')).toEqual([])
      const commands = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run ([\w:]+)/g)])
      for (const [, script = ''] of commands) expect(Object.keys(scripts), path).toContain(script)
      for (const { run = '' } of steps) if (run.startsWith('.ci/')) expect(repoFiles('.ci')).toContain(run)
    }
  }
})

test('the checkout and the packed package are tested on every release of Node that is named', () => {
  const nodes = workflows.flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix.node ?? []),
  )
  const majors = new Set(nodes.map((node) => Number(node.split('.')[0])))
  expect([...majors].sort()).toEqual([20, 22, 24, 26])
  expect(nodes).toContain(read('.nvmrc').trim())
})

test('each issue form has fields with ids and labels', () => {
  const forms = repoFiles('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('config.yml'))
  expect(forms.length).toBe(3)
  for (const path of forms) {
    const { name, description, body } = parse(read(path))
    expect(
      [name, description].every((text) => typeof text === 'string' && text !== ''),
      path,
    ).toBe(true)
    for (const { type, id, attributes } of body) {
      expect(['textarea', 'input'], path).toContain(type)
      expect(id, path).toMatch(/^[a-z]+$/)
      expect(attributes.label, path).toEqual(expect.any(String))
    }
  }
})
