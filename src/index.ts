/// <reference types="node" preserve="true" />
/**
 * The library: a sandbox in your own tests, handles on its worlds, the signing that its document asks for, and the conformance
 * runner (docs/testing.md).
 *
 * What you pass in is camelCase. What comes back is as on the wire, member by member, so that it reads like the answers of
 * the API and of `partner-sandbox ... --json`.
 *
 * @example
 * import { startSandbox } from 'partner-sandbox'
 * const sandbox = await startSandbox()
 * const world = await sandbox.createWorld({ seed: 'ci' })
 * const { keyId, secret } = world.credentials.main // point your client at world.url + '/api/partner/v1' with these
 * await world.clock.advance('10m30s')
 * const event = await world.waitFor('order.recorded')
 * await sandbox.close()
 *
 * @packageDocumentation
 */

export { MalformedQueryError } from './contract/canonical-string.ts'
export {
  type SignableCall,
  type SignedCall,
  type SigningKey,
  signWebhook,
  verifyWebhook,
} from './contract/signature.ts'
export {
  type ConformanceFailure,
  ConformanceInputError,
  type ConformanceOptions,
  type ConformanceResult,
  type ConformanceTarget,
  ConformanceTargetError,
} from './library/conformance.ts'
export type {
  AccessHandle,
  CastName,
  Credential,
  CredentialChanges,
  Credentials,
  NewCredential,
} from './library/credentials.ts'
export type {
  CaseFilter,
  CaseStepDetails,
  CasesHandle,
  CheckoutFilter,
  CheckoutHandle,
  ClockHandle,
  ClockSetting,
  DeliveriesHandle,
  DeliveryFilter,
  DeliveryProfileSetting,
  DomainsHandle,
  EventFilter,
  EventsHandle,
  FaultEffect,
  FaultMatch,
  FaultsHandle,
  HowFar,
  ListingChanges,
  NewFault,
  NewListing,
  OrderFilter,
  OrdersHandle,
  RequestFilter,
  RequestsHandle,
  StepDetails,
} from './library/handles.ts'
export type { CallOptions, PartnerAnswer, PartnerClient, PartnerVerb, SignedHeaders } from './library/partner-client.ts'
export { runConformance } from './library/run-conformance.ts'
export { connectSandbox, type Sandbox } from './library/sandbox.ts'
export { signRequest } from './library/sign-request.ts'
export { type Proxy, type ProxyOptions, startProxy } from './library/start-proxy.ts'
export { type SandboxOptions, startSandbox } from './library/start-sandbox.ts'
export { type WaitOptions, WaitTimeout } from './library/wait.ts'
export type { DeliveryWait, EventWait, RequestWait, Waiting } from './library/waiting.ts'
export type { ProgressOptions, RulesOptions, World, WorldOptions } from './library/world.ts'
export type { OperatorAddress } from './operator-api/client.ts'
export type { Page } from './operator-api/operation.ts'
export { SandboxRefusal, SandboxUnreachable } from './operator-api/refusals.ts'
export type { BrokerageCase, CaseFacts } from './operator-api/rows/cases.ts'
export type { CheckoutOutcome, CheckoutSession } from './operator-api/rows/checkouts.ts'
export type { ClockFacts, Receipt } from './operator-api/rows/clock.ts'
export type { Coverage, CoverageRow } from './operator-api/rows/coverage.ts'
export type {
  Delivery,
  DeliveryAttempt,
  DeliveryProfile,
  Probe,
  ProbedDelivery,
  RegisteredEndpoint,
  WholeDelivery,
} from './operator-api/rows/deliveries.ts'
export type { Listing } from './operator-api/rows/domains.ts'
export type { PartnerEvent, TransferFacts } from './operator-api/rows/events.ts'
export type { Fault } from './operator-api/rows/faults.ts'
export type { AuditReport, PayoutRun, SettlementRun, Statement } from './operator-api/rows/money.ts'
export type { Buyer, Order, OrderFacts, TimelineEntry } from './operator-api/rows/orders.ts'
export type { Diagnosis, LoggedRequest, WholeRequest } from './operator-api/rows/requests.ts'
export type { MagicList } from './operator-api/rows/sandbox.ts'
export type { WorldFacts } from './operator-api/rows/worlds.ts'
