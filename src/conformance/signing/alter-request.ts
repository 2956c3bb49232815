import { splitTarget } from '../../contract/canonical-string.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { WireRequest } from '../http/exchange.ts'
import { type FaultDetail, FaultHasNoEffectError } from './signature-faults.ts'

type TamperDetail = FaultDetail<'tamper'>
type TamperPart = Extract<TamperDetail, string>
type QueryChange = 'add' | 'remove' | 'alter'

/** Changes one part of a request that is signed already; the signature stays as it is. */
export function tamperWith(detail: TamperDetail, wire: WireRequest): WireRequest {
  const [part, value] =
    typeof detail === 'string' ? [detail, undefined] : (Object.entries(detail)[0] as [TamperPart, string])
  return CHANGES[part](wire, value)
}

const CHANGES: Record<TamperPart, (wire: WireRequest, value: string | undefined) => WireRequest> = {
  method: (wire, value) => ({ ...wire, method: value ?? (wire.method === 'GET' ? 'POST' : 'GET') }),
  path: (wire, value) => ({ ...wire, target: withPath(wire.target, value) }),
  query: (wire, value) => ({ ...wire, target: withQuery(wire.target, (value ?? 'add') as QueryChange) }),
  body: (wire, value) => ({
    ...wire,
    body: value === undefined ? withOneSpace(wire.body) : Buffer.from(value, 'utf8'),
  }),
  timestamp: (wire, value) => withHeader(wire, HEADERS.timestamp, (signed) => value ?? oneSecondLater(signed)),
  nonce: (wire, value) => withHeader(wire, HEADERS.nonce, (signed) => value ?? withOtherEnd(signed)),
}

function withPath(target: string, path: string | undefined): string {
  const signed = splitTarget(target).path
  return (path ?? `${signed}/`) + target.slice(signed.length)
}

function withQuery(target: string, change: QueryChange): string {
  const { path, query } = splitTarget(target)
  const pieces = query.split('&').filter((piece) => piece !== '')
  const last = pieces.pop()
  if (change === 'add') return `${path}?${query === '' ? '' : `${query}&`}tampered=1`
  if (last === undefined) throw new FaultHasNoEffectError({ tamper: { query: change } }, 'it has no query')
  if (change === 'alter') pieces.push(withOtherEnd(last.includes('=') ? last : `${last}=`))
  return pieces.length === 0 ? path : `${path}?${pieces.join('&')}`
}

const OPENS_JSON = new Set(['{'.charCodeAt(0), '['.charCodeAt(0)])

/** The body means the same with the space, so that only its bytes can give it away. */
function withOneSpace(body: Uint8Array): Uint8Array {
  const at = OPENS_JSON.has(body[0] ?? 0) ? 1 : body.length
  return Buffer.concat([body.subarray(0, at), Buffer.from(' '), body.subarray(at)])
}

function withHeader(wire: WireRequest, name: string, change: (signed: string) => string): WireRequest {
  return { ...wire, headers: wire.headers.map(([key, value]) => [key, key === name ? change(value) : value]) }
}

function oneSecondLater(timestamp: string): string {
  return String(Number(timestamp) + 1)
}

const ENDS_IN_PLAIN_CHARACTER = /(?<!%|%[0-9A-Fa-f])[0-9A-Za-z]$/

/** Puts a neighbor in the place of the last letter or digit; after anything else it adds one. */
function withOtherEnd(text: string): string {
  if (!ENDS_IN_PLAIN_CHARACTER.test(text)) return `${text}1`
  const last = text.charCodeAt(text.length - 1)
  const neighbor = '9Zz'.includes(String.fromCharCode(last)) ? last - 1 : last + 1
  return text.slice(0, -1) + String.fromCharCode(neighbor)
}
