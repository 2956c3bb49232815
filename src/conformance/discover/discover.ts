import { environmentOf } from '../../contract/ids.ts'
import type { Services } from '../context/scenario-run.ts'
import { closeRun, createRun, createServices, greetTarget } from '../engine/open-run.ts'
import type { RunOptions } from '../engine/run-options.ts'
import { isAccepted } from '../http/answer.ts'
import type { RedactedExchange } from '../result/result.ts'
import type { RoleAddress, Target } from '../target/target.ts'
import { BODY_NAMES, type BodyName } from '../target/target-schema.ts'
import { type Discovery, type Finding, findingAt } from './discovery.ts'
import { credentialFacts, httpFacts } from './http-facts.ts'
import { learnParams, readFurtherPages } from './learn-params.ts'
import { learnRoles, sightRoles } from './learn-roles.ts'
import { learnWords } from './learn-words.ts'
import { withUnits } from './money-units.ts'
import { readEverything } from './read-everything.ts'
import { withRequirements } from './requirements-of.ts'
import { createScout, refusalIn, type Scout } from './scout.ts'

export type DiscoverOptions = Pick<
  RunOptions,
  'target' | 'scenarios' | 'registry' | 'wall' | 'toolVersion' | 'signal' | 'randomUuid'
>

/**
 * Probes a target with reads alone and works out how it fills the gaps of the document, with the answers that show it. What
 * has several candidates is none of them. Works with live keys.
 *
 * @throws TargetUnreachableError, CredentialRefusedError as a run does.
 */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const log: RedactedExchange[] = []
  const run = createRun(
    {
      ...options,
      target: readingOnly(options.target),
      transcript: 'all',
      onProgress: (progress) => progress.kind === 'exchange' && void log.push(progress.exchange),
    },
    new Map(),
  )
  try {
    const services = createServices(run)
    await greetTarget(services, true)
    return await probed(services, log, options)
  } finally {
    await closeRun(run)
  }
}

/** Independent of the file: opens no receiver, writes nothing. */
function readingOnly(target: Target): Target {
  return { ...target, mode: 'read', receiver: null }
}

async function probed(services: Services, log: RedactedExchange[], options: DiscoverOptions): Promise<Discovery> {
  const { target } = options
  const credentials = await credentialFacts(services)
  const scout = createScout(services)
  await readEverything(scout)
  const params = await learnParams(scout, log)
  await readFurtherPages(scout, params)
  const roles = learnRoles(scout, withUnits(scout, sightRoles(scout)))
  const findings = [...roles, ...params, ...learnWords(scout), ...onlyByWriting(target)]
  return {
    target: { url: target.url, environment: environmentOf(services.credentials.main.keyId) ?? 'unknown' },
    requests: log.length,
    http: httpFacts(log),
    credentials,
    ownSandbox: Object.keys(services.run.target.dialect.roles).length > Object.keys(target.dialect.roles).length,
    findings: withRequirements(
      findings.map((finding) => besideTold(finding, target)),
      options.scenarios,
    ),
    refused: refusedReads(scout),
    pins: null,
  }
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
function onlyByWriting({ dialect }: Target): Finding[] {
  const configured = (name: string): unknown =>
    (name === 'price_unit' ? dialect.priceUnit : dialect.bodies[name as BodyName]) ?? null
  const finding = (path: Finding['path'], name: string): Finding => {
    const value = configured(name)
    return findingAt(path, value === null ? { state: 'needs-write', note: BY_FIRST_WRITE } : { state: 'told', value })
  }
  return [
    finding(['dialect', 'price_unit'], 'price_unit'),
    ...BODY_NAMES.map((name) => finding(['dialect', 'bodies', name], name)),
  ]
}

/** What the target file says about a role, beside what was seen. */
function besideTold(finding: Finding, { dialect: { roles } }: Target): Finding {
  const [, section, key = ''] = finding.path
  if (section !== 'roles') return finding
  const configured = roles[key] ?? roles[key.slice(key.indexOf(':') + 1)]
  if (configured === undefined) return finding
  const agrees = finding.state !== 'found' || placeOf(configured) === placeOf(finding.value as RoleAddress)
  return agrees ? { ...finding, state: 'told', value: configured, note: null } : { ...finding, state: 'differs' }
}

function placeOf(address: RoleAddress): string {
  return (typeof address === 'string' ? address : address.at).toLowerCase()
}
