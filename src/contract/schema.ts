import type { GapId } from './choices.ts'
import { ID_PREFIXES, type IdKind } from './ids.ts'

/**
 * JSON Schema with a static type. A handful of builders of our own, because the usual library costs more start-up
 * time than the whole server (docs/architecture.md, Decisions).
 */
export interface Schema<Type> {
  readonly json: Readonly<Record<string, unknown>>
  /** Never set; carries the type. */
  readonly type?: Type
}

export interface OptionalSchema<Type> extends Schema<Type> {
  readonly optional: true
}

type Properties = Record<string, Schema<unknown> | OptionalSchema<unknown>>
export type TypeOf<S> = S extends Schema<infer Type> ? Type : never
type OptionalKeys<P extends Properties> = {
  [K in keyof P]: P[K] extends OptionalSchema<unknown> ? K : never
}[keyof P]

export type ObjectOf<P extends Properties> = { [K in Exclude<keyof P, OptionalKeys<P>>]: TypeOf<P[K]> } & {
  [K in OptionalKeys<P>]?: TypeOf<P[K]>
}

interface TextOptions {
  minLength?: number
  maxLength?: number
  /** A format of validation.ts. */
  format?: 'domain' | 'email' | 'web-url' | 'instant' | 'country' | 'currency' | 'visible' | 'plain'
  description?: string
  /** No message quotes the value and no answer has it: a secret. */
  writeOnly?: true
  /** The open point by which its length is chosen. */
  'x-gap'?: { id: GapId }
}

export function text(options: TextOptions = {}): Schema<string> {
  return { json: { type: 'string', maxLength: 2_048, ...options } }
}

interface StringOptions {
  minLength?: number
  maxLength?: number
  pattern?: string
  not?: { enum: readonly string[] }
}

/** A text without the limit that those of calls have: files may be of any length. */
export function string(description?: string, options: StringOptions = {}): Schema<string> {
  return { json: { ...(description && { description }), type: 'string', ...options } }
}

export function oneOf<const Value extends string>(values: readonly Value[], description?: string): Schema<Value> {
  return { json: { type: 'string', enum: values, ...(description && { description }) } }
}

export function integer(options: { minimum?: number; maximum?: number; description?: string } = {}): Schema<number> {
  return { json: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, ...options } }
}

/** A whole number without the limit that those of calls have. */
export function whole(description: string, options: { minimum?: number; maximum?: number } = {}): Schema<number> {
  return { json: { description, type: 'integer', minimum: 0, ...options } }
}

interface NumberOptions {
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  description?: string
}

/** A number that need not be whole; money never is one. */
export function number(options: NumberOptions = {}): Schema<number> {
  return { json: { type: 'number', ...options } }
}

/**
 * One of our identifiers.
 *
 * @example id('order').json // { type: 'string', pattern: '^ord_[0-9a-z]+$' }
 */
export function id(kind: IdKind, description?: string): Schema<string> {
  return { json: { type: 'string', pattern: `^${ID_PREFIXES[kind]}[0-9a-z]+$`, ...(description && { description }) } }
}

export function flag(description?: string): Schema<boolean> {
  return { json: { type: 'boolean', ...(description && { description }) } }
}

/** Any JSON value; of a type that no schema can say, where one is named. */
export function anything<Type = unknown>(description?: string): Schema<Type> {
  return { json: { ...(description && { description }) } }
}

export function nullable<Type>({ json }: Schema<Type>): Schema<Type | null> {
  return { json: { anyOf: [json, { type: 'null' }] } }
}

/** A value of one of several shapes. */
export function either<Type>(...schemas: readonly Schema<Type>[]): Schema<Type> {
  return { json: { anyOf: schemas.map(({ json }) => json) } }
}

/**
 * Different schemas for different JSON types. Written with if/then, so that a mistake is reported against the one branch
 * its type belongs to rather than against all of them.
 */
export function byType<Branches extends Partial<Record<JsonType, Schema<unknown>>>>(
  description: string,
  branches: Branches,
): Schema<TypeOf<Branches[keyof Branches]>> {
  const types = Object.keys(branches)
  return {
    json: {
      description,
      type: types.length === 1 ? types[0] : types,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      allOf: Object.entries(branches).map(([type, { json }]) => ({ if: { type }, then: json })),
    },
  }
}

type JsonType = 'string' | 'integer' | 'boolean' | 'object' | 'array'

interface ListOptions {
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  description?: string
}

export function list<Type>(items: Schema<Type>, options: ListOptions = {}): Schema<Type[]> {
  return { json: { type: 'array', items: items.json, ...options } }
}

export function optional<Type>(schema: Schema<Type>): OptionalSchema<Type> {
  return { json: schema.json, optional: true }
}

/**
 * An object that refuses what it does not know, by name.
 *
 * @param options.open lets unknown members through, unread.
 * @example const body = object({ domain: text({ format: 'domain' }), currency: optional(text()) })
 */
export function object<P extends Properties>(properties: P, options: { open?: boolean } = {}): Schema<ObjectOf<P>> {
  const entries = Object.entries(properties)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema.json])),
      required: entries.filter(([, schema]) => !('optional' in schema)).map(([name]) => name),
      additionalProperties: options.open === true,
    },
  }
}

/**
 * An object of a file: any of its keys may be missing, but for those that are required.
 *
 * @example const topic = partial('A word and what it finds.', { query: string('The word.') }, { required: ['query'] })
 */
export function partial<P extends Properties, Required extends keyof P & string = never>(
  description: string,
  properties: P,
  options: { required?: readonly Required[] } = {},
): Schema<PartialOf<P, Required>> {
  return { json: { ...closedObject(description, properties), ...options } }
}

type PartialOf<P extends Properties, Required extends keyof P> = Flat<
  { [K in Required]: TypeOf<P[K]> } & { [K in Exclude<keyof P, Required>]?: TypeOf<P[K]> }
>

/** The same as one type, which is what editors and messages then show. */
type Flat<Type> = { [K in keyof Type]: Type[K] }

/** An object with exactly one of these keys. */
export function oneKey<P extends Properties>(description: string, properties: P): Schema<OneKeyOf<P>> {
  return { json: { ...closedObject(description, properties), minProperties: 1, maxProperties: 1 } }
}

type OneKeyOf<P extends Properties> = { [K in keyof P]: { [Key in K]: TypeOf<P[K]> } }[keyof P]

function closedObject(description: string, properties: Properties) {
  const members = Object.entries(properties).map(([name, { json }]) => [name, json])
  return { description, type: 'object', additionalProperties: false, properties: Object.fromEntries(members) }
}

interface RecordOptions<Type> {
  /** What each of them is; anything where absent. */
  values?: Schema<Type>
  propertyNames?: { pattern: string }
  minProperties?: number
  maxProperties?: number
}

/** An object whose keys are not known. */
export function record<Type = unknown>(
  description: string,
  { values, ...options }: RecordOptions<Type> = {},
): Schema<Record<string, Type>> {
  return { json: { description, type: 'object', ...(values && { additionalProperties: values.json }), ...options } }
}

/** The schema that is under this name in the `definitions` of the whole. */
export function reference<Type>(name: string, _schema: Schema<Type>): Schema<Type> {
  return { json: { $ref: `#/definitions/${name}` } }
}

/** The same, with something that editors offer. */
export function withExamples<Type>({ json }: Schema<Type>, ...examples: NoInfer<Type>[]): Schema<Type> {
  return { json: { ...json, examples } }
}
