import { expect, it } from 'vitest'
import { parseTarget } from '../../src/conformance/target/load-target.ts'
import { judge } from '../support/referee.ts'
import { startSandbox } from '../support/sandbox.ts'
import { scenarios } from '../support/suite.ts'

const WITH_OPTIONAL_STEPS = scenarios.filter(({ scenario }) =>
  scenario.steps.some(({ optional }) => optional === 'step'),
)

it.each([
  ['one key', 'name'],
  ['the keys of one partner', 'partner_id'],
] as const)('a sandbox is right for a target file with %s, whatever has to be left out', async (_which, alike) => {
  const { url, operator, credentials } = await startSandbox()
  const main = credentials.find(({ name }) => name === 'main')
  const keys = credentials.filter((key) => key[alike] === main?.[alike])
  const file = {
    url,
    mode: 'operator',
    credentials: keys.map(({ name, key_id, secret, scopes, partner_id: partner }) => ({
      name,
      partner,
      key_id,
      secret,
      scopes,
    })),
    operator: { url: operator?.url },
    patience: { events: '1s', deliveries: '1s', reports: '1s', refunds: '1s' },
    budget: { per_second: 1000 },
  }
  const { target } = parseTarget(JSON.stringify(file), 'target.yaml', {})
  if (!target) throw new Error('the target file is not valid')
  const run = await judge(target, WITH_OPTIONAL_STEPS)
  const wrong = run.scenarios
    .flatMap(({ id, checks }) => checks.map((check) => ({ id, ...check })))
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'harness_error')
  expect(wrong.map(({ id, step, actual }) => `${id} > ${step}: ${actual}`)).toEqual([])
  expect(run.verdict).toBe('not_fully_verified')
})
