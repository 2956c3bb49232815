import type { RunEntry } from '../../conformance/reports/har.ts'
import { HEADERS } from '../../contract/headers.ts'

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
  /** 1 for the first credential of the run; null for a call of the operator, which is not signed. */
  readonly credential: number | null
  /** What later calls need of the answer: a variable, and the members that lead to it. */
  readonly captures: readonly { readonly variable: string; readonly path: readonly (string | number)[] }[]
}

/** Names of domains that a run makes for itself. */
const OWN_NAMES = /\bconf-[0-9a-f]{6,}(?=-)/g
const ID = /^[a-z]{2,5}_[0-9a-z]{8,}$/

/**
 * The calls of one scenario in the archive of a run, with those that made its domains. Ids of earlier answers, names of the run and keys are variables.
 *
 * @param id of the scenario.
 */
export function exportedCalls(run: readonly RunEntry[], id: string): ExportedCall[] {
  const entries = run.filter(
    ({ _scenario: of, request }) => of === id || (of === 'fixtures' && request.method === 'POST'),
  )
  const values = new Map<string, string>()
  const keys = namesFor('key')
  const credentials = namesFor('')
  const calls = entries.map((entry, at) => {
    const { request, response } = entry
    const { pathname, search } = new URL(request.url)
    const header = (name: string) => request.headers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value
    const inVariables = (text: string) => withVariables(text, values)
    const call = {
      title: `${at + 1}. ${entry._checks[0]?.step ?? request.method}: answered ${response.status} in the run`,
      method: request.method,
      target: inVariables(pathname + search),
      body: request.postData ? inVariables(request.postData.text) : null,
      contentType: request.postData?.mimeType ?? null,
      key: keys(header(HEADERS.idempotencyKey)),
      credential: pathname.startsWith('/v1/') ? null : Number(credentials(header(HEADERS.keyId) ?? '')?.slice(1)),
    }
    return { ...call, captures: capturesOf(response.content.text, values) }
  })
  return calls.map((call, at) => ({
    ...call,
    captures: call.captures.filter(({ variable }) => isUsed(variable, calls.slice(at + 1))),
  }))
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
  return named.replaceAll(OWN_NAMES, 'conf-{{run}}')
}

/** The ids of an answer that no earlier answer had. */
function capturesOf(text: string, values: Map<string, string>): { variable: string; path: (string | number)[] }[] {
  const found: { variable: string; path: (string | number)[] }[] = []
  const visit = (value: unknown, path: (string | number)[]): void => {
    if (typeof value === 'string' && ID.test(value) && !values.has(value)) {
      const variable = `${String(path.findLast((name) => typeof name === 'string') ?? 'id')}_${values.size + 1}`
      values.set(value, variable)
      found.push({ variable, path })
    }
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value))
      visit(inner, [...path, Array.isArray(value) ? Number(name) : name])
  }
  visit(jsonOf(text), [])
  return found
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isUsed(variable: string, later: readonly { target: string; body: string | null }[]): boolean {
  return later.some(({ target, body }) => `${target}${body ?? ''}`.includes(`{{${variable}}}`))
}
