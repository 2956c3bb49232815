import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { curlCommand } from '../../conformance/reporters/curl.ts'
import { MalformedQueryError } from '../../contract/canonical-string.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { SignedCall } from '../../contract/signature.ts'
import { operatorAddress } from '../operator-command.ts'
import { nonEmpty } from '../option-parsers.ts'
import { CliError, type Session } from '../session.ts'
import { type BodyArgument, readBody, readUrl } from '../sign-input.ts'
import { sign } from '../signer.ts'

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
    .option('--idempotency-key <key>', 'also send this Idempotency-Key', nonEmpty)
    .option('--curl', 'print a curl line that sends the signed call')
    .option('--headers', 'print the headers alone, one a line')
    .option('--secret-env <name>', 'environment variable that holds the secret (default: PARTNER_SECRET)')
    .option('--sandbox <url>', 'operator address of a sandbox that may sign (env: PARTNER_SANDBOX_URL)')
    .option('--world <name>', 'world of the credential in that sandbox (default: default)')
    .option('--operator-token <token>', 'bearer token of the operator port (env: PARTNER_SANDBOX_OPERATOR_TOKEN)')
    .addHelpText(
      'after',
      '\nThe secret is never a flag and never printed. Without --secret-env and PARTNER_SECRET a sandbox that runs on\nthis machine signs with the key it knows. Every run signs with a new timestamp and nonce.',
    )
    .action(async (method: string, url: string, options: SignOptions) => {
      session.out(await signedText(method, url, options, session))
    })
}

async function signedText(method: string, url: string, options: SignOptions, session: Session): Promise<string> {
  if (options.curl && options.headers) throw new CliError('--curl and --headers are two outputs; give one of them')
  const verb = readMethod(method)
  const body = await readBody(options.body)
  const signed = await signCallOf(verb, readUrl(url).target, body, options, session)
  const headers = headersOf(signed, options, body)
  if (options.curl) return `${curlCommand({ method: verb, url, headers, ...bodyForCurl(body) })}\n`
  const lines = headers.map(([name, value]) => `${name}: ${value}\n`).join('')
  return options.headers ? lines : `${signed.canonicalString}\n\n${lines}`
}

function readMethod(text: string): string {
  if (!/^[A-Za-z]{1,20}$/.test(text)) throw new CliError(`the method must be an HTTP verb, not ${JSON.stringify(text)}`)
  return text.toUpperCase()
}

async function signCallOf(
  method: string,
  target: string,
  body: BodyArgument,
  options: SignOptions,
  session: Session,
): Promise<SignedCall> {
  const timestampSeconds = Math.floor(session.wall.nowMs() / 1000)
  const call = { method, target, body: body.bytes, timestampSeconds, nonce: randomUUID() }
  try {
    return await sign(options, call, operatorAddress(options, session.env), session.env)
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
