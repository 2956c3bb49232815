import { type Draft, nextId } from './draft.ts'
import type { RecordedEvent } from './recorded-event.ts'
import { BY_EVENT } from './shown-by.ts'

/** What the history told of each order and each case, type by type, and what of it a receiver was told. */
export function addToldSteps(draft: Draft, delivered: ReadonlySet<string>): void {
  const steps = draft.subjects.flatMap((subject) => {
    const told = draft.events.filter((event) => event.subject === subject)
    return [...new Set(told.map(({ type }) => type))].map((type) => ({
      type,
      subject,
      where: { [pathOf(type)]: draft.context.names.rename(subject) },
      events: told.filter((event) => event.type === type),
    }))
  })
  for (const { type, subject, where, events } of steps) {
    const shows = BY_EVENT[type as keyof typeof BY_EVENT]
    // That a hosted sale is told by this event is nowhere said; the step of the sale has found the order already.
    if (shows === undefined || (type === 'order.recorded' && draft.hosted.has(subject))) continue
    const expect = { count: { equals: events.length }, distinct: 'id', shows }
    draft.steps.push({ id: nextId(draft, `told_${type}`), events: { type, where }, expect })
  }
  for (const { type, where, events } of steps) {
    if (!events.some((event) => wasReceived(draft, event, delivered))) continue
    const expect = { count: { at_least: 1 }, every: { 'delivery.signed': true }, shows: 'HOOK-02' }
    draft.steps.push({ id: nextId(draft, `received_${type}`), receive: { type, where }, expect })
  }
}

/** An older event may have been delivered to an endpoint that was registered before the recording began. */
function wasReceived({ registeredAtMs }: Draft, { id, atMs }: RecordedEvent, delivered: ReadonlySet<string>): boolean {
  return registeredAtMs !== null && atMs >= registeredAtMs && delivered.has(id)
}

function pathOf(type: string): string {
  return type.startsWith('brokerage') ? 'data.case.case_id' : 'data.order.public_id'
}
