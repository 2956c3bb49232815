import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { type SignableCall, type SignedCall, signCall } from '../../contract/signature.ts'
import type { OperatorClient } from '../../operator-api/client.ts'
import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import { type OperatorAddress, withOperator } from '../operator/with-operator.ts'
import { isRecord } from '../output/records.ts'
import { CliError, type Session } from '../session.ts'

/** Whose key signs, and where its secret may be. */
interface SigningPlace {
  keyId: string
  /** Name of an environment variable, as given with `--secret-env`. */
  secretEnv?: string
  world?: string
}

/**
 * Signs a call with the secret from the named variable or from PARTNER_SECRET, or lets a sandbox on this machine sign
 * it: then the secret never leaves the sandbox.
 */
export async function sign(
  place: SigningPlace,
  call: SignableCall,
  operator: OperatorAddress,
  env: Session['env'],
): Promise<SignedCall> {
  const secret = secretFromEnv(place.secretEnv, env)
  if (secret !== null) return signCall({ keyId: place.keyId, secret }, call)
  if (!isLoopback(operator.url)) {
    throw new CliError(`no secret for ${place.keyId}: set PARTNER_SECRET, or name another variable with --secret-env`)
  }
  // Only the string to sign and the headers are of use here; the signature is the sandbox's.
  const unsigned = signCall({ keyId: place.keyId, secret: '' }, call)
  const signature = await signatureFromSandbox(place, unsigned.canonicalString, operator)
  return { ...unsigned, signature, headers: { ...unsigned.headers, [HEADERS.signature]: SIGNATURE_PREFIX + signature } }
}

async function signatureFromSandbox(place: SigningPlace, text: string, operator: OperatorAddress): Promise<string> {
  const world = place.world ?? 'default'
  const ask = (client: OperatorClient) =>
    client
      .call('signatures.create', { w: world, key_id: place.keyId }, { canonical_string: text })
      .catch((error: unknown) => {
        throw inTermsOfKeys(error, place.keyId, world, operator)
      })
  const answer: unknown = await withOperator(operator, ask)
  if (isRecord(answer) && typeof answer['signature'] === 'string') return answer['signature']
  throw new CliError(`${operator.url} answered without a signature: is it an operator port?`)
}

function inTermsOfKeys(error: unknown, keyId: string, world: string, operator: OperatorAddress): unknown {
  if (error instanceof SandboxRefusal && error.status === 404) {
    return new CliError(
      `the world ${world} at ${operator.url} has no key ${keyId}; name its world with --world, or set PARTNER_SECRET for a key from elsewhere`,
    )
  }
  if (error instanceof SandboxUnreachable && error.reason?.kind === 'no-answer') {
    return new CliError(`no secret for ${keyId}: PARTNER_SECRET is not set and no sandbox answers at ${operator.url}`)
  }
  return error
}

function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

const DEFAULT_VARIABLE = 'PARTNER_SECRET'

/** The secret in the environment, in PARTNER_SECRET if no variable is named; null if none is meant to be there. */
export function secretFromEnv(variable: string | undefined, env: Session['env']): string | null {
  const value = env[variable ?? DEFAULT_VARIABLE]
  if (value) return value
  if (variable === undefined) return null
  throw new CliError(`--secret-env: the environment has no ${variable}, or it is empty`)
}

/** The secret in the environment; `what` is missed without one. */
export function neededSecret(variable: string | undefined, env: Session['env'], what = 'secret'): string {
  const secret = secretFromEnv(variable, env)
  if (secret !== null) return secret
  throw new CliError(`no ${what}: set PARTNER_SECRET, or name another variable with --secret-env`)
}
