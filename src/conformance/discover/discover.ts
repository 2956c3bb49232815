import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { headerIn } from '../../contract/headers.ts'
import { environmentOf } from '../../contract/ids.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { canBeProbed } from '../context/credentials.ts'
import { SPELLED_OUT } from '../context/params.ts'
import { createCaller, type Run } from '../context/run.ts'
import { probe } from '../context/send-call.ts'
import { isInLastEntry } from '../dialect/place.ts'
import { greetTarget } from '../engine/first-calls.ts'
import { closeRun, openRun } from '../engine/open-run.ts'
import type { RunOptions } from '../engine/run-options.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { callOf, RECORD_ORDER, requirementsOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import type { RedactedExchange } from '../result/result.ts'
import { stepsOf } from '../steps/capabilities.ts'
import type { Target } from '../target/target.ts'
import { BODY_NAMES } from '../target/target-schema.ts'
import { type Discovery, type Finding, findingOf, type Sighting } from './discovery.ts'
import { learnCursors } from './learn-cursors.ts'
import { learnParams, OPS_OF, readFurtherPages } from './learn-params.ts'
import { learnRoles } from './learn-roles.ts'
import { learnWords } from './learn-words.ts'
import { createScout, readEverything, refusalIn, type Scout } from './scout.ts'
import { priceUnitsIn, seenInLog } from './seen-in-log.ts'

type DiscoverOptions = Pick<
  RunOptions,
  'target' | 'scenarios' | 'registry' | 'wall' | 'toolVersion' | 'signal' | 'randomUuid' | 'onProgress'
> & {
  /** The exchanges of an earlier run, which show more than reads do. */
  logged?: readonly RedactedExchange[]
}

/**
 * Probes a target with reads alone and works out how it fills the gaps of the document, with the answers that show it. What
 * has several candidates is none of them. Works with live keys.
 *
 * @throws TargetError as a run does.
 */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const log: RedactedExchange[] = []
  const run = openRun(
    {
      ...options,
      target: { ...options.target, mode: 'read', receiver: null },
      transcript: 'all',
      onProgress(progress) {
        if (progress.kind === 'exchange') log.push(progress.exchange)
        else options.onProgress?.(progress)
      },
    },
    new Map(),
  )
  try {
    await greetTarget(run, true)
    return await probed(run, log, options)
  } finally {
    await closeRun(run)
  }
}

async function probed(run: Run, log: RedactedExchange[], options: DiscoverOptions): Promise<Discovery> {
  const { target } = options
  const credentials = await credentialFacts(run)
  const scout = createScout(run)
  await readEverything(scout)
  const isOurs = Object.keys(run.dialect.settings.roles).length > Object.keys(target.dialect.roles).length
  const cursors = await learnCursors(scout)
  const params = await learnParams(scout, log, cursors)
  await readFurtherPages(scout, params)
  scout.add(seenInLog(run, options.logged ?? []))
  const roles = learnRoles(scout, target.dialect.roles)
  const found = [...cursors, ...(await learnWords(scout)), ...onlyByWriting(target, scout)]
  const paths = new Set(found.map(pathOf))
  const findings = [...[...roles, ...params].filter((finding) => !isFoundElsewhere(finding, paths)), ...found]
  return {
    target: { url: target.url, environment: environmentOf(run.credentials.main.keyId) ?? 'unknown' },
    requests: log.length,
    http: httpFacts(log),
    credentials,
    ownSandbox: isOurs,
    findings: withRequirements(findings, options.scenarios),
    refused: refusedReads(scout),
    pins: null,
  }
}

function pathOf({ path }: Finding): string {
  return path.join(' ')
}

/** A cursor that was looked for in unusual places as well, for all operations or for one. */
function isFoundElsewhere(finding: Finding, paths: ReadonlySet<string>): boolean {
  const general = finding.path.map((key) => (key.endsWith(':list.next') ? 'list.next' : key)).join(' ')
  const isGuess = !finding.value || isInLastEntry(String(finding.value))
  return paths.has(pathOf(finding)) || (isGuess && paths.has(general))
}

function refusedReads(scout: Scout): Discovery['refused'] {
  const ops = new Set(scout.seen.map(({ op }) => op))
  return [...ops].flatMap((op) => {
    const reads = scout.seen.filter((seen) => seen.op === op)
    const [first] = reads
    if (!first || reads.some(({ answer }) => isAccepted(answer))) return []
    return [{ op, answer: refusalIn(scout, first), exchange: first.exchange }]
  })
}

const BY_FIRST_WRITE = 'no read shows it; a run with mode: write finds it out with its first call'

/** Only a write shows what a target takes in bodies. */
function onlyByWriting({ dialect }: Target, scout: Scout): Finding[] {
  const finding = (path: Finding['path'], told: unknown, sightings: readonly Sighting[] = []): Finding =>
    findingOf(path, { told, sightings, nothing: { state: 'needs-write', note: BY_FIRST_WRITE } })
  return [
    finding(['dialect', 'price_unit'], dialect.priceUnit, priceUnitsIn(scout)),
    ...BODY_NAMES.map((name) => finding(['dialect', 'bodies', name], dialect.bodies[name])),
  ]
}

/** What the answers so far say about the target's HTTP. */
function httpFacts(log: readonly RedactedExchange[]): Discovery['http'] {
  const answered = log.filter(({ status }) => status !== null)
  const offset = offsetIn(answered)
  const timeouts = answered.flatMap(
    (one) => /timeout=(\d{1,6})/i.exec(headerIn(one.responseHeaders, 'keep-alive') ?? '')?.[1] ?? [],
  )
  const names = new Set(answered.flatMap(({ responseHeaders }) => responseHeaders.map(([name]) => name.toLowerCase())))
  return {
    date: names.has('date'),
    clockOffsetSeconds: offset,
    keepsConnections:
      answered.length > 0 && answered.every((one) => !/close/i.test(headerIn(one.responseHeaders, 'connection') ?? '')),
    keepAliveSeconds: timeouts.length === 0 ? null : Math.min(...timeouts.map(Number)),
    contentType:
      answered.map((one) => headerIn(one.responseHeaders, 'content-type')).find((type) => type !== undefined) ?? null,
    rateLimitHeaders: [...names].filter((name) => /rate-?limit|retry-after/.test(name)).sort(),
  }
}

/** Whole seconds: the header has no more, and the way took its time. */
function offsetIn(answered: readonly RedactedExchange[]): number | null {
  for (const one of answered) {
    const at = Date.parse(headerIn(one.responseHeaders, 'date') ?? '')
    const between = Date.parse(one.sentAt) + one.tookMs / 2
    if (!Number.isNaN(at)) return Math.round((at + 500 - between) / 1_000) + 0 // no minus zero
  }
  return null
}

/** What each credential of the target file may do, as far as reads show it. */
async function credentialFacts(run: Run): Promise<Discovery['credentials']> {
  const facts: Discovery['credentials'] = []
  for (const credential of run.target.credentials) {
    const caller = createCaller(run, 'discover', `k_${credential.name}_`)
    const answer = await probe(caller, credential)
    const taken = isAccepted(answer) || answer?.status === 403
    const held = taken ? await run.credentials.scopesOf({ ...credential, scopes: null }) : []
    facts.push({
      name: credential.name,
      environment: environmentOf(credential.keyId) ?? 'unknown',
      taken,
      holds: held.filter(canBeProbed),
      lacks: taken ? SCOPES.filter((scope) => canBeProbed(scope) && !held.includes(scope)) : [],
      untold: SCOPES.filter((scope) => !taken || !canBeProbed(scope)),
    })
  }
  return facts
}

/** Names the requirements of the scenarios that use a value; they may have others, which do without it. */
function withRequirements(findings: readonly Finding[], scenarios: readonly LoadedScenario[]): Finding[] {
  const texts = scenarios.map((loaded) => ({ loaded, text: JSON.stringify(loaded.scenario) }))
  return findings.map((finding) => {
    const uses = usesOf(finding)
    const used = texts
      .filter(({ loaded, text }) => uses(loaded, text))
      .flatMap(({ loaded }) => requirementsOf(loaded.scenario))
    return unlessNeedless({ ...finding, requirements: [...new Set(used)].sort() })
  })
}

/** A value that is nowhere, and that nothing depends on, does not need a search. */
function unlessNeedless(finding: Finding): Finding {
  const { state, candidates, requirements } = finding
  if (state !== 'needs-dialect' || candidates.length > 0 || requirements.length > 0) return finding
  return { ...finding, state: 'not-seen', note: 'the answers have none, and nothing depends on it' }
}

type Uses = (loaded: LoadedScenario, text: string) => boolean

function usesOf({ path }: Finding): Uses {
  const [, section, name = ''] = path
  if (section === 'roles') return mentions(name.slice(name.indexOf(':') + 1))
  if (section === 'statuses') return mentions(`status.${name}`)
  if (section === 'payment_models') return mentions(`model.${name}`)
  if (section === 'params') return usesParam(name)
  if (section === 'bodies') return ({ scenario }) => stepsOf(scenario).some((step) => takesBody(callOf(step)?.op, name))
  return ({ scenario }) => stepsOf(scenario).some((step) => callOf(step)?.op === RECORD_ORDER)
}

function mentions(word: string): Uses {
  const pattern = new RegExp(`(?<![\\w])${word.replaceAll('.', '\\.')}(?![\\w])`)
  return (_loaded, text) => pattern.test(text)
}

function usesParam(name: string): Uses {
  const [area, param = ''] = name.split('.')
  return ({ scenario }) =>
    stepsOf(scenario).some((step) => {
      const call = callOf(step)
      if (call?.op === undefined || !OPS_OF[area as keyof typeof OPS_OF].includes(call.op)) return false
      if (SPELLED_OUT.includes(`${call.op}:${param}`)) return false
      const names = Array.isArray(call.query) ? call.query.map(([key]) => key) : Object.keys(call.query ?? {})
      return names.some((key) => String(key).replace(/\?$/, '') === param)
    })
}

function takesBody(op: EndpointId | undefined, name: string): boolean {
  const names: readonly string[] = op === undefined ? [] : ENDPOINTS[op].bodies
  return names.includes(name)
}
