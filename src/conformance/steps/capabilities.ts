import type { EndpointId } from '../../contract/endpoint-ids.ts'
import type { Scope } from '../../contract/scopes.ts'
import { hookNames, NO_RECEIVER } from '../context/hooks.ts'
import { canOperate, wayOf } from '../context/operator.ts'
import type { Run } from '../context/run.ts'
import { isOperatorAction, type OperatorAction } from '../format/operator-actions.ts'
import type { LoadedScenario, NamedStep, Scenario, Step } from '../format/scenario.ts'
import {
  actionOf,
  atOnceOf,
  callOf,
  checksOfStep,
  expectationsOf,
  expectsForbidden,
  isWrite,
  lacksOnPurpose,
  OPERATIONS,
  producedBy,
  showsOf,
  stepReferences,
} from '../format/step-facts.ts'
import { referencesIn } from '../format/values.ts'
import { lackingScopes } from '../result/lacking-scopes.ts'
import { isOpen, Open } from '../result/open.ts'
import {
  liveCredential,
  mayWriteElsewhere,
  type TargetCredential,
  whyItOnlyReads,
  whyNobodyOperates,
} from '../target/target.ts'

/** The scopes that a credential holds; null if that is not known. */
type ScopesOf = (credential: TargetCredential) => Promise<readonly Scope[]> | readonly Scope[] | null

/** Those that the target file names: the target is not asked. */
export const scopesInFile: ScopesOf = ({ scopes }) => scopes

/**
 * Whether the target has all that a scenario takes.
 *
 * @param scopesOf asks the target if the target file names no scopes of a credential; another one may leave that open.
 * @throws Open (not_run) with what is missing, most basic things first.
 */
export async function checkCapabilities(
  run: Run,
  { scenario }: LoadedScenario,
  scopesOf: ScopesOf = run.credentials.scopesOf,
): Promise<void> {
  checkWhatIsTold(run, scenario)
  await checkScopes(run, scenario, scopesOf)
  for (const step of stepsOf(scenario)) checkAccount(run, step)
  for (const need of scenario.needs ?? []) checkNeed(run, need)
}

/** The operation of a step, where its credential has to be able to make it. */
function neededOp(step: Step): EndpointId | undefined {
  return lacksOnPurpose(step.as)
    ? undefined
    : (callOf(step)?.op ?? (producedBy(step) === 'events' ? 'events.list' : undefined))
}

/** @throws Open (not_run) with all the scopes that the credentials of a scenario lack. */
async function checkScopes({ credentials }: Run, scenario: Scenario, scopesOf: ScopesOf): Promise<void> {
  const lacking = new Map<TargetCredential, Map<string, EndpointId | null>>()
  const look = async (credential: TargetCredential, scopes: readonly string[], op: EndpointId | null) => {
    const held = await scopesOf(credential)
    if (!held || scopes.some((scope) => held.some((one) => one === scope))) return
    const lacks = lacking.get(credential) ?? new Map<string, EndpointId | null>()
    lacking.set(credential, lacks)
    const words = scopes.join(' or ')
    if (!lacks.has(words)) lacks.set(words, op)
  }
  for (const step of stepsOf(scenario)) {
    const op = neededOp(step)
    if (op !== undefined) await look(credentials.pick(step.as), OPERATIONS[op].scopes, op)
  }
  for (const need of scenario.needs ?? []) {
    const scope = /^scope\.(.+)$/.exec(need)?.[1]
    if (scope !== undefined) await look(credentials.main, [scope], null)
  }
  if (lacking.size === 0) return
  const says = [...lacking].map(([{ name }, scopes]) => lackingScopes(name, [...scopes]))
  throw Open.notRun('needs-scope', says.join('; '))
}

/** @throws Open (not_run) if the account of a credential is not of the kind that a step asks for. */
function checkAccount({ credentials }: Run, step: Step): void {
  const op = neededOp(step)
  if (op === undefined) return
  const credential = credentials.pick(step.as)
  const { affiliate, merchantOfRecord } = OPERATIONS[op]
  if (affiliate && credential.affiliate === false)
    throw Open.notRun('needs-scope', `the credential ${credential.name} is not linked to an affiliate account`)
  if (merchantOfRecord && credential.merchantOfRecord === false)
    throw Open.notRun('needs-scope', `the partner of the credential ${credential.name} is not merchant of record`)
}

/**
 * The part of a scenario that the target can be judged by: without each step that is `optional: step` and lacks something there, and
 * without what names such a step. It is the whole scenario, which then cannot run, where that would take a step whose only use is what
 * comes after it; it has no steps where none is left that judges.
 *
 * @param scopesOf as for {@link checkCapabilities}.
 * @returns also, for each step and each of its checks in order, why it is not run, or null.
 */
export async function possiblePart(
  run: Run,
  whole: LoadedScenario,
  scopesOf: ScopesOf = run.credentials.scopesOf,
): Promise<{ loaded: LoadedScenario; lacking: ReadonlyMap<string, readonly (Open | null)[]> }> {
  const lacking = new Map<string, (Open | null)[]>()
  const { steps } = whole.scenario
  if (!steps.some(({ optional }) => optional === 'step')) return { loaded: whole, lacking }
  const leftOut = new Map<string, Open>()
  const whyWithout = (part: Step): Open | null => {
    const [first] = namedIn(part).flatMap((name) => leftOut.get(name) ?? [])
    return first ?? null
  }
  const possible: NamedStep[] = []
  for (const step of steps) {
    const { expect: _, ...doing } = step
    const without = (step.optional === 'step' && (await whatLacks(run, step, scopesOf))) || whyWithout(doing)
    const expected = expectationsOf(step).map((expect) => ({ expect, lack: whyWithout({ expect }) }))
    const rest = expected.flatMap(({ expect, lack }) => (lack ? [] : [expect]))
    const lack = without ?? (rest.length === 0 ? (expected[0]?.lack ?? null) : null)
    const checks = checksOfStep(step)
    // What comes after a step that only does something counts on it.
    if (lack && step.optional === undefined && checks.length === 0) return { loaded: whole, lacking: new Map() }
    if (lack) leftOut.set(step.id, lack)
    else possible.push({ ...step, ...(rest.length < expected.length && { expect: rest }) })
    const ofExpected = expected.flatMap(({ expect, lack }) => showsOf(expect).map(() => lack))
    lacking.set(
      step.id,
      checks.map((_, at) => lack ?? ofExpected[at] ?? null),
    )
  }
  const { title, proves } = whole.scenario
  const judges = possible.some((step) => checksOfStep(step).length > 0)
  return {
    loaded: { ...whole, scenario: judges ? { ...whole.scenario, steps: possible } : { title, proves, steps: [] } },
    lacking,
  }
}

/** The steps that one, or what it expects, is about. */
function namedIn(part: Step): string[] {
  const inTemplates = referencesIn(part).map(([first]) => String(first))
  return [...inTemplates, ...stepReferences(part).map(([, id]) => id)]
}

/** What the target lacks for a step; null if nothing. */
async function whatLacks(run: Run, step: NamedStep, scopesOf: ScopesOf): Promise<Open | null> {
  const alone: LoadedScenario = { id: '', file: '', scenario: { title: '', proves: [], steps: [step] } }
  try {
    await checkCapabilities(run, alone, scopesOf)
    return null
  } catch (error) {
    if (isOpen(error, 'not_run')) return error
    throw error
  }
}

/** Whether a scenario may run, as far as that is known without asking the target. */
export function mayRun(run: Run, { scenario }: LoadedScenario): boolean {
  try {
    checkWhatIsTold(run, scenario)
    return true
  } catch (error) {
    if (isOpen(error, 'not_run')) return false
    throw error
  }
}

/** All steps of a scenario, clean-up included. */
export function stepsOf({ steps, cleanup = [] }: Scenario): Step[] {
  return [...steps, ...cleanup]
}

/** @throws Open (not_run) for what the target file, or the flags, already leave out. */
function checkWhatIsTold(run: Run, scenario: Scenario): void {
  const { target } = run
  const steps = stepsOf(scenario)
  const writes = steps.find(isWrite)
  if (writes && target.mode === 'read') {
    throw Open.notRun('read-only', `this scenario writes, and ${whyItOnlyReads(target)}`)
  }
  if (steps.some((step) => step.as === 'other_environment' && isWrite(step))) {
    const credential = run.credentials.pick('other_environment')
    if (!mayWriteElsewhere(target, credential))
      throw Open.notRun('read-only', `${credential.name} is of another environment, where it only reads`)
  }
  if (liveCredential(target) && steps.some((step) => step.call?.at_once !== undefined && isWrite(step))) {
    throw Open.notRun('read-only', 'writes are never made several at once with a live key')
  }
  if (hookNames(scenario).length > 0 && !run.receiver) throw Open.notRun('needs-receiver', NO_RECEIVER)
  for (const step of steps) {
    if (step.operator && wayOf(run, step) === null)
      throw Open.notRun('needs-operator', nobodyCan(run, actionOf(step)[0]))
    if (step.as !== undefined) run.credentials.pick(step.as, expectsForbidden(step))
    const call = callOf(step)
    const another = call && atOnceOf(call).with
    if (another !== undefined) run.credentials.pick(another)
    const without = step.fault?.scope as { without?: never } | undefined
    if (without?.without !== undefined) run.credentials.pick({ without: without.without }, expectsForbidden(step))
    const key = (step.fault?.signature as { key?: unknown } | undefined)?.key
    if (typeof key === 'string' && key !== 'key_id') run.credentials.called(key)
  }
}

function nobodyCan(run: Run, action: string): string {
  return `no way to ${action.replaceAll('_', ' ')}: ${whyNobodyOperates(run.target)}`
}

function checkNeed(run: Run, need: string): void {
  const [kind = '', name = ''] = need.split('.', 2)
  if (kind === 'partner') run.credentials.pick('other_partner')
  if (kind === 'affiliate' && run.credentials.main.affiliate === false)
    throw Open.notRun('needs-scope', 'the credential main is not linked to an affiliate account')
  if (kind === 'merchant' && run.credentials.main.merchantOfRecord === false)
    throw Open.notRun('needs-scope', 'the main partner is not merchant of record')
  if (kind === 'operator' && isOperatorAction(name) && !canBeDone(run, name)) {
    throw Open.notRun('needs-operator', nobodyCan(run, name))
  }
}

/** By an operator, a person, or the time that passes: how long is a matter of the step that takes it. */
function canBeDone(run: Run, action: OperatorAction): boolean {
  if (canOperate(run.target, action) || run.ask !== undefined) return true
  return action === 'advance_clock' && run.maxWaitMs > 0
}
