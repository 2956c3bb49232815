import { formatInstant } from '../../../clock/instant.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Grounds } from '../../../contract/grounds.ts'
import type { RateLimit } from '../../kernel/rate-window.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'

/** The credential has not made too many calls lately (ERR-03, ERR-06). */
export function checkRateLimit(call: AuthenticatedCall): void {
  const { world } = call
  const limit = world.settings.rateLimit
  if (!limit || call.isAdmitted) return
  const waitSeconds = call.credential.rateWindow.admit(world.wall.monotonicMs(), limit)
  call.isAdmitted = waitSeconds === 0
  if (call.isAdmitted) return
  throw new ApiError(
    'rate_limited',
    `more than ${counted(limit.requests, 'call')} in ${counted(limit.seconds, 'second')}; wait ${counted(waitSeconds, 'second')} and sign again`,
    { retryAfterSeconds: waitSeconds, grounds: limitedUntil(call, limit, waitSeconds) },
  )
}

function limitedUntil({ world, credential }: AuthenticatedCall, limit: RateLimit, waitSeconds: number): Grounds {
  const freeAt = formatInstant(world.wall.nowMs() + waitSeconds * 1_000)
  const window = counted(limit.seconds, 'second')
  return {
    says: `${credential.name} made ${counted(limit.requests, 'call')} in the last ${window}, which is its limit; the next is free at ${freeAt} of the real time`,
    compared: [{ name: `calls in ${window}`, sent: String(limit.requests + 1), expected: `at most ${limit.requests}` }],
    remedies: [{ says: 'See the calls that used it up.', command: `request list --key ${credential.keyId}` }],
  }
}

/** @example counted(1, 'call') // '1 call' */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
