import type { TestSandbox } from '../support/sandbox.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

/** What another partner gets the first nine times that it asks, and what it gets then. */
async function askedTenTimes(sandbox: TestSandbox, path: string): Promise<[string[], string | undefined]> {
  const outcomes: string[] = []
  for (let n = 0; n < 10; n++) outcomes.push(outcome(await sandbox.call({ path, as: 'other-partner' })))
  return [[...new Set(outcomes.slice(0, 9))], outcomes[9]]
}

const order: Probe['look'] = async (sandbox) =>
  askedTenTimes(sandbox, `/orders/${(await sandbox.sell()).json.public_id}`)

const brokerageCase: Probe['look'] = async (sandbox) => {
  const body = { tier: 'managed', buyer_email: 'buyer@example.test', budget: 500_000 }
  return askedTenTimes(sandbox, `/brokerage/${(await sandbox.call({ path: '/brokerage', body })).json.case_id}`)
}

const NEVER = [['404 not_found'], '404 not_found']
const THE_TENTH_TIME = [['404 not_found'], '200']

showDefects([
  { defect: 'order-of-another-is-readable-now-and-then', look: order, sound: NEVER, broken: THE_TENTH_TIME },
  { defect: 'case-of-another-is-readable-now-and-then', look: brokerageCase, sound: NEVER, broken: THE_TENTH_TIME },
])
