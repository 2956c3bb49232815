import type { ShownSchema } from './flatten-schema.ts'

/** An operation or webhook as the document writes it. */
export interface ShownOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly ShownParameter[]
  readonly requestBody?: { content: ShownContent }
  readonly responses: Readonly<Record<string, ShownResponse>>
  readonly 'x-scopes'?: { anyOf: readonly string[] }
  readonly 'x-affiliate'?: true
  readonly 'x-merchant-of-record'?: true
}

export interface ShownParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: ShownSchema
  readonly example?: unknown
  readonly 'x-gap'?: ShownSchema['x-gap']
}

export interface ShownResponse {
  readonly description: string
  readonly content?: ShownContent
  readonly 'x-gap'?: readonly { id: string; code?: string; values: readonly unknown[] }[]
}

type ShownContent = Readonly<Record<string, { schema: ShownSchema; example?: unknown }>>
