import { Document, isMap, isSeq } from 'yaml'
import { isObject } from '../../contract/is-object.ts'
import { grouped } from '../../contract/words.ts'
import { notesTogether } from '../result/lacking-scopes.ts'
import type {
  CheckResult,
  CheckVerdict,
  NotRunReason,
  RedactedExchange,
  RequirementResult,
  RunResult,
} from '../result/result.ts'
import { partsOfNote } from '../result/target-addition.ts'
import { callWords } from './exchange.ts'

/** Requirements that neither passed nor failed for one and the same reason. */
interface NotVerified {
  readonly reason: string
  /** The reason where they did not run. */
  readonly code: NotRunReason | undefined
  readonly requirements: readonly string[]
  /** The notes of their checks, each once, without what they say to add to the target file. */
  readonly notes: readonly string[]
  /** What would change that. */
  readonly todo: string
  /** True if the selection left it out: the reader chose this. */
  readonly chosen: boolean
}

/** What each reason means for a person, and what would change it. */
const REASONS: Readonly<Record<NotRunReason, readonly [means: string, todo: string]>> = {
  'needs-scope': [
    'no credential with the required scope',
    'Add credentials with these scopes to the target file, and write down the scopes of each: a run compares what a key may do with what it may not.',
  ],
  'needs-partner': [
    'no credential of a second partner',
    'Add a credential of another partner to the target file, with a different value under partner.',
  ],
  'needs-environment': [
    'no credential of a second environment',
    'Add a credential of another environment to the target file: a different environment in its key id, or set environment next to it.',
  ],
  'needs-operator': [
    'no operator to move orders or time',
    'Describe how to move orders and time on the target: operator in the target file with mode: operator, or --operator-url URL --mode operator for a sandbox.',
  ],
  'needs-receiver': [
    'no receiver that the target can reach',
    'Set receiver in the target file to an address where the target can reach this machine.',
  ],
  'needs-fixture': ['no domain of the required kind', 'List domains of this kind under fixtures in the target file.'],
  'needs-dialect': [
    'the shape of an answer is not known',
    'Add the place of the value, or the body or name, under dialect in the target file; discover --continue LOG finds some of them in the log of this run. Where no button of a page is recognized, an operator can pay (pay_checkout).',
  ],
  'read-only': [
    'the run may only read',
    'Allow writes (mode: write, or --mode write beside a URL), on a target where orders cost nothing.',
  ],
  'open-point': [
    'the document leaves it to the target whether this can be seen',
    'Nothing has to be done: it does not count against the target. Where the target file lacks a credential for it, adding one shows more.',
  ],
  budget: [
    'the budget was used up',
    'Raise it: budget in the target file, or --budget orders=300,requests=20000 beside a URL; or run the scenarios in parts.',
  ],
  'no-occasion': [
    'no call of this run could break it',
    'A run that sends more calls may: of all scenarios, and with writes allowed (mode: write, or --mode write beside a URL).',
  ],
  filtered: ['left out by the selection', 'Run without the selection, or with another one.'],
  interrupted: ['the run ended before this check', 'Run it again, once what ended it is mended.'],
  'dry-run': ['a dry run sends nothing', 'Run without --dry-run.'],
}

const INCONCLUSIVE = 'inconclusive: ran, but the result decides nothing'

/** The verdicts that leave a requirement in this state. */
const OPEN_BY: Partial<Record<RequirementResult['status'], readonly CheckVerdict[]>> = {
  inconclusive: ['inconclusive', 'harness_error'],
  not_exercised: ['not_run'],
}

/** Why requirements of the profile neither passed nor failed, grouped by reason, most frequent first. */
export function notVerifiedOf(run: RunResult): NotVerified[] {
  const checks = run.scenarios.flatMap((scenario) => scenario.checks)
  const checksById = grouped(checks, ({ requirement }) => requirement)
  const rows = run.requirements.flatMap(({ id, status }) => {
    const verdicts = OPEN_BY[status]
    if (!verdicts || !run.profile.requirements.includes(id)) return []
    const open = (checksById.get(id) ?? []).filter(({ verdict }) => verdicts.includes(verdict))
    if (open.length === 0) return [{ id, reason: 'this run has no check for it', checks: open }]
    return [...grouped(open, reasonOf)].map(([reason, own]) => ({ id, reason, checks: own }))
  })
  return [...grouped(rows, ({ reason }) => reason)]
    .map(([reason, own]) => ({
      reason,
      requirements: own.map(({ id }) => id),
      code: own[0]?.checks[0]?.reason,
      notes:
        reason === INCONCLUSIVE
          ? []
          : notesTogether(notesOf(own.flatMap((row) => row.checks)).map((note) => partsOfNote(note).why)),
      todo: reason === INCONCLUSIVE ? 'See Inconclusive; each entry has its own reason.' : todoOf(own[0]?.checks[0]),
      chosen: own[0]?.checks[0]?.reason === 'filtered',
    }))
    .sort((a, b) => b.requirements.length - a.requirements.length)
}

function notesOf(checks: readonly CheckResult[]): string[] {
  return checks.flatMap(({ note }) => note ?? [])
}

export const ADDITIONS_TITLE = 'To verify more, add to the target file (words in capitals are yours to fill in)'

/** What to add to the target file so that more of the profile can be verified, as lines of YAML. */
export function additionsFor(run: RunResult): string[] {
  const open = new Set(run.requirements.flatMap(({ id, status }) => (status === 'not_exercised' ? [id] : [])))
  const checks = run.scenarios
    .flatMap((scenario) => scenario.checks)
    .filter(({ verdict, requirement }) => verdict === 'not_run' && open.has(requirement))
  return additionLines(notesOf(checks.filter(({ requirement }) => run.profile.requirements.includes(requirement))))
}

/** The headings of the document that requirements are under, each with their number, the largest first. */
export function sectionsOf(rows: RunResult['requirements']): string[] {
  return [...grouped(rows, ({ section }) => section)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([section, own]) => `${section || 'Other'} ${own.length}`)
}

/** Why a check neither passed nor failed, by its kind and in words: what such checks are grouped by. */
export function reasonOf({ verdict, reason }: CheckResult): string {
  if (verdict === 'not_run') return reason ? `${reason}: ${REASONS[reason][0]}` : 'not run'
  if (verdict === 'harness_error') return 'runner error: the runner failed here, not the target'
  return INCONCLUSIVE
}

/** One sentence for a check that neither passed nor failed: the answer, the reason, what to do. */
export function whyNot(check: CheckResult, exchange?: RedactedExchange): string {
  const { verdict, actual, note } = check
  if (verdict === 'inconclusive') return `${seenAndWhy(check)}. To do: ${todoOf(check, exchange)}`
  if (verdict === 'tolerated') return seenAndWhy(check)
  if (verdict === 'harness_error') return `${reasonOf(check)}; ${note ?? actual}`
  return note === undefined ? reasonOf(check) : `${reasonOf(check)}; ${note}`
}

/** One sentence for any check; empty if it passed or only records an answer. */
export function messageOf({ check, exchange }: { check: CheckResult; exchange: RedactedExchange | undefined }): string {
  const { verdict, known, expected, actual } = check
  const call = exchange === undefined ? null : callWords(exchange)
  const difference = `${call === null ? '' : `${call}: `}expected ${expected}, got ${actual}`
  if (known !== undefined) return `known failure: ${knownText(known)}; ${difference}`
  if (verdict === 'fail' || verdict === 'drift') return difference
  return verdict === 'pass' || verdict === 'observed' ? '' : whyNot(check, exchange)
}

/** What the baseline says of a failure. */
export function knownText({ reason, until }: NonNullable<CheckResult['known']>): string {
  return `${reason} (until ${until})`
}

/** What the target answered, and why that is inconclusive. */
export function seenAndWhy({ actual, note }: CheckResult): string {
  return note === undefined ? actual : `${actual}; ${note}`
}

/**
 * What would make a check that did not count count next time. Undefined: no check was part of the run at all.
 *
 * @param exchange the one that the check names.
 */
export function todoOf(check: CheckResult | undefined, exchange?: RedactedExchange): string {
  if (check === undefined) return 'Select a scenario that checks it; scenario list --coverage names them.'
  if (check.verdict === 'not_run' && check.reason !== undefined) return REASONS[check.reason][1]
  if (check.verdict === 'harness_error') return 'Report it: this tool failed here, not the target.'
  if (check.verdict === 'tolerated') return 'Nothing: neither answer counts against the target.'
  return check.todo ?? todoInDoubt(check, exchange)
}

/** The answer says most about why a check is inconclusive. */
function todoInDoubt({ twin }: CheckResult, exchange: RedactedExchange | undefined): string {
  if (twin !== undefined)
    return 'First make the same call succeed without its fault: check its answer, and whether its domain, scope or body fits.'
  if (exchange?.status === null)
    return 'Run it again. If the connection breaks again, check the target for a restart, a proxy or a timeout at that time.'
  if (exchange?.status === 429)
    return 'Slow the run down (--budget per_second=5, or budget in the target file), or raise the limit of this credential.'
  if (exchange !== undefined && exchange.status !== null && exchange.status >= 500)
    return "Check the target's log at the time of this answer, then run it again."
  return 'Compare what was expected with the transcript of this scenario (--reporter html=report.html), then run it again.'
}

/** How many keys lead to what one note says, for each section of a target file, in its order. */
const SECTIONS = { credentials: 1, fixtures: 2, dialect: 3 } as const

/**
 * Everything that notes say to add to the target file, as the lines of one YAML text, each thing once.
 *
 * @example additionLines([noteWith('no site', { fixtures: { live_site: ['DOMAIN'] } })]) // ['fixtures:', '  live_site: [ DOMAIN ] # no site']
 */
export function additionLines(notes: readonly string[]): string[] {
  const parts = notes.map(partsOfNote)
  const document = new Document({})
  for (const [section, depth] of Object.entries(SECTIONS)) {
    for (const { why, addition } of parts) {
      const values = valuesAt(addition?.[section], depth, [section])
      for (const [path, value] of values) add(document, path, value, why)
    }
  }
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0
  return isEmpty ? [] : document.toString({ lineWidth: 0 }).trimEnd().split('\n')
}

function valuesAt(value: unknown, depth: number, path: readonly string[]): [path: readonly string[], value: unknown][] {
  if (value === undefined) return []
  if (path.length === depth || !isObject(value)) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => valuesAt(inner, depth, [...path, key]))
}

function add(document: Document, path: readonly string[], value: unknown, why: string): void {
  const known = document.getIn(path)
  if (Array.isArray(value) && path.length === 1) {
    const names = isSeq(known) ? known.items.map((_, index) => document.getIn([...path, index, 'name'])) : []
    const rows = value.filter((row) => !names.includes(row.name))
    if (!known) document.setIn(path, document.createNode([]))
    for (const row of rows) document.addIn(path, document.createNode(row, { flow: true }))
  } else if (known === undefined) {
    const node = document.createNode(value, { flow: true })
    node.comment = ` ${shortened(why.replaceAll(/\s+/g, ' '))}`
    document.setIn(path, node)
  }
}

const COMMENT_CHARACTERS = 200

function shortened(text: string): string {
  return text.length > COMMENT_CHARACTERS ? `${text.slice(0, COMMENT_CHARACTERS)}…` : text
}
