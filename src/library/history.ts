import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { AnswerOf, BodyOf } from '../operator-api/operations.ts'
import type { CaseFacts } from '../operator-api/rows/cases.ts'
import type { DeliveryProfile, Probe, ProbedDelivery } from '../operator-api/rows/deliveries.ts'
import type { PartnerEvent, TransferFacts } from '../operator-api/rows/events.ts'
import type { OrderFacts } from '../operator-api/rows/orders.ts'
import { type FilterOf, type Methods, pagedMethodsOf, type Whole } from './methods.ts'

export type EventFilter = FilterOf<'events.list'>

/**
 * The events of all partners, oldest first.
 *
 * @example const types = (await world.events.all()).map(({ type }) => type)
 */
export type EventsHandle = Methods<'events'> & Whole<'events.list'>

export type DeliveryFilter = FilterOf<'deliveries.list'>

/** How webhooks fail on purpose; what is left out works normally. `delay` is a duration of the world's time, e.g. `10s`. */
export type DeliveryProfileSetting = CamelCased<BodyOf<'deliveryProfile.set'>>

/** The webhook deliveries of a world, newest first. */
export interface DeliveriesHandle extends Methods<'deliveries', 'probe'>, Whole<'deliveries.list'> {
  /**
   * Sends a tampered delivery, to see whether the receiver verifies signatures. Any answer but a 4xx means that it
   * accepted a forgery.
   *
   * @param tampering one kind; all kinds by default.
   * @example expect((await world.deliveries.probe(id)).probes.every(({ verdict }) => verdict === 'refused')).toBe(true)
   */
  probe(deliveryId: string, tampering?: Probe['tampering']): Promise<ProbedDelivery>
  /**
   * Sets how webhooks fail from now on, or, without an argument, returns the current setting.
   *
   * @example await world.deliveries.profile({ duplicate: 1 }) // each one twice
   */
  profile(setting?: DeliveryProfileSetting): Promise<DeliveryProfile>
}

/** `status` is a status, or a class such as `4xx`. */
export type RequestFilter = Omit<FilterOf<'requests.list'>, 'status'> & { status?: number | string }

/** The request log of a world, newest first. A call's id is the `X-Request-Id` of its answer. */
export interface RequestsHandle extends Methods<'requests', 'list' | 'find'>, Whole<'requests.list', RequestFilter> {
  list(filter?: RequestFilter & { limit?: number; cursor?: number | string }): Promise<AnswerOf<'requests.list'>>
}

export function deliveriesHandle(client: OperatorClient, w: string): DeliveriesHandle {
  const methods = pagedMethodsOf(client, w, 'deliveries')
  return {
    ...methods,
    probe: (deliveryId, tampering) => methods.probe(deliveryId, tampering === undefined ? {} : { tampering }),
    profile: (setting) =>
      setting ? client.call('deliveryProfile.set', { w }, setting) : client.call('deliveryProfile.show', { w }),
  }
}

export function requestsHandle(client: OperatorClient, w: string): RequestsHandle {
  const { list, show, all } = pagedMethodsOf(client, w, 'requests') as RequestsHandle
  return { list, show, all }
}

/** What an event is about. */
export function factsOf({ data }: PartnerEvent): OrderFacts | CaseFacts | TransferFacts {
  if ('order' in data) return data.order
  return 'case' in data ? data.case : data.transfer
}
