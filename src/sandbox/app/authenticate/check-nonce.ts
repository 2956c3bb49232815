import { hash } from 'node:crypto'
import { ApiError } from '../../../contract/errors.ts'
import { authNowMs, type Credential, type World } from '../../kernel/world.ts'
import type { AuthenticatedCall } from '../../wire/call.ts'
import { useNonce } from './nonces.ts'

/** The nonce has not been used before while it is still tracked (NONCE-01..09). */
export function checkNonce(call: AuthenticatedCall): void {
  const { world } = call
  const retentionMs = world.gaps['nonce-retention-seconds'] * 1_000
  const owner = ownerOf(call.credential, world)
  if (useNonce(world.db, owner, call.nonce, authNowMs(world), retentionMs)) return
  throw new ApiError('replay_detected', 'the nonce has been used before; every attempt needs a fresh one')
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
