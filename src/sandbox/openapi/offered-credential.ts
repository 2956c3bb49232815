import type { SigningKey } from '../../contract/signature.ts'
import { fixedLoopbackKeys } from '../kernel/credentials.ts'
import { LOOPBACK_NAMES } from '../wire/loopback.ts'
import type { PageRequest } from '../wire/page.ts'

const MAIN = 'main'

/**
 * The credential with which the reference fills in its forms. Only one whose keys are the same in every sandbox on loopback is
 * shown, and only to who opens the page on the machine of the sandbox; everybody else enters their own.
 */
export function offeredCredential({ isFromThisMachine, worlds: { main } }: PageRequest): SigningKey | null {
  if (!isFromThisMachine || !LOOPBACK_NAMES.includes(new URL(main.publicUrl()).hostname)) return null
  const credentials = [...main.credentials.values()]
  return credentials.find((one) => one.name === MAIN && !one.revoked && isFixed(one)) ?? null
}

function isFixed({ keyId, secret }: SigningKey): boolean {
  return (
    keyId.endsWith(`_${fixedLoopbackKeys('key', MAIN)}`) && secret.endsWith(`_${fixedLoopbackKeys('secret', MAIN)}`)
  )
}
