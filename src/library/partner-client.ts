import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { wallClock } from '../clock/wall-clock.ts'
import { API_ROOT } from '../contract/endpoints/endpoint.ts'
import { HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts'
import { type SignableCall, signCall } from '../contract/signature.ts'
import { jsonIn } from '../contract/words.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { Connection } from '../operator-api/connection.ts'
import { type Credential, hasSecret } from './credentials.ts'

export type PartnerVerb = 'GET' | 'POST' | 'PUT'

export interface CallOptions {
  idempotencyKey?: string
  /** Extra headers, or other values for the usual ones; none that says where a message ends. */
  headers?: Readonly<Record<string, string>>
  /** A new one by default. */
  nonce?: string
  /** Now by default. */
  timestampSeconds?: number
}

/** What a signed call carries, and what was signed. */
export interface SignedHeaders {
  headers: Record<string, string>
  canonicalString: string
}

/** An answer of the partner API, with any status. */
export interface PartnerAnswer<Json> {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Json
  /** The id of the call for `world.requests.show`; empty if the answer has none. */
  requestId: string
}

/** Calls of the partner API, signed with one credential. For tests; test your own client with it. */
export interface PartnerClient {
  readonly credential: Credential
  /**
   * Makes one call. A path is relative to the API root unless it starts with `/api/`. An object is sent as JSON, text and bytes
   * unchanged. A refusal is a normal answer; a lost connection rejects.
   *
   * @example const { json } = await world.as('main').call('GET', '/orders?limit=2')
   */
  call<Json = Record<string, unknown>>(
    verb: PartnerVerb,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<PartnerAnswer<Json>>
  /**
   * Signs a call without making it: all headers that it needs, the one of the signature among them.
   *
   * @example const { headers, canonicalString } = await world.as('main').sign('GET', '/orders?limit=2')
   */
  sign(verb: PartnerVerb, path: string, body?: unknown, options?: CallOptions): Promise<SignedHeaders>
}

/** What a client needs to reach both ports. */
export interface ClientPorts {
  partner: Connection
  operator: OperatorClient
  /** Name of the world. */
  world: string
}

export function createPartnerClient(lines: ClientPorts, credential: Credential): PartnerClient {
  const sign: PartnerClient['sign'] = async (verb, path, body, options = {}) => {
    refuseFraming(options.headers ?? {})
    const bytes = bytesOf(body)
    const call = {
      method: verb,
      target: targetOf(path),
      ...(bytes && { body: bytes }),
      timestampSeconds: options.timestampSeconds ?? Math.floor(wallClock.nowMs() / 1_000),
      nonce: options.nonce ?? randomUUID(),
    }
    const { headers, canonicalString } = await signed(lines, credential, call)
    const extra = {
      ...(bytes && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey !== undefined && { [HEADERS.idempotencyKey]: options.idempotencyKey }),
      ...options.headers,
    }
    return { headers: { ...headers, ...extra }, canonicalString }
  }
  return {
    credential,
    sign,
    async call<Json>(verb: PartnerVerb, path: string, body?: unknown, options: CallOptions = {}) {
      const { headers } = await sign(verb, path, body, options)
      const request = { method: verb, target: targetOf(path), headers, body: bytesOf(body) }
      const answer = await lines.partner.exchange(request)
      const text = answer.body.toString('utf8')
      const requestId = String(answer.headers[HEADERS.requestId.toLowerCase()] ?? '')
      return { status: answer.status, headers: answer.headers, text, json: jsonIn(text) as Json, requestId }
    },
  }
}

/** With another length than that of the body, the next call on the connection would be read from its middle. */
function refuseFraming(headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((each) => /^(?:connection|content-length|transfer-encoding)$/i.test(each))
  if (name !== undefined) throw new TypeError(`headers: ${name} follows from the body and the connection; leave it out`)
}

function targetOf(path: string): string {
  return path.startsWith('/api/') ? path : API_ROOT + path
}

/** The four headers; the sandbox signs if only it has the secret, as for `partner-sandbox sign`. */
async function signed(lines: ClientPorts, credential: Credential, call: SignableCall): Promise<SignedHeaders> {
  if (hasSecret(credential)) return signCall(credential, call)
  const { headers, canonicalString } = signCall({ keyId: credential.keyId, secret: 'not known' }, call)
  const params = { w: lines.world, key_id: credential.keyId }
  const { signature } = await lines.operator.call('signatures.create', params, { canonicalString })
  return { headers: { ...headers, [HEADERS.signature]: SIGNATURE_PREFIX + signature }, canonicalString }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
