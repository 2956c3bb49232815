import type { RunEntry } from '../../conformance/reports/har.ts'
import { HEADERS } from '../../contract/headers.ts'
import { jsonIn } from '../../contract/words.ts'

/** A call of a run, for a tool that makes it again with a signature of its own. */
export interface ExportedCall {
  readonly title: string
  readonly method: string
  /** Path and query; `{{name}}` stands for a variable here and in the body. */
  readonly target: string
  readonly body: string | null
  readonly contentType: string | null
  /** The variable of its Idempotency-Key; null if it has none. */
  readonly key: string | null
  /** Pages are for buyers, with cookies; they and the operator API are not signed. */
  readonly server: 'api' | 'page' | 'operator'
  /** 1 for the first credential of the run; null for a call that is not signed. */
  readonly credential: number | null
  readonly captures: readonly Capture[]
}

/** What later calls need of an answer. */
interface Capture {
  readonly variable: string
  /** The members that lead to it. */
  readonly path: readonly (string | number)[]
  /** Whether the value is the address of a page, of which later calls have path and query. */
  readonly isAddress: boolean
}

/** Names of domains that a run makes for itself. */
const OWN_NAMES = /\bconf-[0-9a-f]{6,}(?=-)/g
/** The address of a receiver that a run opens for itself. */
const OWN_RECEIVER = /"http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{36}"/
/** A scenario that must not share a world runs in a copy of it; the export uses the world itself. */
const COPIED_WORLD = /^(\/v1\/worlds\/default)-[0-9a-z]+(?=\/|$)/
/** What a report has for the secret of a webhook; a registration needs one of sixteen characters. */
const REDACTED = '[secret]'
const ID = /^[a-z]{2,5}_[0-9a-z]{8,}$/

/**
 * The calls of one scenario in the archive of a run, with those that made its domains. Ids of earlier answers, names of the run and keys are variables.
 *
 * @param id of the scenario.
 */
export function exportedCalls(run: readonly RunEntry[], id: string): ExportedCall[] {
  // A delivery, which the target sent, is not a call of the scenario.
  const entries = run.filter(
    ({ _scenario: of, _speaker: speaker, request }) =>
      speaker !== 'target' && (of === id || (of === 'fixtures' && request.method === 'POST')),
  )
  const values = new Map<string, string>()
  const keys = namesFor('key')
  const credentials = namesFor('')
  const keyIdOf = ({ request }: RunEntry) => headerOf(request, HEADERS.keyId) ?? ''
  // A call that the run signed wrongly may have no key id, or an unknown one; here the first credential signs it.
  const taken = new Set(entries.flatMap((entry) => (entry.response.status === 401 ? [] : keyIdOf(entry) || [])))
  const [first = ''] = taken
  const calls = entries.map((entry, at) => {
    const { request, response } = entry
    const { pathname, search, origin } = new URL(request.url)
    const inVariables = (text: string) => withVariables(text, values)
    const server = pathname.startsWith('/v1/') ? 'operator' : pathname.startsWith('/api/') ? 'api' : 'page'
    const signer = taken.has(keyIdOf(entry)) ? keyIdOf(entry) : first
    const signedHere = server === 'api' && response.status === 401 ? '; here it is signed correctly' : ''
    const gone = OWN_RECEIVER.test(request.postData?.text ?? '')
      ? '; its url was a receiver of the run: put yours there'
      : ''
    const call: Omit<ExportedCall, 'captures'> = {
      title: `${at + 1}. ${entry._checks[0]?.step ?? request.method}: answered ${response.status} in the run${signedHere}${gone}`,
      method: request.method,
      target: inVariables(pathname.replace(COPIED_WORLD, '$1') + search),
      body: request.postData ? inVariables(request.postData.text) : null,
      contentType: request.postData?.mimeType ?? null,
      key: keys(headerOf(request, HEADERS.idempotencyKey)),
      server,
      credential: server === 'api' ? Number(credentials(signer)?.slice(1)) : null,
    }
    return { ...call, captures: capturesOf(response.content.text, values, origin) }
  })
  return calls.map((call, at) => {
    const later = calls.slice(at + 1).map(({ target, body }) => `${target}${body ?? ''}`)
    const isUsed = ({ variable }: Capture) => later.some((text) => text.includes(`{{${variable}}}`))
    return { ...call, captures: call.captures.filter(isUsed) }
  })
}

function headerOf({ headers }: RunEntry['request'], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.value
}

/** Gives each value a name with a number, the same for the same value. */
function namesFor(prefix: string): (value: string | undefined) => string | null {
  const known = new Map<string, string>()
  return (value) => {
    if (value === undefined) return null
    if (!known.has(value)) known.set(value, `${prefix}_${known.size + 1}`)
    return known.get(value) ?? null
  }
}

function withVariables(text: string, values: ReadonlyMap<string, string>): string {
  const named = [...values].reduce((now, [value, variable]) => now.replaceAll(value, `{{${variable}}}`), text)
  return named.replaceAll(OWN_NAMES, 'conf-{{run}}').replaceAll(REDACTED, 'a-secret-of-this-export')
}

/** The ids of an answer, and the addresses of its pages, that no earlier answer had. */
function capturesOf(text: string, values: Map<string, string>, origin: string): Capture[] {
  const found: Capture[] = []
  const visit = (value: unknown, path: (string | number)[]): void => {
    const page = typeof value === 'string' ? pageIn(value, origin) : null
    const kept = page ?? (typeof value === 'string' && ID.test(value) ? value : null)
    if (kept !== null && !values.has(kept)) {
      const variable = `${String(path.findLast((name) => typeof name === 'string') ?? 'id')}_${values.size + 1}`
      values.set(kept, variable)
      found.push({ variable, path, isAddress: page !== null })
    }
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value))
      visit(inner, [...path, Array.isArray(value) ? Number(name) : name])
  }
  visit(jsonIn(text), [])
  return found
}

/** Path and query of the address of a page of the same server; null for any other text. */
function pageIn(text: string, origin: string): string | null {
  if (!text.startsWith(`${origin}/`)) return null
  const [, target = ''] = /^(\/[^\s#]+)$/.exec(text.slice(origin.length)) ?? []
  return target === '' || target.startsWith('/api/') ? null : target
}
