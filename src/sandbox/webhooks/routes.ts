import { formatInstant } from '../../clock/instant.ts'
import { DEFAULT_GAPS } from '../../contract/choices.ts'
import { flag, object, text } from '../../contract/schema.ts'
import { ok, route } from '../wire/route.ts'
import { nameJudgment, registerEndpoint } from './endpoints.ts'

const put = route({
  body: object({
    url: text({ format: 'web-url', description: 'Where events are delivered.' }),
    secret: text({
      minLength: DEFAULT_GAPS['webhook-secret-min-length'] as number,
      maxLength: 256,
      writeOnly: true,
      'x-gap': { id: 'webhook-secret-min-length' },
      description: 'Signs the deliveries; chosen by the partner, and shown by no answer.',
    }),
  }),
  answer: object({ url: text({ format: 'web-url' }), active: flag(), created_at: text({ format: 'instant' }) }),
  prepare: ({ world, call, body }) =>
    nameJudgment(world, body, (detail) => {
      call.detail = detail
    }),
  handle({ world, caller, body }) {
    const { url, createdAtMs } = registerEndpoint(world, caller, body)
    // Never the secret (HOOK-01). Nothing switches an endpoint off, so a registered one is active.
    return ok({ url, active: true, created_at: formatInstant(createdAtMs) })
  },
})

export const webhookRoutes = { 'webhooks.put': put }
