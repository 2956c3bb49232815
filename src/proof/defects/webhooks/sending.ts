import { signWebhook } from '../../../contract/signature.ts'
import type { DefectHooks } from '../../../sandbox/app/defect-hooks.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import type { Message } from '../../../sandbox/webhooks/attempt.ts'
import type { AttemptResult, Delivery } from '../../../sandbox/webhooks/delivery.ts'
import { endpointOf } from '../../../sandbox/webhooks/endpoints.ts'
import type { Fields } from '../answers.ts'
import type { Tampered } from '../defect.ts'

// Servers that send webhooks in wrong ways.

/** The input of a sender for one attempt. */
export interface Attempt {
  readonly correct: Message
  readonly delivery: Delivery
  readonly world: World
  /** The webhook secret that the partner has registered. */
  readonly secret: string
}

/** A server that sends webhooks in its own way. */
export function sending(
  send: (attempt: Attempt, correct: Parameters<NonNullable<DefectHooks['delivery']>>[2]) => Promise<AttemptResult>,
): Tampered {
  return {
    hooks: {
      delivery: (correct, delivery, sendValid, world) => {
        const secret = endpointOf(world.db, delivery.partnerId)?.secret ?? ''
        return send({ correct, delivery, world, secret }, sendValid)
      },
    },
  }
}

/** A server whose deliveries are wrong. */
export function delivering(change: (attempt: Attempt) => Partial<Message>): Tampered {
  return sending((attempt, send) => send({ ...attempt.correct, ...change(attempt) }))
}

/** A server that writes another envelope, and signs that one. */
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

function envelopeOf({ correct }: Attempt): Fields {
  return JSON.parse(Buffer.from(correct.body).toString('utf8')) as Fields
}
