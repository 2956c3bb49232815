import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import type { Outline } from '../result/result.ts'
import { isRead } from '../signing/sign-call.ts'
import type { DocumentPath } from '../yaml/read-yaml.ts'
import type { Expectation } from './expectations/expectation.ts'
import type { OperatorAction } from './operator-actions.ts'
import type { RoleName } from './roles.ts'
import type { CallStep, LoadedScenario, NamedScenario, NamedStep, ObserveItem, Scenario, Step } from './scenario.ts'
import { STEP_KIND_NAMES, STEP_KINDS } from './step-kinds.ts'
import { FIXTURES, referencesIn, type Template } from './values.ts'

/** The kinds whose keys a step has; it has exactly one. */
export function kindsOf(step: Step): (keyof typeof STEP_KINDS)[] {
  return STEP_KIND_NAMES.filter((kind) => step[kind] !== undefined)
}

/** The steps with their names in reports, for those that were given no id. */
export function namedSteps(steps: readonly Step[]): NamedStep[] {
  return steps.map((step, index) => ({ ...step, id: step.id ?? `step${index + 1}` }))
}

export function namedScenario(scenario: Scenario): NamedScenario {
  return { ...scenario, steps: namedSteps(scenario.steps) }
}

/** The one action of an operator step, and its argument. */
export function actionOf({ operator = {} }: Step): [OperatorAction, Template] {
  return Object.entries(operator)[0] as [OperatorAction, Template]
}

/** What a step expects, always as a list; plain acceptance counts as none here. */
export function expectationsOf(step: Step): Expectation[] {
  if (step.expect === undefined || step.expect === 'accepted') return []
  return Array.isArray(step.expect) ? step.expect : [step.expect]
}

export function observationsOf(step: Step): ObserveItem[] {
  const items = step.observe === undefined ? [] : Array.isArray(step.observe) ? step.observe : [step.observe]
  return items.map((item) => (typeof item === 'string' ? { gap: item } : item))
}

/** What an observation is called, and pinned by. */
export function observationName({ gap, as }: ObserveItem): string {
  return as === undefined ? gap : `${gap}/${as}`
}

export function showsOf(expectation: Expectation): string[] {
  if (expectation.shows === undefined) return []
  return typeof expectation.shows === 'string' ? [expectation.shows] : expectation.shows
}

/** What a step produces, for expectations to be about; null if nothing. */
export function producedBy(step: Step) {
  const [kind] = kindsOf(step)
  return kind === undefined ? null : STEP_KINDS[kind].produces(step[kind] as never)
}

/** Where a step names another, apart from expressions. */
export function stepReferences(step: Step): (readonly [DocumentPath, string])[] {
  const named = kindsOf(step).flatMap((kind) =>
    STEP_KINDS[kind].names(step[kind] as never).map(([at, id]) => [[kind, ...at] as DocumentPath, id] as const),
  )
  const reuse = (step.fault?.nonce as { reuse?: string } | undefined)?.reuse
  const compared = expectationsOf(step).map(({ same_as: other }) => (typeof other === 'string' ? other : other?.step))
  const all: (readonly [DocumentPath, string | undefined])[] = [
    ...named,
    [['fault', 'nonce', 'reuse'], reuse],
    ...compared.map((id): [DocumentPath, string | undefined] => [['expect'], id]),
    ...expectationsOf(step).map(({ judge }): [DocumentPath, string | undefined] => [['expect'], listNamedBy(judge)]),
    ...expectationsOf(step).map(({ unless }): [DocumentPath, string | undefined] => [
      ['expect', 'unless', 'step'],
      unless?.step,
    ]),
  ]
  return all.flatMap(([at, id]) => (typeof id === 'string' ? [[at, id] as const] : []))
}

function listNamedBy(judge: Expectation['judge']): string | undefined {
  return typeof judge === 'object' && 'every_order_of_run' in judge ? judge.every_order_of_run.of_list : undefined
}

/** The call of a step; one that repeats the call of another step, or is about those of the run, has none of its own. */
export function callOf({ call }: Step): CallStep | undefined {
  return call === undefined || call.again !== undefined || call.after !== undefined || call.of_run ? undefined : call
}

/** Whether a step makes one call of its own, once: it may have a fault. */
export function isPlainCall(step: Step): boolean {
  const call = callOf(step)
  return call !== undefined && call.at_once === undefined && call.until === undefined
}

/** How many calls are made at once, and what they have in common. */
export function atOnceOf({ at_once: atOnce = 1 }: CallStep): Exclude<NonNullable<CallStep['at_once']>, number> {
  return typeof atOnce === 'number' ? { calls: atOnce } : atOnce
}

/** The operation that records an order: the sale whose price the partner has collected. */
export const RECORD_ORDER = ENDPOINT_IDS.find((id) => ENDPOINTS[id].creates?.kind === 'order') as EndpointId

/** Whether the step is meant to be refused. */
export function expectsRefusal(step: Step): boolean {
  return expectationsOf(step).some((expectation) => expectation.refused !== undefined)
}

/** Whether the step is to be refused for a missing scope, and not for who owns something. */
export function expectsForbidden(step: Step): boolean {
  const expectations = expectationsOf(step)
  return expectations.length > 0 && expectations.every(({ refused }) => refused === 'forbidden')
}

/** Whether a credential lacks something on purpose: a scope, or what its partner or account is. */
export function lacksOnPurpose(as: Step['as']): boolean {
  return typeof as === 'object' || as === 'no_affiliate' || as === 'not_merchant'
}

/** Whether a step may end either way: it observes, and expects nothing. */
export function onlyObserves({ expect, observe }: Step): boolean {
  return expect === undefined && observe !== undefined
}

/** The rows of all operations, each typed as a row rather than as this one. */
export const OPERATIONS: Readonly<Record<EndpointId, Endpoint>> = ENDPOINTS

/** Whether a step may change anything at the target by a call, or by pressing a button. */
export function isWrite(step: Step): boolean {
  const { op, method = 'GET' } = callOf(step) ?? {}
  return step.page?.press !== undefined || (op && OPERATIONS[op].effect === 'write') || !isRead({ method })
}

/** What a run reports of a scenario in any case. */
export function outlineOf({ id, file, scenario }: LoadedScenario): Outline {
  return { id, title: scenario.title, file, checks: declaredChecks(scenario) }
}

/** Every check that a scenario will report, in order and in every case: none may get lost. */
export function declaredChecks(scenario: NamedScenario): Outline['checks'] {
  return scenario.steps.flatMap(checksOfStep)
}

/** The requirements that a scenario proves or observes. */
export function requirementsOf(scenario: NamedScenario): string[] {
  return declaredChecks(scenario).map(({ requirement }) => requirement)
}

export function checksOfStep(step: NamedStep): Outline['checks'] {
  const shown = expectationsOf(step).flatMap(showsOf)
  const observed = observationsOf(step).map((item) => item.gap)
  const { optional } = step
  return [...shown, ...observed].map((requirement) => ({
    step: step.id,
    requirement,
    ...(optional && { optional: true }),
  }))
}

/** The list that an operation answers with. */
export const LIST_OF: Partial<Record<EndpointId, RoleName>> = Object.fromEntries(
  ENDPOINT_IDS.flatMap((id): [EndpointId, RoleName][] => {
    const { list } = ENDPOINTS[id]
    return list ? [[id, list.items]] : []
  }),
)

/** What leads to the next page of that list. */
export function nextRoleOf(op: EndpointId): RoleName {
  return ENDPOINTS[op].list?.next ?? 'list.next'
}

/** The words that a scenario is selected by: its folder, `open` if it proves nothing, and those of its file. */
export function tagsOf({ id, scenario: { proves, tags = [] } }: Pick<LoadedScenario, 'id' | 'scenario'>): string[] {
  const area = id.includes('/') ? id.split('/').slice(0, 1) : []
  return [...new Set([...area, ...(proves.length === 0 ? ['open'] : []), ...tags])]
}

/** What a scenario leaves behind, at most: what its steps come to, where its file does not say otherwise. */
export function effectsOf(scenario: Pick<Scenario, 'steps' | 'effects'>): NonNullable<Scenario['effects']> {
  return { ...derivedEffects(scenario), ...scenario.effects }
}

/** The effect in which each operation that leaves something behind is counted. */
const COUNTED: Readonly<Partial<Record<EndpointId, CountedEffect>>> = Object.fromEntries(
  ENDPOINT_IDS.flatMap((id): [EndpointId, CountedEffect][] => {
    const { creates } = ENDPOINTS[id]
    return creates ? [[id, `${creates.kind}s`]] : []
  }),
)

type CountedEffect = Exclude<keyof NonNullable<Scenario['effects']>, 'clock' | 'settlement' | 'exclusive' | 'last'>

/** Operator actions that reach beyond a scenario, so that nothing may run beside it. */
const FAR_REACHING = [
  { effect: 'clock', actions: ['advance_clock', 'skew_clock'] },
  { effect: 'settlement', actions: ['settle', 'payout'] },
  { effect: 'exclusive', actions: ['rate_limit', 'fail_next'] },
] as const

/** What the steps of a scenario leave behind by themselves. */
export function derivedEffects({ steps }: Pick<Scenario, 'steps'>): NonNullable<Scenario['effects']> {
  const effects: NonNullable<Scenario['effects']> = {}
  for (const step of steps) {
    const kind = COUNTED[callOf(step)?.op as EndpointId]
    if (kind === undefined || expectsRefusal(step)) continue
    // Calls with one key are one to the target.
    const { calls, share = [] } = atOnceOf(callOf(step) ?? {})
    const times = share.includes('idempotency_key') || share.includes('request') ? 1 : calls
    effects[kind] = (effects[kind] ?? 0) + times
  }
  for (const { effect, actions } of FAR_REACHING)
    if (steps.some(({ operator }) => actions.some((action) => operator?.[action] !== undefined))) effects[effect] = true
  return effects
}

/** What moves the clock, closes a period or replaces the webhook registration would disturb the others. */
export function runsAlone(scenario: Scenario): boolean {
  const effects = effectsOf(scenario)
  return (
    effects.clock === true || effects.settlement === true || effects.exclusive === true || (effects.webhooks ?? 0) > 0
  )
}

/** How many domains a scenario leases: as many as it names, one for a body that is about the first, or what `needs` lists. */
export function sellableNeeded(scenario: Scenario): number {
  const listed = (scenario.needs ?? []).map((need) => /^fixture\.sellable(?:\((\d+)\))?$/.exec(need))
  return Math.max(derivedSellable(scenario), ...listed.map((match) => (match ? Number(match[1] ?? 1) : 0)))
}

export function derivedSellable({ steps, vars, cleanup }: Scenario): number {
  const named = referencesIn([steps, vars, cleanup]).map(([first, second]) =>
    first === 'sellable' ? (typeof second === 'number' ? second : 0) + 1 : 0,
  )
  return Math.max(0, ...named, steps.some(takesDomain) ? 1 : 0)
}

/** Whether a call may have a body that is made for the first domain of the scenario. */
function takesDomain(step: Step): boolean {
  const call = callOf(step)
  const { bytes_of: bytes, like, raw, json, set = {}, unset = [] } = call?.body ?? {}
  if (call?.op === undefined || !OPERATIONS[call.op].creates?.takesDomain || bytes !== undefined) return false
  // The price that an order names is that of a domain, whichever it is for.
  if (call.op === RECORD_ORDER) return true
  const isAnother = [like, raw, json, step.fault?.body].some((given) => given !== undefined)
  return !isAnother && !('domain' in set) && !unset.includes('domain')
}

/** What a scenario needs of a target: what its steps do, and what its file lists. */
export function needsOf(scenario: Scenario): string[] {
  const sellable = sellableNeeded(scenario)
  const others = [...derivedNeeds(scenario), ...(scenario.needs ?? [])].filter(
    (need) => !need.startsWith('fixture.sellable'),
  )
  const domains = sellable === 0 ? [] : [sellable === 1 ? 'fixture.sellable' : `fixture.sellable(${sellable})`]
  return [...new Set([...others, ...domains])]
}

/** Facts of a credential that the endpoints of its calls ask for, as `needs` says them. */
const FACTS = [
  ['affiliate', 'affiliate'],
  ['merchantOfRecord', 'merchant'],
] as const

/** What the steps of a scenario need of a target, as `needs` would list it: a file lists only what is more. */
export function derivedNeeds(scenario: Scenario): string[] {
  const all = [...scenario.steps, ...(scenario.cleanup ?? [])].filter(({ optional }) => optional !== 'step')
  const ofMain = all.filter(({ as = 'main' }) => as === 'main')
  const ops = ofMain.flatMap((step) => callOf(step)?.op ?? (producedBy(step) === 'events' ? 'events.list' : []))
  const rows = ops.map((one) => OPERATIONS[one])
  const named = referencesIn([all, scenario.vars]).map(([first]) => String(first))
  const sellable = derivedSellable(scenario)
  return [
    ...rows.flatMap(({ scopes }) => (scopes.length === 1 ? scopes.map((scope) => `scope.${scope}`) : [])),
    ...FACTS.flatMap(([fact, need]) => (rows.some((row) => row[fact]) ? [need] : [])),
    ...(all.some(({ as }) => as === 'other_partner') ? ['partner.other'] : []),
    ...all.flatMap(({ operator = {}, else: ways }) =>
      ways?.includes('go_on') ? [] : Object.keys(operator).map((action) => `operator.${action}`),
    ),
    ...FIXTURES.filter((name) => named.includes(name)).map((name) => `fixture.${name}`),
    ...Array.from({ length: sellable }, (_, index) =>
      index === 0 ? 'fixture.sellable' : `fixture.sellable(${index + 1})`,
    ),
  ]
}
