import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import { didYouMean } from '../../contract/words.ts'
import { atKeys, atPath } from '../http/json-body.ts'
import type { DocumentPath } from '../yaml/read-yaml.ts'
import type { CallStep, Scenario, Step } from './scenario.ts'
import { callOf, derivedSellable } from './step-facts.ts'
import type { Template } from './values.ts'

/** One row of a scenario with `each`: the scenario that it makes. */
interface ScenarioRow {
  /** What stands in brackets behind the id of the file; null if only steps have rows. */
  name: string | null
  /** The id that the file gives the row; null if it follows from the file and the name. */
  id: string | null
  scenario: Scenario
  /** Of each step, which one of the file it is; null for one that was put before them. */
  origins: readonly (number | null)[]
}

/** A value of a row, and its name in the id. */
interface NamedRow {
  name: string
  value: Template
}

/** Rows of all names of an `each`, combined. */
interface CombinedRow {
  name: string
  values: Record<string, Template>
}

/** What a scenario refers to as `${each.NAME}`, and no row has. */
export class UnknownRowValueError extends Error {
  override name = 'UnknownRowValueError'
}

/** Whether a file stands for more than it says step by step. */
export function hasRows({ each, steps }: Scenario): boolean {
  return each !== undefined || (Array.isArray(steps) && steps.some((step) => step?.each !== undefined))
}

/** What is wrong with rows, and where: mostly a place that refers to what no row has, with what rows have instead. */
interface RowProblem {
  path: DocumentPath
  message: string
}

/** Every place that refers to a value that no row of its `each` has. */
export function unknownRowValues({ each, steps, ...rest }: Scenario): RowProblem[] {
  const outer = combined(each).map(({ values }) => values)
  return [
    ...unknownIn(rest, [], outer),
    ...steps.flatMap(({ each: inner, ...step }, index) => {
      const at = ['steps', index]
      const unknown = unknownIn(inner, [...at, 'each'], outer)
      if (unknown.length > 0) return unknown
      const rows = outer.flatMap((values) =>
        combined(fill((inner ?? {}) as Template, values) as Scenario['each']).map((row) => ({
          ...values,
          ...row.values,
        })),
      )
      return unknownIn(step, at, rows)
    }),
  ]
}

function unknownIn(value: unknown, path: DocumentPath, rows: readonly Record<string, Template>[]): RowProblem[] {
  if (typeof value === 'string') {
    const named = [...value.matchAll(REFERENCES)].map(([, name = '']) => name)
    return [...new Set(named)].flatMap((name) => {
      const row = rows.find((values) => atPath(values, name) === undefined)
      return row === undefined ? [] : [{ path, message: notInRow(name, row) }]
    })
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    return [...unknownIn(key, at, rows), ...unknownIn(inner, at, rows)]
  })
}

/** Names that more than one row has, in the id of its scenario or as the id that the file gives it. */
export function sharedNames({ each = {}, ...rest }: Scenario): RowProblem[] {
  const ids = rest.id === undefined ? [] : rowsOf({ each, ...rest }).map(({ id }) => String(id))
  const places = Object.entries(each).map(
    ([key, rows]) => [['each', key], rowsFrom(rows).map(({ name }) => name)] as const,
  )
  return [...places, [['id'], ids] as const].flatMap(([path, names]) =>
    [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => ({
      path,
      message: `"${name}" is the name of more than one row`,
    })),
  )
}

function notInRow(name: string, row: Record<string, Template>): string {
  const parts = name.split('.')
  const depth = parts.findIndex((_part, at) => atKeys(row, parts.slice(0, at + 1)) === undefined)
  const before = parts.slice(0, depth)
  const holder = atKeys(row, before)
  const names = isObject(holder) ? Object.keys(holder).map((key) => [...before, key].join('.')) : []
  const has = names.length === 0 ? '' : `; it has ${names.join(', ')}`
  return `no row of each has "${name}"${has}${didYouMean(name, names)}`
}

/**
 * The scenarios that a file stands for: one for each row of its `each`, and in it a step for each row of a step's.
 *
 * @throws UnknownRowValueError
 */
export function rowsOf({ each, id, steps, ...rest }: Scenario): ScenarioRow[] {
  return combined(each).map(({ name, values }) => {
    const ofRow = steps.flatMap((step, origin) => stepsOf(step, values).map((one) => ({ step: one, origin })))
    const before = Object.values(values).flatMap(makerOf)
    const filled = withoutNulls(fill(rest as unknown as Template, values)) as unknown as Omit<Scenario, 'steps'>
    const origins = [...before.map(() => null), ...ofRow.map(({ origin }) => origin)]
    return {
      name: each === undefined ? null : name,
      id: id === undefined ? null : String(fillText(id, values)),
      scenario: {
        ...filled,
        steps: [...before, ...ofRow.map(({ step }) => step)],
        // What is not a list is left for the schema to refuse.
        proves: Array.isArray(filled.proves) ? [...new Set(filled.proves)] : filled.proves,
      },
      origins,
    }
  })
}

function stepsOf({ each, ...step }: Step, outer: Record<string, Template>): Step[] {
  return combined(fill((each ?? {}) as Template, outer) as Scenario['each']).map(({ name, values }) => {
    const valid = withValidCalls(fill(step as unknown as Template, { ...outer, ...values }))
    const filled = withoutNulls(valid) as Step
    const saysRow = each === undefined || filled.id === undefined || REFERENCE.test(step.id ?? '')
    return saysRow ? filled : { ...filled, id: `${filled.id}_${idWord(name)}` }
  })
}

/** A scenario or step of one row; a key that the row has null for is left out. */
function withoutNulls(filled: Template): Record<string, Template> {
  return Object.fromEntries(Object.entries(filled as Record<string, Template>).filter(([, value]) => value !== null))
}

/** @example idWord('buyer.email') // 'buyer_email' */
function idWord(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
}

function combined(each: Scenario['each']): CombinedRow[] {
  const nothing: CombinedRow[] = [{ name: '', values: {} }]
  return Object.entries(each ?? {}).reduce(
    (before, [key, source]) =>
      before.flatMap(({ name, values }) =>
        rowsFrom(source).map((row) => ({
          name: name === '' ? row.name : `${name},${row.name}`,
          values: { ...values, [key]: row.value },
        })),
      ),
    nothing,
  )
}

/** Where rows come from. */
type Rows = NonNullable<Scenario['each']>[string]
type Operations = Extract<Rows, { operations: unknown }>['operations']

function rowsFrom(source: Rows): NamedRow[] {
  if (typeof source === 'string') throw new UnknownRowValueError(`${source} is not in a row of each`)
  if (Array.isArray(source)) return alike(source).map(listed)
  if ('operations' in source)
    return operationsThat(source.operations).flatMap((id) => rowsOfOperation(id, source.operations.by))
  const rows = source.pairs
  return rows.flatMap((first, index) =>
    rows.slice(index + 1).map((second) => ({ name: `${first.row}+${second.row}`, value: { first, second } })),
  )
}

/** Rows with the same fields: what only others have is null. */
function alike(rows: readonly Template[]): readonly Template[] {
  const fields = new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))
  const without = Object.fromEntries([...fields].map((field) => [field, null]))
  return rows.map((row) => (isObject(row) ? { ...without, ...row } : row))
}

function listed(value: Template): NamedRow {
  const name = isObject(value) ? String(value.row) : String(value).replaceAll(/[^A-Za-z0-9._-]/g, '-')
  return { name, value }
}

function operationsThat({ effect, method, scope, only, except = [] }: Operations): EndpointId[] {
  return ENDPOINT_IDS.filter((id) => {
    const endpoint: Endpoint = ENDPOINTS[id]
    return (
      (only?.includes(id) ?? true) &&
      !except.includes(id) &&
      (effect === undefined || endpoint.effect === effect) &&
      (method === undefined || endpoint.method === method) &&
      (scope === undefined || endpoint.scopes.includes(scope))
    )
  })
}

/** One row of an operation, or one for each scope that opens it or does not. */
function rowsOfOperation(id: EndpointId, by: Operations['by']): NamedRow[] {
  const value = rowOf(id)
  if (by === undefined) return [{ name: id, value }]
  const opening: readonly Scope[] = ENDPOINTS[id].scopes
  return SCOPES.filter((scope) => opening.includes(scope) === (by === 'scope')).map((scope) => ({
    name: `${id},${scope}`,
    value: { ...value, scope },
  }))
}

/** What a scenario may say of an operation: `${each.op.id}`, and `op: ${each.op}` for a valid call of it. */
function rowOf(id: EndpointId): { [field: string]: Template } {
  const { method, path, scopes, requirements }: Endpoint = ENDPOINTS[id]
  const scopeRequirement = requirements.find((one) => one.startsWith('SCOPE-')) ?? ''
  const others = SCOPES.filter((scope) => !scopes.includes(scope))
  const ofScopes = { scopes: [...scopes], other_scopes: others, scope_requirement: scopeRequirement }
  return { id, method, path, ...ofScopes, call: validCall(id) }
}

/** A call of the operation that a correct target accepts, with what it has to say. */
function validCall(id: EndpointId): { [field: string]: Template } {
  const { inScenario }: Endpoint = ENDPOINTS[id]
  const argument = inScenario?.argument
  if (!argument) return { op: id }
  const said = { [argument.name]: argument.value }
  return { op: id, [argument.in]: argument.in === 'body' ? { set: said } : said }
}

/** Fills in `${each...}` in texts and keys. What is one reference takes the value as it is. */
function fill(template: Template, values: Record<string, Template>): Template {
  if (typeof template === 'string') return fillText(template, values)
  if (Array.isArray(template)) return template.map((item) => fill(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [String(fillText(key, values)), fill(value, values)]),
  )
}

const REFERENCE = /\$\{each\.([a-z0-9_.]+)\}/
const REFERENCES = new RegExp(REFERENCE, 'g')
const ONE_REFERENCE = new RegExp(`^${REFERENCE.source}$`)

function fillText(text: string, values: Record<string, Template>): Template {
  const whole = ONE_REFERENCE.exec(text)
  if (whole) return valueAt(values, whole[1] as string)
  return text.replaceAll(REFERENCES, (_reference, path: string) => String(valueAt(values, path)))
}

function valueAt(values: Record<string, Template>, path: string): Template {
  const value = atPath(values, path)
  if (value === undefined) throw new UnknownRowValueError(`no row of each has the value "${path}"`)
  return value as Template
}

/** Puts the valid call of an operation in the place of `op: ${each.NAME}`; what stands beside it is added or goes before. */
function withValidCalls(template: Template): Template {
  if (Array.isArray(template)) return template.map(withValidCalls)
  if (typeof template !== 'object' || template === null) return template
  const inner = Object.fromEntries(Object.entries(template).map(([key, value]) => [key, withValidCalls(value)]))
  const { op, ...rest } = inner
  return isObject(op) && isObject(op.call) ? (merged(op.call, rest) as Template) : inner
}

function merged(below: Record<string, Template>, above: Record<string, Template>): Record<string, Template> {
  const shared = Object.keys(above).filter((key) => isObject(below[key]) && isObject(above[key]))
  const both = shared.map((key) => [
    key,
    merged(below[key] as Record<string, Template>, above[key] as Record<string, Template>),
  ])
  return { ...below, ...above, ...Object.fromEntries(both) }
}

/** A row that was found valid, with a domain of its own for a write about one: a target may ask that the write names it. */
export function withItsDomain(scenario: Scenario): Scenario {
  const lacksDomain = derivedSellable(scenario) === 0 && scenario.steps.some((step) => isAboutDomain(callOf(step)))
  return lacksDomain ? { ...scenario, needs: [...(scenario.needs ?? []), 'fixture.sellable'] } : scenario
}

/** Whether the body of a call names a domain that nothing else is done to. */
function isAboutDomain(call: CallStep | undefined): boolean {
  if (call?.op === undefined || call.body?.json !== undefined || call.body?.raw !== undefined) return false
  const { effect, subject }: Endpoint = ENDPOINTS[call.op]
  return effect === 'write' && subject?.kind === 'domain' && call.body?.set?.domain === undefined
}

/** The step that makes what an operation asks about. */
function makerOf(value: Template): Step[] {
  const id = isObject(value) ? ENDPOINT_IDS.find((one) => one === value.id) : undefined
  const after = id && (ENDPOINTS[id] as Endpoint).inScenario?.after
  const maker = ENDPOINT_IDS.find((id) => after && ENDPOINTS[id].creates?.kind === after)
  return maker === undefined ? [] : [{ id: 'made', call: { op: maker } }]
}
