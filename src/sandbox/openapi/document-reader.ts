import type { ShownOperation, ShownParameter, ShownResponse } from './docs-operation.tsx'
import type { OpenApiDocument } from './document.ts'
import type { FindSchema, ShownSchema } from './flatten-schema.ts'

/** An operation with the path or name and the verb under which the document has it. */
export interface Entry {
  readonly verb: string
  readonly path: string
  readonly operation: ShownOperation
}

export function finderOf(api: OpenApiDocument): FindSchema {
  return (ref: string) => at(api, ref) as ShownSchema
}

/** What a reference within the document points at; names of components hold no character that would be escaped. */
function at(api: OpenApiDocument, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce((value: unknown, name) => (value as Record<string, unknown>)[name], api)
}

/** Every operation under these paths or names, with nothing left to look up but schemas. */
export function entriesOf(api: OpenApiDocument, paths: Record<string, unknown>): Entry[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs as Record<string, ShownOperation>).map(([verb, operation]) => ({
      verb: verb.toUpperCase(),
      path,
      operation: withoutReferences(api, operation),
    })),
  )
}

function withoutReferences(api: OpenApiDocument, operation: ShownOperation): ShownOperation {
  const follow = <Shown>(value: Shown | { $ref: string }): Shown =>
    (typeof value === 'object' && value !== null && '$ref' in value ? at(api, String(value.$ref)) : value) as Shown
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    follow<ShownResponse>(response),
  ])
  return {
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map((one) => follow<ShownParameter>(one)) }),
    responses: Object.fromEntries(responses),
  }
}
