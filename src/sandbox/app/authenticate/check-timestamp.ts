import { ApiError } from '../../../contract/errors.ts'
import { HEADERS } from '../../../contract/headers.ts'
import { authNowMs } from '../../kernel/world.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { quoted } from '../../wire/validation.ts'

const WHOLE_SECONDS = /^(?:0|[1-9][0-9]{0,14})$/
/** Later than any second of this millennium: milliseconds, sent by mistake. */
const FIRST_MILLISECONDS = 100_000_000_000

/** The timestamp is Unix seconds and within 300 seconds of the time that judges it (TIME-01..07). */
export function checkTimestamp(call: AuthenticatedCall): void {
  const { world } = call
  const { pastSeconds, futureSeconds } = world.rules.timestamp
  if (!WHOLE_SECONDS.test(call.timestamp)) throw refused(call, 'the timestamp must be Unix time in whole seconds')
  const sentSeconds = Number(call.timestamp)
  // The server's own second has begun, not ended: both sides are compared as whole seconds.
  const aheadSeconds = sentSeconds - Math.floor(authNowMs(world) / 1_000)
  const edge = world.gaps['skew-edge'] === 'accepted' ? 0 : 1
  if (aheadSeconds < -pastSeconds + edge) throw refused(call, tooFar(-aheadSeconds, 'behind', pastSeconds))
  if (aheadSeconds > futureSeconds - edge) {
    const hint = sentSeconds >= FIRST_MILLISECONDS ? '; it looks like milliseconds' : ''
    throw refused(call, tooFar(aheadSeconds, 'ahead of', futureSeconds) + hint)
  }
}

function tooFar(seconds: number, side: 'behind' | 'ahead of', allowedSeconds: number): string {
  return `the timestamp is ${seconds} seconds ${side} the server's time, and ${allowedSeconds} are allowed`
}

function refused({ world, timestamp }: AuthenticatedCall, message: string): ApiError {
  const { pastSeconds, futureSeconds } = world.rules.timestamp
  const now = Math.floor(authNowMs(world) / 1_000)
  const expected = `${now - pastSeconds} to ${now + futureSeconds}`
  return new ApiError('invalid_timestamp', message, {
    grounds: { compared: [{ name: HEADERS.timestamp, sent: quoted(timestamp), expected }] },
  })
}
