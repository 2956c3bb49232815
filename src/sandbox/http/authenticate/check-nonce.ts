import { ApiError } from '../../../contract/errors.ts'
import { authNowMs, type Credential, type World } from '../../world.ts'
import type { Call } from '../call.ts'
import { useNonce } from '../nonce-store.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The nonce has not been used by this credential while it is still tracked (NONCE-01..09). */
export function checkNonce(call: Call): void {
  const world = call.world as World
  const { tracked, form } = world.rules.nonce
  if (form === 'uuid' && !UUID.test(call.nonce)) throw refused()
  if (!tracked) return
  if (!useNonce(world.db, (call.credential as Credential).id, comparedPart(call, world), authNowMs(world)))
    throw refused()
}

/** What of a nonce is compared, and with what beside it; the whole nonce alone in a sound sandbox. */
function comparedPart(call: Call, world: World): string {
  const { within, compared } = world.rules.nonce
  let nonce = call.nonce
  if (compared === 'case-insensitive') nonce = nonce.toLowerCase()
  if (compared === 'all-but-last-character') nonce = nonce.slice(0, -1)
  switch (within) {
    case 'credential':
      return nonce
    case 'credential-and-path':
      return `${nonce} ${call.path}`
    case 'credential-and-method':
      return `${nonce} ${call.method}`
    case 'credential-and-timestamp':
      return `${nonce} ${call.timestamp}`
  }
}

function refused(): ApiError {
  return new ApiError('replay_detected', 'the nonce has been used before; every attempt needs a fresh one')
}
