import { ENDPOINT_IDS, ENDPOINTS, type Endpoint } from '../endpoints.ts'
import { closestTo } from '../words.ts'
import type { Mistake } from './mistake.ts'
import { refusal } from './refusals.ts'

/**
 * Why a verb and a path lead nowhere, with the endpoint that was meant where one is near.
 *
 * @example explainPath('PUT', '/api/partner/v1/webhooks').says // '… did you mean PUT /api/partner/webhooks?'
 */
export function explainPath(method: string, path: string): Mistake {
  const bare = withoutSlashes(path)
  const here = endpointsAt(bare)
  if (here.length > 0 && bare === path) return wrongVerb(method, path, here)
  if (here.length > 0) return slashed(method, path, bare, here)
  const rest = restOf(bare)
  const elsewhere = ROWS.map((row) => ({ row, path: fittedTo(row, rest) })).filter(({ path }) => path !== null)
  if (elsewhere.length > 0) return rootedOtherwise(method, elsewhere as Place[])
  return misspelt(method, path, rest)
}

/** An endpoint as it can be compared. */
interface Row {
  readonly method: Endpoint['method']
  /** What comes before the segments that tell endpoints apart: with a version, or without. */
  readonly root: string
  readonly segments: readonly string[]
}

interface Place {
  readonly row: Row
  /** The path with what was sent in the places of its parameters. */
  readonly path: string
}

/** However much of the root was sent, also that of another version. */
const ROOT = /^(?:\/api)?(?:\/partner)?(?:\/v\d+)?(?=\/)/

const UNVERSIONED = '/api/partner'

const ROWS: readonly Row[] = ENDPOINT_IDS.map((id) => {
  const { method, path } = ENDPOINTS[id]
  const root = ROOT.exec(path)?.[0] ?? ''
  return { method, root, segments: path.slice(root.length).split('/').slice(1) }
})

function withoutSlashes(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
}

function restOf(path: string): string[] {
  return path.replace(ROOT, '').split('/').slice(1)
}

/** The path that these segments make at an endpoint; null where they do not fit. */
function fittedTo({ root, segments }: Row, sent: readonly string[]): string | null {
  const fits = segments.length === sent.length && segments.every((segment, i) => fitsIn(segment, sent[i] as string))
  return fits ? `${root}/${sent.join('/')}` : null
}

function fitsIn(segment: string, sent: string): boolean {
  return isParameter(segment) ? sent !== '' : segment === sent
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}

function endpointsAt(path: string): Row[] {
  return ROWS.filter((row) => path.startsWith(`${row.root}/`) && fittedTo(row, restOf(path)) === path)
}

function wrongVerb(method: string, path: string, here: readonly Row[]): Mistake {
  const verbs = [...new Set(here.map((row) => row.method))].join(' and ')
  return refusal(
    'verb-wrong',
    `${method} is no verb of ${path}, which takes ${verbs}: did you mean ${here[0]?.method} ${path}?`,
  )
}

function slashed(method: string, path: string, bare: string, here: readonly Row[]): Mistake {
  const meant = here.find((row) => row.method === method) ?? here[0]
  const where = path.endsWith('/') ? 'at its end' : 'in it'
  return refusal(
    'path-slash',
    `the path has a slash ${where} that no endpoint has: did you mean ${meant?.method} ${bare}?`,
  )
}

function rootedOtherwise(method: string, places: readonly Place[]): Mistake {
  const meant = places.find(({ row }) => row.method === method) ?? (places[0] as Place)
  const why =
    meant.row.root === UNVERSIONED
      ? 'the path of this endpoint has no version segment'
      : 'the path does not begin with the API root'
  return refusal('path-root', `${why}: did you mean ${meant.row.method} ${meant.path}?`)
}

function misspelt(method: string, path: string, rest: readonly string[]): Mistake {
  const near = nearest(method, rest)
  if (!near) return refusal('path-unknown', `the document has no endpoint at ${path}`)
  return refusal(
    'path-unknown',
    `the document has no endpoint at ${path}: did you mean ${near.row.method} ${near.path}?`,
  )
}

/** The endpoint with the fewest misspelt segments, one with the same verb first; else one whose whole path is near. */
function nearest(method: string, rest: readonly string[]): Place | null {
  const sameVerbFirst = [...ROWS].sort((a, b) => Number(b.method === method) - Number(a.method === method))
  const near = sameVerbFirst
    .map((row) => ({ row, wrong: wrongSegments(row, rest) }))
    .filter(({ wrong }) => Number.isFinite(wrong))
    .sort((a, b) => a.wrong - b.wrong)[0]
  if (near) return { row: near.row, path: pathLike(near.row, rest) }
  const whole = closestTo(
    rest.join('/'),
    sameVerbFirst.map(({ segments }) => segments.join('/')),
  )
  const row = sameVerbFirst.find(({ segments }) => segments.join('/') === whole)
  return row ? { row, path: `${row.root}/${row.segments.join('/')}` } : null
}

function wrongSegments({ segments }: Row, rest: readonly string[]): number {
  if (segments.length !== rest.length || segments.every(isParameter)) return Number.POSITIVE_INFINITY
  return segments.reduce((sum, segment, i) => {
    const sent = rest[i] as string
    if (fitsIn(segment, sent)) return sum
    return closestTo(sent, [segment]) === null ? Number.POSITIVE_INFINITY : sum + 1
  }, 0)
}

function pathLike({ root, segments }: Row, rest: readonly string[]): string {
  return `${root}/${segments.map((segment, i) => (isParameter(segment) ? rest[i] : segment)).join('/')}`
}
