import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import type { Scenario } from '../../src/conformance/format/scenario.ts'
import type { TestSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cliAgainst } from './against.ts'
import { cli } from './run.ts'

/** What `record` writes, below a folder of scenarios, and what it says. */
export async function recorded(sandbox: TestSandbox, ...args: string[]) {
  const folder = tempFolder()
  const file = join(folder, 'scenarios/mine/recorded.yaml')
  mkdirSync(dirname(file), { recursive: true })
  const { code, out, err } = await cliAgainst(sandbox).run('record', '--out', file, ...args)
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('run it with') })
  return { file, err, scenario: parse(readFileSync(file, 'utf8')) as Scenario }
}

export function judged(file: string, ...args: string[]) {
  return cli(['conform', '--self', '--scenarios', file, '--reporter', 'json', ...args])
}

/** Every check of a recording passes against a fresh sandbox; how many there are. */
export async function expectGreen(file: string): Promise<number> {
  expect(loadScenarios(file, loadRequirements()).problems).toEqual([])
  const run = await judged(file, '--allow-unverified')
  const { summary, scenarios } = JSON.parse(run.out) as {
    summary: { checks: Record<string, number> }
    scenarios: { checks: { verdict: string; note?: string }[] }[]
  }
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const others = checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'tolerated')
  expect({ code: run.code, others, err: run.err }).toEqual({ code: 0, others: [], err: run.err })
  const { fail, inconclusive, harness_error, not_run, pass = 0 } = summary.checks
  expect({ fail, inconclusive, harness_error, not_run }).toEqual({
    fail: 0,
    inconclusive: 0,
    harness_error: 0,
    not_run: 0,
  })
  return pass
}
