import { hash } from 'node:crypto'
import { ApiError } from '../../../contract/errors.ts'
import { authNowMs, type Credential, type World } from '../../kernel/world.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { useNonce } from './nonces.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The nonce has not been used before while it is still tracked (NONCE-01..09). */
export function checkNonce(call: AuthenticatedCall): void {
  const { world } = call
  const { tracked, form } = world.rules.nonce
  if (form === 'uuid' && !UUID.test(call.nonce)) throw refused()
  if (!tracked) return
  const retentionMs = world.gaps['nonce-retention-seconds'] * 1_000
  const owner = ownerOf(call.credential, world)
  if (!useNonce(world.db, owner, comparedPart(call, world), authNowMs(world), retentionMs)) throw refused()
}

/** No credential has this row number. */
const EVERYBODY = 0

/** Whose nonce it is (NONCE-06): the number of a credential, or one that stands for all that may not share it. */
function ownerOf({ id, partnerId }: Credential, { gaps }: World): number {
  switch (gaps['nonce-within']) {
    case 'credential':
      return id
    case 'partner':
      // Below zero, where no row number is, and the same whichever credentials the partner has.
      return -1 - Number.parseInt(hash('sha256', partnerId, 'hex').slice(0, 12), 16)
    case 'environment':
      return EVERYBODY
  }
}

/** What of a nonce is compared, and with what beside it; the whole nonce alone in a sound sandbox. */
function comparedPart(call: AuthenticatedCall, world: World): string {
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
