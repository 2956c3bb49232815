import { id, integer, list, nullable, object, oneOf, text } from '../../contract/schema.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'

/** The fields that many bodies and answers have. */
export const domain = text({ format: 'domain', maxLength: 255 })
export const currency = text({ format: 'currency' })
export const cents = integer({ minimum: 0 })
export const count = integer({ minimum: 0 })
export const time = text({ format: 'instant' })
export const webUrl = text({ format: 'web-url' })
/** An id that a caller gives; whether there is such a thing is for the rule to find out. */
export const givenId = text({ minLength: 1, maxLength: 64 })

/** The timeline of an order or a case. */
export function timelineOf(states: readonly string[]) {
  return list(object({ status: oneOf(states), at: time, event_id: nullable(id('event')), note: nullable(text()) }))
}

/** The one spelling of a name. The schema has checked the form, so this cannot be null. */
export function canonical(name: string): string {
  return normalizeDomain(name) as string
}
