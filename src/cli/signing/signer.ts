import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { isLoopback } from '../../contract/host.ts'
import { isSecretByName } from '../../contract/ids.ts'
import { isObject } from '../../contract/is-object.ts'
import { type SignableCall, type SignedCall, signCall } from '../../contract/signature.ts'
import type { OperatorAddress, OperatorClient } from '../../operator-api/client.ts'
import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import { readInput } from '../files.ts'
import { withOperator } from '../operator/operator-command.ts'
import { CliError, type Session } from '../session.ts'

export interface BodyArgument {
  bytes: Uint8Array
  /** The file the bytes came from; null where they were given as text. */
  file: string | null
}

/** Text as it stands, or `@FILE` for the bytes of a file. */
export function readBody(argument: string | undefined): BodyArgument {
  if (argument === undefined) return { bytes: new Uint8Array(), file: null }
  if (!argument.startsWith('@')) return { bytes: Buffer.from(argument, 'utf8'), file: null }
  const file = argument.slice(1)
  return { bytes: readInput(file, '--body'), file }
}

const WHOLE_URL = /^(https?:\/\/[^/?#\s]+)([^#]*)(#.*)?$/i

/**
 * Takes a URL apart without normalizing it: what follows the host is what will be requested and signed.
 *
 * @example readUrl('http://127.0.0.1:4600/a/../b?x=1') // { origin: 'http://127.0.0.1:4600', target: '/a/../b?x=1' }
 */
export function readUrl(text: string): { origin: string; target: string } {
  const [, origin, rest, fragment] = WHOLE_URL.exec(text) ?? []
  if (origin === undefined || rest === undefined || !URL.canParse(text)) {
    throw new CliError(
      `the URL must be absolute, e.g. http://127.0.0.1:4600/api/partner/v1/orders, not ${JSON.stringify(text)}`,
    )
  }
  if (fragment !== undefined)
    throw new CliError('the URL has a fragment (#), which is never sent; write %23 for the character itself')
  if (!/^[\x21-\x7e]*$/.test(rest))
    throw new CliError('the URL holds a space or a non-ASCII character; percent-encode it')
  return { origin, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Whose key signs, and where its secret may be. */
interface SigningPlace {
  keyId: string
  /** Name of an environment variable, as given with `--secret-env`. */
  secretEnv?: string
  world?: string
}

/**
 * Signs a call with the secret from the named variable, else from PARTNER_SECRET. Where a world is named, or there is no secret, the
 * sandbox on this machine signs if it knows the key, so that the secret never leaves the sandbox.
 */
export async function sign(
  place: SigningPlace,
  call: SignableCall,
  operator: OperatorAddress,
  env: Session['env'],
): Promise<SignedCall> {
  const secret = secretFromEnv(place.secretEnv, env)
  const own = secret === null ? null : signCall({ keyId: place.keyId, secret }, call)
  if (own && (place.secretEnv !== undefined || place.world === undefined || !isLoopback(operator.url))) return own
  if (!isLoopback(operator.url)) {
    throw new CliError(`no secret for ${place.keyId}: set PARTNER_SECRET, or name another variable with --secret-env`)
  }
  // Only the string to sign and the headers are of use here; the signature is the sandbox's.
  const unsigned = signCall({ keyId: place.keyId, secret: '' }, call)
  const signature = await signatureFromSandbox(place, unsigned.canonicalString, operator).catch((error: unknown) => {
    if (own && error instanceof CliError) return own.signature
    throw error
  })
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
  if (isObject(answer) && typeof answer['signature'] === 'string') return answer['signature']
  throw new CliError(`${operator.url} answered without a signature: is it an operator port?`)
}

function inTermsOfKeys(error: unknown, keyId: string, world: string, operator: OperatorAddress): unknown {
  if (error instanceof SandboxRefusal && error.code === 'no_world') return new CliError(error.detail)
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

export const DEFAULT_VARIABLE = 'PARTNER_SECRET'

/** The secret in the environment, in PARTNER_SECRET if no variable is named; null if none is meant to be there. */
export function secretFromEnv(variable: string | undefined, env: Session['env']): string | null {
  const value = env[variable ?? DEFAULT_VARIABLE]
  if (value) return value
  if (variable === undefined) return null
  throw new CliError(`--secret-env: the environment has no ${variable}, or it is empty`)
}

/** A secret in the place of a key id would be sent as it is, and its message must not name it. */
export function refuseSecretAsKeyId(keyId: string): void {
  if (isSecretByName(keyId))
    throw new CliError('--key-id: it begins with sk_, so it is a secret; a key id begins with pk_')
}

export function neededSecret(variable: string | undefined, env: Session['env'], what = 'secret'): string {
  const secret = secretFromEnv(variable, env)
  if (secret !== null) return secret
  throw new CliError(`no ${what}: set PARTNER_SECRET, or name another variable with --secret-env`)
}
