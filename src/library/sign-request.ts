import { type SignableCall, type SignedCall, type SigningKey, signCall } from '../contract/signature.ts'

const KEY = { keyId: 'string', secret: 'string' } as const satisfies Partial<Record<keyof SigningKey, string>>
const CALL = {
  method: 'string',
  target: 'string',
  timestampSeconds: 'number',
  nonce: 'string',
} as const satisfies Partial<Record<keyof SignableCall, string>>

/**
 * Signs a call as the document says and returns the headers to send with it.
 *
 * @throws TypeError that names what is missing; MalformedQueryError if the target's query is broken.
 * @example
 * const { headers } = signRequest({ keyId: 'pk_sandbox_1', secret: 'sk_sandbox_1' },
 *   { method: 'GET', target: '/api/partner/v1/orders?limit=2', timestampSeconds: 1_700_000_000, nonce: randomUUID() })
 */
export function signRequest(key: SigningKey, call: SignableCall): SignedCall {
  // JavaScript has no compiler that would say so.
  requireMembers('key', key, KEY)
  requireMembers('call', call, CALL)
  if (call.body !== undefined && !(call.body instanceof Uint8Array)) refuse('call.body must be a Uint8Array')
  return signCall(key, call)
}

function requireMembers(argument: string, given: unknown, types: Readonly<Record<string, string>>): void {
  const members = Object(given) as Readonly<Record<string, unknown>>
  if (given !== members) refuse(`${argument} is missing`)
  for (const [name, type] of Object.entries(types)) {
    if (members[name] === undefined) refuse(`${argument}.${name} is missing`)
    if (typeof members[name] !== type) refuse(`${argument}.${name} must be a ${type}`)
  }
}

function refuse(problem: string): never {
  throw new TypeError(`signRequest(key, call): ${problem}`)
}
