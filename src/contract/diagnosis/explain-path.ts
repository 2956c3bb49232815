import { ENDPOINT_IDS } from '../endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../endpoints.ts'
import { closestTo } from '../words.ts'
import type { Mistake } from './mistake.ts'
import { type RefusalId, refusal } from './refusals.ts'

/** A verb and a path that lead nowhere. */
interface PathMistake extends Mistake {
  /** Verb and path of the endpoint that was meant; null where none is near. */
  readonly meant: string | null
}

/**
 * Why a verb and a path lead nowhere, with the endpoint that was meant where one is near.
 *
 * @example explainPath('PUT', '/api/partner/v1/webhooks').meant // 'PUT /api/partner/webhooks'
 */
export function explainPath(method: string, path: string): PathMistake {
  const rows = [...ROWS].sort((a, b) => Number(b.method === method) - Number(a.method === method))
  const bare = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  const sent = bare.replace(ROOT, '').split('/').slice(1)
  const fitting = rows.filter((row) => fits(row, sent))
  const [first, ...others] = fitting.filter((row) => pathAt(row, sent) === bare)
  if (first) return bare === path ? wrongVerb(method, path, [first, ...others]) : slashed(path, nameAt(first, sent))
  const [elsewhere] = fitting
  if (elsewhere) return rootedOtherwise(elsewhere, nameAt(elsewhere, sent))
  const near = nearest(rows, sent)
  return pathMistake('path-unknown', `there is no endpoint ${method} ${shorten(path)}`, near)
}

function pathMistake(id: RefusalId, why: string, meant: string | null): PathMistake {
  return { ...refusal(id, meant === null ? why : `${why}: did you mean ${meant}?`), meant }
}

/** An endpoint as it can be compared. */
interface EndpointRow {
  readonly method: Endpoint['method']
  /** What comes before the segments that distinguish endpoints: with a version, or without. */
  readonly root: string
  readonly segments: readonly string[]
}

/** However much of the root was sent, also that of another version. */
const ROOT = /^(?:\/api)?(?:\/partner)?(?:\/v\d+)?(?=\/)/

const UNVERSIONED = '/api/partner'

const ROWS: readonly EndpointRow[] = ENDPOINT_IDS.map((id) => {
  const { method, path } = ENDPOINTS[id]
  const root = ROOT.exec(path)?.[0] ?? ''
  return { method, root, segments: path.slice(root.length).split('/').slice(1) }
})

/** An answer need not repeat more of it. */
const LONGEST_PATH = 200

function shorten(path: string): string {
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path
}

function fits({ segments }: EndpointRow, sent: readonly string[]): boolean {
  return segments.length === sent.length && segments.every((segment, i) => fitsIn(segment, sent[i] as string))
}

function fitsIn(segment: string, sent: string): boolean {
  return isParameter(segment) ? sent !== '' : segment === sent
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}

/** The path of an endpoint with what was sent in the places of its parameters, as far as anything was. */
function pathAt({ root, segments }: EndpointRow, sent: readonly string[]): string {
  return `${root}/${segments.map((segment, i) => (isParameter(segment) ? (sent[i] ?? segment) : segment)).join('/')}`
}

function nameAt(row: EndpointRow, sent: readonly string[]): string {
  return `${row.method} ${pathAt(row, sent)}`
}

function wrongVerb(method: string, path: string, here: readonly [EndpointRow, ...EndpointRow[]]): PathMistake {
  const verbs = [...new Set(here.map((row) => row.method))].join(' and ')
  const why = `${method} is not supported at ${path}, which takes ${verbs}`
  return pathMistake('verb-wrong', why, `${here[0].method} ${path}`)
}

function slashed(path: string, meant: string): PathMistake {
  const where = path.endsWith('/') ? 'at its end' : 'in it'
  return pathMistake('path-slash', `the path has a slash ${where} that no endpoint has`, meant)
}

function rootedOtherwise({ root }: EndpointRow, meant: string): PathMistake {
  const why =
    root === UNVERSIONED
      ? 'the path of this endpoint has no version segment'
      : 'the path does not begin with the API root'
  return pathMistake('path-root', why, meant)
}

/** The endpoint with the fewest misspelled segments; else one whose whole path is near. */
function nearest(rows: readonly EndpointRow[], sent: readonly string[]): string | null {
  const [near] = rows
    .map((row) => ({ row, wrong: wrongSegments(row, sent) }))
    .filter(({ wrong }) => Number.isFinite(wrong))
    .sort((a, b) => a.wrong - b.wrong)
  if (near) return nameAt(near.row, sent)
  const paths = rows.map(({ segments }) => segments.join('/'))
  const row = rows[paths.indexOf(closestTo(sent.join('/'), paths) ?? '')]
  return row ? nameAt(row, []) : null
}

function wrongSegments({ segments }: EndpointRow, sent: readonly string[]): number {
  if (segments.length !== sent.length || segments.every(isParameter)) return Number.POSITIVE_INFINITY
  return segments.reduce((sum, segment, i) => {
    const text = sent[i] as string
    if (fitsIn(segment, text)) return sum
    return closestTo(text, [segment]) === null ? Number.POSITIVE_INFINITY : sum + 1
  }, 0)
}
