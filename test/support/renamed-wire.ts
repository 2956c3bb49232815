import { onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import type { LoadedScenario } from '../../src/conformance/format/scenario.ts'
import type { CheckResult } from '../../src/conformance/result/result.ts'
import { parseTarget } from '../../src/conformance/target/load-target.ts'
import type { Target } from '../../src/conformance/target/target.ts'
import type { GapChoices } from '../../src/contract/choices.ts'
import { plain, startProxy } from '../../src/proof/self-test/correct-proxy.ts'
import { startServer } from '../../src/server.ts'
import { judge, registry } from './referee.ts'

/** Changes the JSON of an accepted answer. */
export type Speech = (path: string, json: unknown) => unknown

export interface Stranger {
  target(dialect?: Record<string, unknown>): Target
}

/** A sandbox that says things otherwise, and whose choices nobody can ask its operator for. */
export async function startStranger(speech: Speech, gaps: Partial<GapChoices> = {}): Promise<Stranger> {
  const sandbox = await startServer({ port: 0, operatorPort: 0, wall: wallClock, gaps })
  const front = await startProxy(sandbox.url, (request, response, answer) => {
    if (answer.status >= 300 || !String(answer.headers['content-type']).includes('json')) return false
    const path = new URL(request.url ?? '/', 'http://front.test').pathname
    const json = speech(path, JSON.parse(answer.body.toString('utf8')))
    plain(response, { ...answer, body: Buffer.from(JSON.stringify(json)) })
    return true
  })
  onTestFinished(async () => {
    await front.close()
    await sandbox.close()
  })
  const credentials = sandbox.credentials
    .filter(({ name }) => name === 'main' || name === 'other-partner')
    .map(({ name, key_id, secret, scopes, partner_id: partner }) => ({ name, key_id, secret, scopes, partner }))
  return {
    target(dialect = {}) {
      const patience = { events: '0s', reports: '0s', refunds: '0s' }
      const file = { url: front.url, mode: 'write', credentials, dialect, patience }
      const { target, problems } = parseTarget(JSON.stringify(file), 'target.yaml', {})
      if (!target) throw new Error(JSON.stringify(problems))
      return target
    },
  }
}

/** A scenario that waits for what comes late hardly at all: these services are never late. */
function inHaste(loaded: LoadedScenario): LoadedScenario {
  const steps = loaded.scenario.steps.map((step) =>
    step.call?.until ? { ...step, call: { ...step.call, until: '0s' } } : step,
  )
  return { ...loaded, scenario: { ...loaded.scenario, steps } }
}

/** The checks of some scenarios of this package. */
export async function checksOf(target: Target, ids: readonly string[]): Promise<(CheckResult & { in: string })[]> {
  const { scenarios } = loadScenarios(
    ids.map((id) => `scenarios/${id}.yaml`),
    registry,
  )
  const result = await judge(target, scenarios.map(inHaste))
  return result.scenarios.flatMap(({ id, checks }) => checks.map((check) => ({ ...check, in: id })))
}
