import type { CaseFacts, OrderFacts, PartnerEvent, TransferFacts } from './answers.ts'

/** What an event is about, whatever its kind. */
export function factsOf({ data }: PartnerEvent): OrderFacts | CaseFacts | TransferFacts {
  if ('order' in data) return data.order
  return 'case' in data ? data.case : data.transfer
}
