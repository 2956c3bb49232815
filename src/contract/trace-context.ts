/** The header of W3C Trace Context that names the trace of a call; not the document's, and never part of a signature. */
export const TRACEPARENT = 'traceparent'

/** `version-trace-parent-flags`; a version after 00 may have more behind it. All zeros and version ff are not valid. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * The trace that a call belongs to, as version 00 writes it; null if there is no such header, or not exactly one valid value.
 *
 * @param values each occurrence of the header.
 * @example traceOf(['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])?.id // '4bf92f3577b34da6a3ce929d0e0e4736'
 */
export function traceOf(values: readonly string[]): { readonly id: string; readonly traceparent: string } | null {
  const [value = '', ...more] = values
  const [, version, id = '', parent = '', flags = '', rest] = FORM.exec(value) ?? []
  if (version === undefined || more.length > 0 || (version === '00' && rest !== undefined)) return null
  return { id, traceparent: `00-${id}-${parent}-${flags}` }
}

/**
 * The header of a call that begins here, marked as sampled, so that a server which traces keeps it.
 *
 * @param id 32 hex digits: the trace.
 * @param parent 16 hex digits: the call.
 */
export function traceparentOf(id: string, parent: string): string {
  return `00-${id}-${parent}-01`
}
