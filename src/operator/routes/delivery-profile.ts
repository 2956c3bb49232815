import { DURATION_WORDS, formatDuration, parseDuration } from '../../clock/duration.ts'
import { flag, integer, nullable, object, optional, text } from '../../contract/schema.ts'
import { MOST_COPIES, PLAIN_DELIVERY } from '../../sandbox/kernel/settings.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { setDeliveryProfile } from '../../sandbox/worlds/settings.ts'
import { SETTING_LIMITS } from '../../sandbox/worlds/world-facts.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

const show = worldRoute('GET', '/delivery-profile', {
  summary: 'How webhooks go wrong on purpose in this world.',
  handle: ({ world }) => ok(presentProfile(world)),
})

/** What is left out is as in a world that nobody has told anything. */
const set = worldRoute('PUT', '/delivery-profile', {
  summary: 'Sets all of it; what is left out is off. The profile as it is then.',
  body: object({
    duplicate: optional(integer({ minimum: 0, maximum: MOST_COPIES })),
    reorder: optional(flag()),
    delay: optional(nullable(text({ maxLength: 40 }))),
    drop: optional(flag()),
    wrong_secret: optional(flag()),
    before_response: optional(flag()),
  }),
  handle({ world, body }) {
    setDeliveryProfile(world, {
      duplicate: body.duplicate ?? PLAIN_DELIVERY.duplicate,
      reorder: body.reorder ?? PLAIN_DELIVERY.reorder,
      delayMs: delayOf(body.delay ?? null),
      drop: body.drop ?? PLAIN_DELIVERY.drop,
      wrongSecret: body.wrong_secret ?? PLAIN_DELIVERY.wrongSecret,
      beforeResponse: body.before_response ?? PLAIN_DELIVERY.beforeResponse,
    })
    return ok(presentProfile(world))
  },
})

function delayOf(written: string | null): number {
  if (written === null) return 0
  const delayMs = parseDuration(written)
  if (delayMs === null) throw new Problem(400, `delay must be null or ${DURATION_WORDS}, not ${quoted(written)}`)
  if (delayMs > SETTING_LIMITS.deliveryDelayMs) throw new Problem(400, 'delay must be 365 days at most')
  return delayMs
}

function presentProfile({ settings: { delivery } }: Environment) {
  return {
    duplicate: delivery.duplicate,
    reorder: delivery.reorder,
    delay: delivery.delayMs === 0 ? null : formatDuration(delivery.delayMs),
    drop: delivery.drop,
    wrong_secret: delivery.wrongSecret,
    before_response: delivery.beforeResponse,
  }
}

export const deliveryProfileRoutes = [show, set]
