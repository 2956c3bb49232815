import { integer, object } from '../../contract/schema.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { setRateLimit } from '../../sandbox/worlds/settings.ts'
import { ok, worldRoute } from '../route.ts'

const MOST_REQUESTS = 1_000_000
const MOST_SECONDS = 3_600

const show = worldRoute('GET', '/rate-limit', {
  summary: 'The limit of each credential: so many `requests` in so many `seconds`; 0 requests is no limit.',
  handle: ({ world }) => ok(presentRateLimit(world)),
})

const set = worldRoute('PUT', '/rate-limit', {
  summary: 'Sets the limit; 0 requests is none. The limit as it is then.',
  body: object({
    requests: integer({ minimum: 0, maximum: MOST_REQUESTS }),
    seconds: integer({ minimum: 1, maximum: MOST_SECONDS }),
  }),
  handle({ world, body }) {
    setRateLimit(world, body.requests === 0 ? null : body)
    return ok(presentRateLimit(world))
  },
})

/** The limit of each credential; 0 requests is no limit. */
function presentRateLimit({ settings }: Environment) {
  return { requests: settings.rateLimit?.requests ?? 0, seconds: settings.rateLimit?.seconds ?? 1 }
}

export const rateLimitRoutes = [show, set]
