import type { Scope } from '../../contract/scopes.ts'
import { hookNames, NO_RECEIVER } from '../context/open-receivers.ts'
import { canOperate } from '../context/operator.ts'
import { wayOf } from '../context/operator-ladder.ts'
import type { Desk } from '../context/scenario-run.ts'
import { isOperatorAction, type OperatorAction } from '../format/operator-actions.ts'
import type { LoadedScenario, Scenario, Step } from '../format/scenario.ts'
import { callOf, endpointOf, expectsForbidden } from '../format/step-names.ts'
import { NotRun } from '../result/signals.ts'
import { hasLiveKey, type TargetCredential } from '../target/target.ts'
import { whyItOnlyReads, whyNobodyOperates } from '../target/target-advice.ts'

/** The scopes that a credential holds; null where that is not known. */
type ScopesOf = (credential: TargetCredential) => Promise<readonly Scope[]> | readonly Scope[] | null

/**
 * Whether the target has all that a scenario takes.
 *
 * @param scopesOf asks the target where nobody told the scopes of a credential; another one may leave that open.
 * @throws NotRun with what is missing, most basic things first.
 */
export async function checkCapabilities(
  desk: Desk,
  { scenario }: LoadedScenario,
  scopesOf: ScopesOf = desk.cast.scopesOf,
): Promise<void> {
  const steps = stepsOf(scenario)
  checkWhatIsTold(desk, scenario)
  for (const step of steps) await checkScopes(desk, step, scopesOf)
  for (const need of scenario.needs ?? []) await checkNeed(desk, need, scopesOf)
}

/** Whether a scenario may run, as far as that can be told without asking the target. */
export function mayRun(desk: Desk, { scenario }: LoadedScenario): boolean {
  try {
    checkWhatIsTold(desk, scenario)
    return true
  } catch (error) {
    if (error instanceof NotRun) return false
    throw error
  }
}

function stepsOf(scenario: Scenario): Step[] {
  return [...scenario.steps, ...(scenario.cleanup ?? [])]
}

/** @throws NotRun for what the target file, or the flags, already leave out. */
function checkWhatIsTold(desk: Desk, scenario: Scenario): void {
  const steps = stepsOf(scenario)
  checkMode(desk, steps)
  if (hookNames(scenario).length > 0 && !desk.campaign.receiver) throw new NotRun('needs-receiver', NO_RECEIVER)
  for (const step of steps) {
    checkOperator(desk, step)
    checkCredentials(desk, step)
  }
}

function nobodyCan({ campaign }: Desk, action: string): string {
  return `nobody can ${action.replaceAll('_', ' ')}: ${whyNobodyOperates(campaign.target)}`
}

function checkMode(desk: Desk, steps: readonly Step[]): void {
  const { target } = desk.campaign
  const writes = steps.find(isWrite)
  if (!writes) return
  if (target.mode === 'read') {
    throw new NotRun('read-only', `this scenario writes, and ${whyItOnlyReads(target)}`)
  }
  if (hasLiveKey(target) && steps.some((step) => step.burst && isWrite(step))) {
    throw new NotRun('read-only', 'bursts of writes are never sent with a live key')
  }
}

/** Whether a step may change anything at the target. */
export function isWrite(step: Step): boolean {
  if (step.submit) return true
  const call = callOf(step)
  if (!call) return false
  if (call.op === undefined) return call.method !== 'GET' && call.method !== 'HEAD'
  return (
    endpointOf(call.op).effect === 'write' ||
    (call.method !== undefined && call.method !== 'GET' && call.method !== 'HEAD')
  )
}

function checkOperator(desk: Desk, step: Step): void {
  for (const action of Object.keys(step.operator ?? {})) {
    if (!isOperatorAction(action)) throw new RangeError(`${action} is no operator action`)
    if (wayOf(desk.campaign, step) === null) throw new NotRun('needs-operator', nobodyCan(desk, action))
  }
}

function checkCredentials(desk: Desk, step: Step): void {
  const anyPartner = expectsForbidden(step)
  if (step.as !== undefined) desk.cast.pick(step.as, anyPartner)
  const without = step.fault?.scope as { without?: never } | undefined
  if (without?.without !== undefined) desk.cast.pick({ without: without.without }, anyPartner)
  const key = (step.fault?.signature as { key?: unknown } | undefined)?.key
  if (typeof key === 'string' && key !== 'key_id') desk.cast.called(key)
}

/** Nothing is lacking in these on purpose. */
const PLAIN: readonly unknown[] = ['main', 'other_partner', 'other_environment']

async function checkScopes(desk: Desk, step: Step, scopesOf: ScopesOf): Promise<void> {
  const call = callOf(step)
  const reads = step.mark ?? step.events ?? step.quiet
  const op = call?.op ?? (reads === undefined ? undefined : 'events.list')
  const isPlain = step.as === undefined || PLAIN.includes(step.as)
  if (op === undefined || !isPlain) return
  const credential = desk.cast.pick(step.as)
  const { scopes, affiliate, merchantOfRecord } = endpointOf(op)
  const held = await scopesOf(credential)
  if (held && !scopes.some((scope) => held.includes(scope))) {
    throw new NotRun(
      'needs-scope',
      `the credential ${credential.name} needs the scope ${scopes.join(' or ')} for ${op}`,
    )
  }
  if (affiliate && credential.affiliate === false) {
    throw new NotRun('needs-scope', `the credential ${credential.name} is not linked to an affiliate account`)
  }
  if (merchantOfRecord && credential.merchantOfRecord === false) {
    throw new NotRun('needs-scope', `the partner of the credential ${credential.name} is not merchant of record`)
  }
}

async function checkNeed(desk: Desk, need: string, scopesOf: ScopesOf): Promise<void> {
  const [kind = '', name = ''] = need.split('.', 2)
  if (kind === 'scope') {
    const held = await scopesOf(desk.cast.main)
    if (held && !held.some((scope) => scope === name))
      throw new NotRun('needs-scope', `the credential main needs the scope ${name}`)
  }
  if (kind === 'partner') desk.cast.pick('other_partner')
  if (kind === 'affiliate' && desk.cast.main.affiliate === false)
    throw new NotRun('needs-scope', 'the credential main is not linked to an affiliate account')
  if (kind === 'merchant' && desk.cast.main.merchantOfRecord === false)
    throw new NotRun('needs-scope', 'the main partner is not merchant of record')
  if (kind === 'operator' && isOperatorAction(name) && !canBeDone(desk, name)) {
    throw new NotRun('needs-operator', nobodyCan(desk, name))
  }
}

/** By an operator, a person, or the time that passes: how long is a matter of the step that takes it. */
function canBeDone({ campaign }: Desk, action: OperatorAction): boolean {
  if (canOperate(campaign.target, action) || campaign.ask !== undefined) return true
  return action === 'advance_clock' && campaign.maxWaitMs > 0
}
