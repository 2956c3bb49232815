import type { TransferEventType } from '../../contract/event-types.ts'
import type { OrderState } from '../../contract/order-states.ts'
import { recordInHistory } from '../events/events.ts'
import type { World } from '../kernel/world.ts'
import type { Order } from './types.ts'

const TOLD_OF: Partial<Record<OrderState, TransferEventType>> = {
  TRANSFER_IN_PROGRESS: 'transfer.started',
  TRANSFER_COMPLETED: 'transfer.completed',
}

/** Tells of a transfer beside its order, where the open point `transfer-events` asks for it (EVT-04). */
export function recordTransferEvent(world: World, { partnerId, publicId, domain, status }: Order): void {
  const type = TOLD_OF[status]
  if (!type || world.gaps['transfer-events'] === 'none') return
  recordInHistory(world, { partnerId, type, data: { transfer: { public_id: publicId, domain, status } } })
}
