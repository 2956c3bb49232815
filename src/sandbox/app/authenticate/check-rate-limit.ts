import { ApiError } from '../../../contract/errors.ts'
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
    { retryAfterSeconds: waitSeconds },
  )
}

/** @example counted(1, 'call') // '1 call' */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
