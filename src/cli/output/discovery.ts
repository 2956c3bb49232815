import { type Discovery, type Finding, placeInEach } from '../../conformance/discover/discovery.ts'
import { readsOf } from '../../conformance/discover/readable.ts'
import { type Change, isGuess, mayBeLacking } from '../../conformance/discover/target-document.ts'
import type { RoleName } from '../../conformance/format/roles.ts'
import { jsonText } from '../../conformance/reports/escape.ts'
import type { Paint } from '../../conformance/reports/paint.ts'
import { grouped } from '../../contract/words.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'
import { type Column, cellText, fields, table, wrapped } from './table.ts'

/** The result of discover: what was found, and what happened to the target file. */
interface ToldDiscovery {
  discovery: Discovery
  changes: readonly Change[]
  file: string | null
  wrote: boolean
}

/** The whole of it for machines, in snake_case. */
export function discoveryJson({ discovery, changes, file, wrote }: ToldDiscovery): string {
  const { http, credentials, findings, refused, pins, ownSandbox, requests, target } = discovery
  const shown = {
    target,
    requests,
    own_sandbox: ownSandbox,
    http: {
      date: http.date,
      clock_offset_seconds: http.clockOffsetSeconds,
      keeps_connections: http.keepsConnections,
      keep_alive_seconds: http.keepAliveSeconds,
      content_type: http.contentType,
      rate_limit_headers: http.rateLimitHeaders,
    },
    credentials,
    findings,
    refused,
    pins,
    file: file === null ? null : { name: file, written: wrote, changes },
  }
  return `${jsonText(shown, 2)}\n`
}

/** For people; without colors if the output is piped. */
export function discoveryText(result: ToldDiscovery, session: Session): string {
  const paint = colors(session)
  const { discovery } = result
  const parts = [
    facts(discovery),
    found(result),
    open(discovery, paint),
    notSeen(discovery, session.outIsTerminal ? session.columns : PIPED_CHARACTERS),
    refusedPart(discovery),
    pinsPart(discovery, paint),
    filePart(result),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** How long a connection lasts that is not in use, only a target itself can say. */
function connections({ keepsConnections, keepAliveSeconds }: Discovery['http']): string {
  if (!keepsConnections) return 'closed after an answer, at least at times'
  return keepAliveSeconds === null
    ? 'not closed after an answer'
    : `kept open for ${keepAliveSeconds} s after an answer`
}

function facts({ target, http, credentials, requests, ownSandbox }: Discovery): string {
  const offset = http.clockOffsetSeconds
  return fields([
    ['target', `${target.url} (environment ${target.environment})`],
    [
      'clock',
      offset === null ? 'no Date header' : Math.abs(offset) <= 1 ? 'as here' : `${offset > 0 ? '+' : ''}${offset}s`,
    ],
    ['connections', connections(http)],
    ['content type', http.contentType],
    ['rate limit headers', http.rateLimitHeaders],
    ...credentials.map(
      ({ name, taken, holds, lacks, untold }) =>
        [
          `credential ${name}`,
          taken
            ? `holds ${cellText(holds)}; lacks ${cellText(lacks)}${lacks.includes('refer') ? OR_AN_ACCOUNT : ''}; no read shows ${cellText(untold)}`
            : `its calls are refused${name === 'main' ? '; is this the address of the API?' : ''}`,
        ] as const,
    ),
    ['reads made', requests],
    ...(ownSandbox ? [['dialect', 'from the operator of this sandbox'] as const] : []),
  ])
}

const KNOWN: readonly Finding['state'][] = ['found', 'told', 'differs']

/** How wide lists are where no terminal says. */
const PIPED_CHARACTERS = 120

const columnsFor = (changes: readonly Change[]): readonly Column<Finding>[] => [
  // `roles` and `params` are shown by name, the rest by place.
  ['ROLE/PARAMETER', ({ path }) => path.slice(1).join(' ')],
  ['VALUE', ({ value }) => valueText(value)],
  ['CONFIDENCE', ({ state, confidence }) => (state === 'found' ? confidence : STATE_WORDS[state])],
  ['FILE', (finding) => fileCell(finding, changes)],
  ['EVIDENCE', ({ evidence: [first] }) => (first ? `${first.exchange} ${first.request}: ${first.shows}` : null)],
]

const STATE_WORDS: Partial<Record<Finding['state'], string>> = { told: 'in the file', differs: 'NOT as in the file' }

function found({ discovery: { findings }, changes }: ToldDiscovery): string {
  const rows = findings.filter(({ state }) => KNOWN.includes(state))
  if (rows.length === 0) return 'nothing was found\n'
  const lacking = rows.some((row) => row.state === 'found' && mayBeLacking(row))
  const guessed = rows.some((row) => row.state === 'found' && isGuess(row))
  return table(rows, columnsFor(changes)) + (lacking ? WHY_NOT_WRITTEN : '') + (guessed ? WHY_GUESS : '')
}

/** A key of a partner that is not linked to one is refused as well (SCOPE-09). */
const OR_AN_ACCOUNT = ' (or an affiliate account)'

const WHY_NOT_WRITTEN = 'FILE no: valid answers may lack it, so it is not written to the file; a run finds it\n'

const WHY_GUESS =
  'a guess is not written: only a likely name leads to it; --continue LOG, with the log of a run, may confirm it\n'

/** Whether a row is for the target file; what is kept is listed below. */
function fileCell(finding: Finding, changes: readonly Change[]): string {
  if (finding.state === 'told') return 'has it'
  if (finding.state === 'found' && (mayBeLacking(finding) || isGuess(finding))) return 'no'
  const change = changes.find(({ path }) => path.join('\n') === finding.path.join('\n'))
  return change?.what === 'kept' ? 'no (--update)' : 'yes'
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return cellText(value === '' ? '"" (the whole body)' : value)
  const { at, unit } = value as { at?: string; unit?: string }
  return at === undefined ? cellText(value) : `${at} in ${unit}`
}

function open({ findings }: Discovery, paint: Paint): string {
  const rows = findings.filter(({ state }) => state === 'needs-dialect')
  if (rows.length === 0) return ''
  const lines = rows.map(({ path, candidates, note, requirements }) => {
    const keys = path.map((key, at) => (at > 0 && key.includes('.') ? `"${key}"` : key))
    const places = placesInWords(candidates.map(String))
    const why = places === '' ? note : `${places} (${note})`
    return `  ${cellText(keys.join('.'))}: ${cellText(why)}\n${usedBy(requirements)}`
  })
  return `${paint.bold('needs-dialect: name the right one in the target file, if there is one')}\n${lines.join('')}`
}

/** The same place in each entry is one choice: the first entry stands for all. */
export function placesInWords(places: readonly string[]): string {
  return [...grouped(places, placeInEach)]
    .map(([, [first, ...others]]) => (others.length === 0 ? first : `${first} (so in ${others.length + 1} entries)`))
    .join(' or ')
}

/** Others of their scenarios may do without it. */
function usedBy(requirements: readonly string[]): string {
  if (requirements.length === 0) return ''
  const more = requirements.length > 8 ? ` and ${requirements.length - 8} more` : ''
  return `    used by scenarios of: ${requirements.slice(0, 8).join(', ')}${more}\n`
}

function notSeen({ findings }: Discovery, widthCharacters: number): string {
  const rows = findings.filter(({ state }) => state === 'not-seen' || state === 'needs-write')
  if (rows.length === 0) return ''
  const parts = [...grouped(rows, ({ note }) => note ?? '')].map(([note, of]) => {
    const needed = [...new Set(of.flatMap(({ requirements }) => requirements))].sort()
    return `  ${cellText(note)}:\n${byOperation(of, widthCharacters)}${usedBy(needed)}`
  })
  return `not seen; a run looks for them, or you can add them to the target file\n${parts.join('')}`
}

/** One row for each operation that would have shown them, or for each section of the file that belongs to none. */
function byOperation(findings: readonly Finding[], widthCharacters: number): string {
  const rows = [...grouped(findings, groupOf)].map(([group, of]) => ({ group, names: of.map(shortName) }))
  const columns: Column<(typeof rows)[number]>[] = [
    ['', 'group'],
    ['', 'names'],
  ]
  const [, ...lines] = wrapped(rows, columns, widthCharacters - INDENT.length).split('\n')
  return lines.map((line) => (line === '' ? '' : `${INDENT}${line}\n`)).join('')
}

const INDENT = '    '

function groupOf({ path: [, section = '', key = ''] }: Finding): string {
  if (key.includes(':')) return key.slice(0, key.indexOf(':'))
  const [only, ...others] = section === 'roles' ? readsOf(key as RoleName) : []
  return only !== undefined && others.length === 0 ? only : section
}

function shortName({ path: [, section = '', key] }: Finding): string {
  return key === undefined ? section : key.slice(key.indexOf(':') + 1)
}

function refusedPart({ refused }: Discovery): string {
  if (refused.length === 0) return ''
  return `refused reads\n${refused.map(({ op, answer, exchange }) => `  ${op}: ${cellText(answer)} (${exchange})\n`).join('')}`
}

function pinsPart({ pins }: Discovery, paint: Paint): string {
  if (!pins) return ''
  const drift = pins.drift.map(
    ({ gap, pinned, observed }) =>
      `  ${cellText(gap)}: pinned ${cellText(JSON.stringify(pinned))}, now ${cellText(JSON.stringify(observed))}\n`,
  )
  const unsteady =
    pins.unsteady.length === 0 ? '' : `another one in each run, so not pinned: ${cellText(pins.unsteady)}\n`
  const head = `open points observed: ${Object.keys(pins.observed).length}\n${unsteady}`
  return drift.length === 0 ? head : `${head}${paint.bold('drift')}\n${drift.join('')}`
}

function filePart({ changes, file, wrote }: ToldDiscovery): string {
  if (file === null) return 'no file written; --out target.yaml writes a target file\n'
  const count = (what: Change['what']) => changes.filter((change) => change.what === what).length
  const kept = changes
    .filter(({ what }) => what === 'kept')
    .map(
      ({ path, from, to }) =>
        `  kept ${cellText(path.join('.'))}: ${cellText(JSON.stringify(from))}; the target shows ${cellText(JSON.stringify(to))}\n`,
    )
  const done = wrote ? `${count('added')} added, ${count('changed')} changed` : 'nothing to change'
  return `${cellText(file)}: ${done}\n${kept.join('')}`
}
