import { ApiError } from '../../../contract/errors.ts'
import type { Credential, World } from '../../world.ts'
import type { Call } from '../call.ts'

/** The credential has not made too many calls lately (ERR-03, ERR-06). */
export function checkRateLimit(call: Call): void {
  const world = call.world as World
  const limit = world.settings.rateLimit
  if (!limit) return
  const waitSeconds = (call.credential as Credential).rateWindow.admit(world.wall.nowMs(), limit)
  if (waitSeconds === 0) return
  throw new ApiError(
    'rate_limited',
    `more than ${limit.requests} calls in ${limit.seconds} seconds; wait ${waitSeconds} seconds and sign anew`,
    { retryAfterSeconds: waitSeconds },
  )
}
