import { allRows, type PagedList, type RowOf } from '../operator-api/all-rows.ts'
import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import {
  type AnswerOf,
  type InputOf,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  type PathOf,
  type QueryOf,
} from '../operator-api/operations.ts'

/** The ids in a path, without the world. */
type IdsIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends 'w'
    ? IdsIn<Rest>
    : [id: string, ...IdsIn<Rest>]
  : []

/** An operation as a method: first the ids of its path, then its query or its body in camelCase. */
type MethodOf<Id extends OperationId> = (
  ...args: Record<never, never> extends InputOf<Id>
    ? [...IdsIn<PathOf<Id>>, options?: CamelCased<InputOf<Id>>]
    : [...IdsIn<PathOf<Id>>, options: CamelCased<InputOf<Id>>]
) => Promise<AnswerOf<Id>>

/** The operations of a resource as methods: `orders.startTransfer` is `startTransfer(publicId, options)`. */
export type Methods<Resource extends string, But extends string = never> = {
  [Id in OperationId as Id extends `${Resource}.${infer Name}` ? Exclude<Name, But> : never]: MethodOf<Id>
}

/** What a list is filtered by. */
export type FilterOf<Id extends OperationId> = Omit<CamelCased<QueryOf<Id>>, 'limit' | 'cursor'>

/** A list over all its pages. */
export interface Whole<Id extends OperationId, Filter = FilterOf<Id>> {
  /** Every row that matches the filter, over all pages. */
  all(filter?: Filter): Promise<RowOf<AnswerOf<Id>>[]>
}

/** @param w name of the world. */
export function methodsOf<Resource extends string>(
  client: OperatorClient,
  w: string,
  resource: Resource,
): Methods<Resource> {
  const ids = OPERATION_IDS.filter((id) => id.startsWith(`${resource}.`))
  return Object.fromEntries(
    ids.map((id) => [id.slice(resource.length + 1), methodOf(client, w, id)]),
  ) as unknown as Methods<Resource>
}

function methodOf(client: OperatorClient, w: string, id: OperationId): (...args: unknown[]) => Promise<unknown> {
  const names = [...operationOf(id).path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'w')
  return (...args) => {
    const params = { w, ...Object.fromEntries(names.map((name, n) => [name, args[n]])) }
    return client.call(id, params as never, args[names.length] as never)
  }
}

/** Resources whose lists have pages. */
type Paged = PagedList extends `${infer Resource}.list` ? Resource : never

/** The methods of a resource, and its list over all pages. */
export function pagedMethodsOf<Resource extends Paged>(
  client: OperatorClient,
  w: string,
  resource: Resource,
): Methods<Resource> & Whole<`${Resource}.list`> {
  return { ...methodsOf(client, w, resource), all: (filter) => allRows(client, w, `${resource}.list`, filter) }
}
