import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { SHAPES } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { editDistance } from '../../contract/words.ts'
import { plain } from '../http/json-body.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import type { CallStep, Step } from './scenario.ts'
import { callOf, expectationsOf, expectsRefusal, OPERATIONS, onlyObserves, producedBy } from './step-facts.ts'

/** Calls give the parameters of their path, and queries and bodies have the names of their operation. */
export function lintFields(step: Step, path: DocumentPath, report: Report): void {
  const call = callOf(step)
  if (call?.op === undefined) return
  const { op, body } = call
  lintParameters(op, call.path ?? {}, [...path, 'call', 'path'], report)
  lintQuery(step, op, call.query, [...path, 'call', 'query'], report)
  const fault = isObject(step.fault?.body) ? step.fault.body : {}
  const lint = (field: unknown, at: DocumentPath): void => {
    const why = typeof field === 'string' ? wrongField(op, field) : null
    if (why !== null) report([...path, ...at], why)
  }
  for (const [index, field] of (body?.unset ?? []).entries()) lint(field, ['call', 'body', 'unset', index])
  for (const name of ['unset', 'wrong_type']) lint(fault[name], ['fault', 'body', name])
  // A target may refuse a call just because it does not know a field.
  if (body?.json !== undefined || mayBeRefused(step)) return
  for (const field of Object.keys(body?.set ?? {})) lint(field.replace(/\?$/, ''), ['call', 'body', 'set', field])
}

/** Parameters of lists, as scenarios name them whatever a target calls them. */
const OF_LISTS = ['from', 'to', 'limit', 'cursor']

function lintQuery(step: Step, op: EndpointId, query: CallStep['query'], path: DocumentPath, report: Report): void {
  if (!isObject(query) || mayBeRefused(step)) return
  for (const name of Object.keys(query)) {
    // The mark of a parameter that a target may lack is not sent.
    const near = misspelled(name.replace(/\?$/, ''), [...OPERATIONS[op].documentedQuery, ...OF_LISTS])
    if (near !== null) report([...path, name], `"${name}" is not a parameter of ${op}; did you mean "${near}"?`)
  }
}

function lintParameters(op: EndpointId, given: object, at: DocumentPath, report: Report): void {
  const { path, inScenario } = OPERATIONS[op]
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  for (const name of unknown) {
    const takes = names.length === 0 ? `${op} has none` : `${op} takes ${names.join(', ')}`
    report([...at, name], `"${name}" is not a parameter of the path ${path}; ${takes}`)
  }
  // An unknown name stands for the one that is missing.
  if (unknown.length > 0) return
  const example = inScenario?.argument?.value ?? ''
  for (const name of names.filter((name) => !(name in given)))
    report(at, `the path ${path} needs a value: path: { ${name}: "${example}" }`)
}

/** Whether a step accepts that its call is refused. */
function mayBeRefused(step: Step): boolean {
  const statuses = expectationsOf(step).flatMap(({ status }) => status ?? [])
  return expectsRefusal(step) || onlyObserves(step) || statuses.some((status) => status === 0 || status >= 400)
}

/** The fields of a body that the document or this program knows, by the object that they are in. */
function fieldsOf(op: EndpointId): ReadonlyMap<string, readonly string[]> {
  const { example, hint } = OPERATIONS[op]
  const shapes = Object.values(SHAPES).filter(({ endpoint, part }) => endpoint === op && part === 'body')
  const ofShapes = new Map(shapes.map(({ at, documented }) => [at.join('.'), documented]))
  const ours = [example.body, 'body' in hint ? hint.body : undefined].flatMap((body) => Object.keys(body ?? {}))
  return new Map([...ofShapes, ['', [...new Set([...(ofShapes.get('') ?? []), ...ours])]]])
}

/** What a body calls a field that is misspelled; null for a field of another name, which a target may have. */
export function wrongField(op: EndpointId, field: string): string | null {
  const known = fieldsOf(op)
  const parts = field.split('.')
  for (const [index, part] of parts.entries()) {
    const inside = parts.slice(0, index)
    const names = known.get(inside.join('.'))
    if (names === undefined) return null
    if (names.includes(part)) continue
    const near = misspelled(part, names)
    if (near === null) return null
    const place = inside.length === 0 ? `the body of ${op}` : `${inside.join('.')} in ${op}`
    return `"${field}" is not a field of ${place}; did you mean "${[...inside, near].join('.')}"?`
  }
  return null
}

/**
 * The known name that another is but for a slip in one of its words: a letter or two too many or too few, another one, or two that
 * changed places. A plural or a name with other words is one of its own.
 *
 * @example misspelled('order.statsu', ['order.status']) // 'order.status'
 */
export function misspelled(name: string, known: readonly string[]): string | null {
  const words = name.split('.')
  const isNear = (other: string) => {
    const others = other.split('.')
    const [at, another] = others.flatMap((word, index) => (word === words[index] ? [] : [index]))
    if (others.length !== words.length || at === undefined || another !== undefined) return false
    const [word = '', meant = ''] = [words[at], others[at]]
    // The same letters in another style are a name of its own.
    return plain(word) !== plain(meant) && isSlip(word, meant)
  }
  return known.find(isNear) ?? null
}

function isSlip(word: string, meant: string): boolean {
  if (Math.min(word.length, meant.length) < 4 || isPlural(word, meant) || isPlural(meant, word)) return false
  // A hostile name of thousands of letters costs nothing then.
  const longer = Math.abs(word.length - meant.length)
  return longer <= 2 && editDistance(word, meant) <= Math.max(1, longer)
}

function isPlural(word: string, one: string): boolean {
  return (word === `${one}s` && !one.endsWith('s')) || word === `${one}es`
}

/** Paths into events lead to what the document gives an event, and filters compare with plain values. */
export function lintEventPaths(step: Step, path: DocumentPath, report: Report): void {
  const places: [DocumentPath, unknown][] = [
    [['events', 'where'], step.events?.where],
    [['hook', 'where'], step.hook?.where],
  ]
  for (const [at, where] of places)
    for (const [name, value] of Object.entries(where ?? {}))
      if (typeof value === 'object' && value !== null)
        report(
          [...path, ...at, name],
          'where compares with a plain value; put conditions into every, includes or excludes',
        )
  const many = Array.isArray(step.expect)
  if (step.events !== undefined)
    for (const [index, expectation] of expectationsOf(step).entries()) {
      const at = ['expect', ...(many ? [index] : [])]
      for (const key of ['roles', 'every', 'includes', 'excludes'] as const)
        places.push([[...at, key], expectation[key]])
      if (expectation.distinct !== undefined) places.push([[...at, 'distinct'], { [expectation.distinct]: null }])
    }
  const isDelivered = step.hook !== undefined || producedBy(step) === 'deliveries'
  for (const [at, paths] of places)
    for (const name of Object.keys(paths ?? {})) {
      const why = wrongEventPath(name, step.events?.type ?? step.hook?.type, isDelivered)
      if (why !== null) report([...path, ...at, ...(at.at(-1) === 'distinct' ? [] : [name])], why)
    }
}

/** What the payload of an event may be about; the document shows that of orders only. */
const NOUNS = ['order', 'case', 'transfer']

/** Why no event has a value at a path; null if one may. */
export function wrongEventPath(path: string, type: string | undefined, isDelivered: boolean): string | null {
  const orders = SHAPES.OrderFacts?.documented ?? []
  const envelope = [...(SHAPES.OrderEvent?.documented ?? []), 'partner_id']
  const [first = '', ...rest] = path.split('.')
  if (first === 'delivery') return isDelivered ? null : `"${path}" is of deliveries: say hook`
  if (first === 'partner_id' && !isDelivered) return 'the history does not show partner_id; only deliveries do'
  if (first !== 'data' && envelope.includes(first)) return null
  // A path that is not in the envelope is looked up in data.
  const [noun, field] = first === 'data' ? rest : [first, ...rest]
  if (noun === undefined) return null
  const wrong = (meant: string): string => `no event has "${path}"${meant}`
  if (noun === 'order') {
    const near = field === undefined || orders.includes(field) ? null : misspelled(field, orders)
    return near === null ? null : wrong(`; did you mean "data.order.${near}"?`)
  }
  if (NOUNS.includes(noun)) return null
  if (orders.includes(noun) && type?.startsWith('order.')) return wrong(`; did you mean "data.order.${noun}"?`)
  const near = misspelled(noun, first === 'data' ? NOUNS : [...envelope, ...NOUNS])
  return near === null ? null : wrong(`; did you mean "${first === 'data' ? 'data.' : ''}${near}"?`)
}
