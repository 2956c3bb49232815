import { decodeQuery, MalformedQueryError, type QueryPair, splitTarget } from '../../contract/canonical-string.ts'
import { PageRefusal, type PageRequest } from './page.ts'

/** The largest form that any page takes. */
export const LARGEST_FORM_BYTES = 16 * 1024

/** What of an HTTP request a page is made from. */
interface RawPageRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
  readonly params: Readonly<Record<string, string>>
  readonly isFromThisMachine: boolean
}

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;\s*charset="?utf-8"?)?$/i

/** A broken percent escape, a field given twice or another kind of body is refused. */
export function readPageRequest(raw: RawPageRequest): Omit<PageRequest, 'worlds'> {
  const method = raw.method === 'POST' ? 'POST' : 'GET'
  if (method === 'POST') refuseOtherSites(raw.headers)
  return {
    method,
    params: raw.params,
    query: pairsOf(splitTarget(raw.target).query),
    form: method === 'POST' ? formOf(raw) : [],
    cookies: cookiesOf(raw.headers['cookie']),
    isPrefetch: isPrefetch(raw.headers),
    isFromThisMachine: raw.isFromThisMachine,
  }
}

/** Browsers say so in one of two headers, the older of which has no other use. */
function isPrefetch(headers: RawPageRequest['headers']): boolean {
  return [headers['sec-purpose'], headers['purpose']].some((purpose) => /^prefetch\b/i.test(String(purpose)))
}

/** A form that another site sends in the visitor's name. Browsers mark such requests. */
function refuseOtherSites(headers: RawPageRequest['headers']): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw new PageRefusal(403, 'the form was sent from another site')
}

function formOf({ headers, body }: RawPageRequest): QueryPair[] {
  if (body.length > LARGEST_FORM_BYTES) throw new PageRefusal(413, 'the form is too large')
  if (body.length === 0) return []
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (!FORM_TYPE.test(String(headers['content-type'])) || encoding !== 'identity') {
    throw new PageRefusal(415, 'the body is not a form')
  }
  return pairsOf(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'))
}

function pairsOf(encoded: string): QueryPair[] {
  const pairs = decoded(encoded)
  const names = new Set(pairs.map(([name]) => name))
  if (names.size < pairs.length) throw new PageRefusal(400, 'a field is given more than once')
  return pairs
}

function decoded(encoded: string): QueryPair[] {
  try {
    return decodeQuery(encoded)
  } catch (error) {
    if (error instanceof MalformedQueryError) throw new PageRefusal(400, error.message)
    throw error
  }
}

/** Cookies by name, undecoded; of two with one name the first counts, as the more specific path is sent first. */
function cookiesOf(header: string | string[] | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const piece of [header ?? ''].flat().join(';').split(';')) {
    const equals = piece.indexOf('=')
    const name = piece.slice(0, equals).trim()
    if (equals > 0 && !cookies.has(name)) cookies.set(name, piece.slice(equals + 1).trim())
  }
  return cookies
}
