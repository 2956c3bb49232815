import { signWebhook } from '../../../contract/webhook-signature.ts'
import type { DefectHooks } from '../../../sandbox/app/defect-hooks.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import type { AttemptResult, Delivery } from '../../../sandbox/webhooks/delivery.ts'
import type { Message } from '../../../sandbox/webhooks/send.ts'
import { endpointOf } from '../../../sandbox/webhooks/store.ts'
import type { Fields } from '../answers.ts'
import type { Tampered } from '../defect.ts'

/** What a sender is given of one attempt. */
export interface Attempt {
  readonly sound: Message
  readonly delivery: Delivery
  readonly world: World
  /** The webhook secret that the partner has registered. */
  readonly secret: string
}

/** What a receiver that takes everything answers; for attempts that are not made at all. */
export const TAKEN: AttemptResult = { status: 200, failure: null, answer: null, tookMs: 0 }

/** A server that sends webhooks in a way of its own. */
export function sending(
  send: (attempt: Attempt, sound: Parameters<NonNullable<DefectHooks['delivery']>>[2]) => Promise<AttemptResult>,
): Tampered {
  return {
    hooks: {
      delivery: (sound, delivery, sendSound, world) => {
        const secret = endpointOf(world.db, delivery.partnerId)?.secret ?? ''
        return send({ sound, delivery, world, secret }, sendSound)
      },
    },
  }
}

/** A server whose deliveries are otherwise than they should be. */
export function delivering(change: (attempt: Attempt) => Partial<Message>): Tampered {
  return sending((attempt, send) => send({ ...attempt.sound, ...change(attempt) }))
}

/** A server whose deliveries are signed otherwise. */
export function signing(signature: (attempt: Attempt) => string): Tampered {
  return delivering((attempt) => ({ signature: signature(attempt) }))
}

/** A server that writes another envelope, and signs what it has written. */
export function enveloping(change: (envelope: Fields, attempt: Attempt) => unknown): Tampered {
  return delivering((attempt) => {
    const body = Buffer.from(JSON.stringify(change(envelopeOf(attempt), attempt)))
    return { body, signature: signWebhook(attempt.secret, body) }
  })
}

/** The same on attempts after the first. */
export function envelopingRetries(change: (envelope: Fields, attempt: Attempt) => unknown): Tampered {
  return enveloping((envelope, attempt) => (attempt.delivery.attempts === 0 ? envelope : change(envelope, attempt)))
}

/** A server that never sends events of these types, and believes that it did. */
export function silentAbout(...types: readonly string[]): Tampered {
  return sending(({ delivery, sound }, send) =>
    types.includes(delivery.eventType) ? Promise.resolve(TAKEN) : send(sound),
  )
}

export function textOf({ sound }: Attempt): string {
  return Buffer.from(sound.body).toString('utf8')
}

export function envelopeOf(attempt: Attempt): Fields {
  return JSON.parse(textOf(attempt)) as Fields
}
