import { headerPairsOf, type RawHeaders } from '../contract/headers.ts'

/** Headers that concern one connection only (RFC 9110, section 7.6.1). Transfer-Encoding goes on, because the body is framed alike. */
const OF_A_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'http2-settings']
/** A sender cannot take these away by naming them in Connection: without them, the message ends elsewhere. */
const OF_THE_MESSAGE = new Set(['content-length', 'transfer-encoding', 'host'])

/**
 * Headers as the other side gets them: in the same order, case and number, without those of the connection.
 *
 * @param change gives another value, or null to leave the header out. Names are in lower case.
 * @example forwarded(['Host', 'a', 'connection', 'close'], (name, value) => (name === 'host' ? 'b' : value)) // ['Host', 'b']
 */
export function forwarded(headers: RawHeaders, change: (name: string, value: string) => string | null): string[] {
  const dropped = new Set(OF_A_CONNECTION)
  for (const [name, value] of headerPairsOf(headers)) {
    if (name.toLowerCase() !== 'connection') continue
    for (const named of value.split(',')) dropped.add(named.trim().toLowerCase())
  }
  const kept: string[] = []
  for (const [name, value] of headerPairsOf(headers)) {
    const lower = name.toLowerCase()
    if (dropped.has(lower) && !OF_THE_MESSAGE.has(lower)) continue
    const changed = change(lower, value)
    if (changed !== null) kept.push(name, changed)
  }
  return kept
}

export function hasHeader(headers: RawHeaders, wanted: string): boolean {
  return headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === wanted)
}
