import type { CamelCased } from './camel-case.ts'
import type { Operation } from './operation.ts'
import { caseRows } from './rows/cases.ts'
import { checkoutRows } from './rows/checkouts.ts'
import { clockRows } from './rows/clock.ts'
import { coverageRows } from './rows/coverage.ts'
import { credentialRows, signatureRows } from './rows/credentials.ts'
import { deliveryProfileRows, deliveryRows, webhookEndpointRows } from './rows/deliveries.ts'
import { domainRows } from './rows/domains.ts'
import { eventRows, streamRows } from './rows/events.ts'
import { faultRows } from './rows/faults.ts'
import { linkRows } from './rows/links.ts'
import { moneyRows } from './rows/money.ts'
import { orderRows } from './rows/orders.ts'
import { requestRows } from './rows/requests.ts'
import { sandboxRows } from './rows/sandbox.ts'
import { settingRows, snapshotRows, worldRows } from './rows/worlds.ts'

/** All that the operator API serves, in the order of its documentation; what is not here answers 404. */
export const OPERATIONS = {
  ...sandboxRows,
  ...worldRows,
  ...snapshotRows,
  ...clockRows,
  ...streamRows,
  ...settingRows,
  ...orderRows,
  ...checkoutRows,
  ...linkRows,
  ...moneyRows,
  ...coverageRows,
  ...domainRows,
  ...caseRows,
  ...credentialRows,
  ...faultRows,
  ...requestRows,
  ...eventRows,
  ...deliveryRows,
  ...webhookEndpointRows,
  ...deliveryProfileRows,
  ...signatureRows,
}

type Operations = typeof OPERATIONS
export type SomeOperations = Partial<Operations>

/** The resource and what is done with it: `orders.list`. The library has its methods under these names. */
export type OperationId = keyof Operations

export const OPERATION_IDS = Object.keys(OPERATIONS) as OperationId[]

export type QueryOf<Id extends OperationId> =
  Operations[Id] extends Operation<string, infer Query, infer _Body, infer _Answer> ? Query : never

export type BodyOf<Id extends OperationId> =
  Operations[Id] extends Operation<string, infer _Query, infer Body, infer _Answer> ? Body : never

export type AnswerOf<Id extends OperationId> =
  Operations[Id] extends Operation<string, infer _Query, infer _Body, infer Answer> ? Answer : never

export type PathOf<Id extends OperationId> = Operations[Id]['path']

/** The names in braces. */
export type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

export type ParamsOf<Id extends OperationId> = Readonly<Record<NamesIn<PathOf<Id>>, string>>

/** What is asked or sent, as on the wire or as code writes it: no operation has a query and a JSON body. */
export type InputOf<Id extends OperationId> = QueryOf<Id> & BodyOf<Id>
export type OperationInput<Id extends OperationId> = InputOf<Id> | CamelCased<InputOf<Id>>

/** An operation as any other. */
export function operationOf(id: OperationId): Operation {
  return OPERATIONS[id] as Operation
}
