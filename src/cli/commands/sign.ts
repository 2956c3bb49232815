import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { curlCommand } from '../../conformance/reporters/curl.ts'
import { MalformedQueryError } from '../../contract/canonical-string.ts'
import { HEADERS } from '../../contract/headers.ts'
import { type SignedCall, signCall } from '../../contract/signature.ts'
import { operatorAddress } from '../operator-command.ts'
import { CliError, type Session } from '../session.ts'
import { type BodyArgument, readBody, readUrl } from '../sign-input.ts'
import { findSecret } from '../signing-secret.ts'

interface SignOptions {
  keyId: string
  body?: string
  idempotencyKey?: string
  curl?: boolean
  headers?: boolean
  secretEnv?: string
  sandbox?: string
  world?: string
  operatorToken?: string
}

export function configure(command: Command, session: Session): void {
  command
    .argument('<method>', 'HTTP verb')
    .argument('<url>', 'full URL; its path and query are signed and sent as they stand')
    .requiredOption('--key-id <id>', 'key id of the credential')
    .option('--body <text>', 'body as text, or @FILE for the bytes of a file')
    .option('--idempotency-key <key>', 'also send this Idempotency-Key')
    .option('--curl', 'print a curl line that sends the signed call')
    .option('--headers', 'print the headers alone, one a line')
    .option('--secret-env <name>', 'environment variable that holds the secret (default: PARTNER_SECRET)')
    .option('--sandbox <url>', 'operator address to ask for a secret of the cast (env: PARTNER_SANDBOX_URL)')
    .option('--world <name>', 'world of the credential in that sandbox (default: default)')
    .option('--operator-token <token>', 'bearer token of the operator port (env: PARTNER_SANDBOX_OPERATOR_TOKEN)')
    .addHelpText(
      'after',
      '\nThe secret is never a flag and never printed. Without --secret-env and PARTNER_SECRET a running sandbox\non this machine is asked for it. Every run signs with a new timestamp and nonce.',
    )
    .action(async (method: string, url: string, options: SignOptions) => {
      session.out(await signedText(method, url, options, session))
    })
}

async function signedText(method: string, url: string, options: SignOptions, session: Session): Promise<string> {
  if (options.curl && options.headers) throw new CliError('--curl and --headers are two outputs; give one of them')
  const verb = readMethod(method)
  const { target } = readUrl(url)
  const body = await readBody(options.body)
  const secret = await findSecret(options, operatorAddress(options, session.env), session.env)
  const signed = sign({ keyId: options.keyId, secret }, verb, target, body, session)
  const headers = headersOf(signed, options, body)
  if (options.curl) return `${curlCommand({ method: verb, url, headers, ...bodyForCurl(body) })}\n`
  if (options.headers) return headers.map(([name, value]) => `${name}: ${value}\n`).join('')
  return `${signed.canonicalString}\n\n${headers.map(([name, value]) => `${name}: ${value}\n`).join('')}`
}

function readMethod(text: string): string {
  if (!/^[A-Za-z]{1,20}$/.test(text)) throw new CliError(`the method must be an HTTP verb, not ${JSON.stringify(text)}`)
  return text.toUpperCase()
}

function sign(
  key: { keyId: string; secret: string },
  method: string,
  target: string,
  body: BodyArgument,
  session: Session,
): SignedCall {
  const timestampSeconds = Math.floor(session.wall.nowMs() / 1000)
  try {
    return signCall(key, { method, target, body: body.bytes, timestampSeconds, nonce: randomUUID() })
  } catch (error) {
    if (error instanceof MalformedQueryError) throw new CliError(`the URL cannot be signed: ${error.message}`)
    throw error
  }
}

function headersOf(signed: SignedCall, options: SignOptions, body: BodyArgument): [string, string][] {
  const headers = Object.entries(signed.headers)
  if (options.idempotencyKey !== undefined) headers.push([HEADERS.idempotencyKey, options.idempotencyKey])
  if (body.bytes.length > 0) headers.push(['Content-Type', 'application/json'])
  for (const [name, value] of headers) refuseControls(name, value)
  return headers
}

function refuseControls(name: string, value: string): void {
  if (!/^[\x20-\x7e]*$/.test(value)) throw new CliError(`${name} may hold visible ASCII characters only`)
}

function bodyForCurl(body: BodyArgument): { body?: string; bodyFile?: string } {
  if (body.file !== null) return { bodyFile: body.file }
  return body.bytes.length > 0 ? { body: Buffer.from(body.bytes).toString('utf8') } : {}
}
