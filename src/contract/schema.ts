import type { GapId } from './gaps.ts'
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

export function oneOf<const Value extends string>(values: readonly Value[], description?: string): Schema<Value> {
  return { json: { type: 'string', enum: values, ...(description && { description }) } }
}

export function integer(options: { minimum?: number; maximum?: number; description?: string } = {}): Schema<number> {
  return { json: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, ...options } }
}

/** A number that need not be whole; money never is one. */
export function number(options: { minimum?: number; maximum?: number; description?: string } = {}): Schema<number> {
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

/** A value, or null. */
export function nullable<Type>({ json }: Schema<Type>): Schema<Type | null> {
  return { json: { anyOf: [json, { type: 'null' }] } }
}

/** A value of one of several shapes. */
export function either<Type>(...schemas: readonly Schema<Type>[]): Schema<Type> {
  return { json: { anyOf: schemas.map(({ json }) => json) } }
}

export function list<Type>(items: Schema<Type>, options: { maxItems?: number } = {}): Schema<Type[]> {
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
