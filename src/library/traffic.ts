import type { EndpointId } from '../contract/endpoints.ts'
import type { EventType } from '../contract/event-types.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type {
  Delivery,
  DeliveryProfile,
  LoggedRequest,
  PartnerEvent,
  Probe,
  ProbedDelivery,
  WholeDelivery,
  WholeRequest,
} from './answers.ts'
import { type ListOf, listOf } from './lists.ts'
import { pathOf } from './sales.ts'

export interface EventFilter {
  partnerId?: string
  type?: EventType
}

/**
 * What partners were told, oldest first.
 *
 * @example const types = (await world.events.all()).map(({ type }) => type)
 */
export type EventsHandle = ListOf<'events', PartnerEvent, EventFilter>

export interface DeliveryFilter {
  state?: Delivery['state']
  partnerId?: string
  eventId?: string
  type?: EventType
}

/** How webhooks go wrong on purpose; what is left out goes right. */
export interface DeliveryProfileSetting {
  /** So many extra copies of each, up to five. */
  duplicate?: number
  reorder?: boolean
  /** A duration of the world's time, e.g. `10s`. */
  delay?: string | null
  drop?: boolean
  wrongSecret?: boolean
  /** Sends an order's webhook before the call that made it is answered. */
  beforeResponse?: boolean
}

/** The webhook deliveries of a world, newest first. */
export interface DeliveriesHandle extends ListOf<'deliveries', Delivery, DeliveryFilter> {
  /** With the exact text that is sent, and every attempt. */
  show(deliveryId: string): Promise<WholeDelivery>
  /** Makes one attempt at once and waits for it. */
  redeliver(deliveryId: string): Promise<WholeDelivery>
  /**
   * Sends a delivery tampered with, to see whether the receiver verifies signatures: everything else but a 4xx is a forgery taken.
   *
   * @param tampering one kind of it; all where it is left out.
   * @example expect((await world.deliveries.probe(id)).probes.every(({ verdict }) => verdict === 'refused')).toBe(true)
   */
  probe(deliveryId: string, tampering?: Probe['tampering']): Promise<ProbedDelivery>
  /**
   * Says how webhooks go wrong from now on, or, without a setting, how they do.
   *
   * @example await world.deliveries.profile({ duplicate: 1 }) // each one twice
   */
  profile(setting?: DeliveryProfileSetting): Promise<DeliveryProfile>
}

export interface RequestFilter {
  status?: number
  code?: string
  keyId?: string
  endpoint?: EndpointId
}

/** The request log of a world, newest first. */
export interface RequestsHandle extends ListOf<'requests', LoggedRequest, RequestFilter> {
  /** One call with its checks and, where its signature was refused, why. The id is the answer's `X-Request-Id`. */
  show(requestId: string): Promise<WholeRequest>
}

export function eventsHandle(client: OperatorClient, world: string): EventsHandle {
  return listOf(client, `${world}/events`, 'events')
}

export function deliveriesHandle(client: OperatorClient, world: string): DeliveriesHandle {
  const path = `${world}/deliveries`
  return {
    ...listOf(client, path, 'deliveries'),
    show: (deliveryId) => client.ask('GET', pathOf(path, deliveryId)),
    redeliver: (deliveryId) => client.ask('POST', `${pathOf(path, deliveryId)}/redeliver`),
    probe: (deliveryId, tampering) =>
      client.ask('POST', `${pathOf(path, deliveryId)}/probe`, tampering === undefined ? {} : { tampering }),
    profile: (setting) => client.ask(setting ? 'PUT' : 'GET', `${world}/delivery-profile`, setting),
  }
}

export function requestsHandle(client: OperatorClient, world: string): RequestsHandle {
  const path = `${world}/requests`
  return {
    ...listOf(client, path, 'requests'),
    show: (requestId) => client.ask('GET', pathOf(path, requestId)),
  }
}
