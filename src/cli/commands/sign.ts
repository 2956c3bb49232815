import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { MalformedQueryError } from '../../contract/canonical-string.ts'
import { type CurlRequest, curlCommand } from '../../contract/curl-command.ts'
import { HEADERS } from '../../contract/headers.ts'
import { type SignedCall, signWebhook } from '../../contract/signature.ts'
import { operatorAddress } from '../operator/operator-command.ts'
import { collect, nonEmpty, OPERATOR_TOKEN } from '../option-parsers.ts'
import { CliError, type Session } from '../session.ts'
import { type BodyArgument, neededSecret, readBody, readUrl, refuseSecretAsKeyId, sign } from '../signing/signer.ts'

interface SignOptions {
  keyId?: string
  body?: string
  idempotencyKey?: string
  header?: string[]
  curl?: boolean
  headers?: boolean
  webhook?: boolean
  json?: boolean
  secretEnv?: string
  sandbox?: string
  world?: string
  operatorToken?: string
}

export function configure(command: Command, session: Session): void {
  command
    .argument('[method]', 'HTTP verb')
    .argument('[url]', 'full URL; its path and query are signed and sent unchanged')
    .option('--key-id <id>', 'key id of the credential')
    .option('--body <text>', 'body as text, or @FILE for the bytes of a file')
    .option('--idempotency-key <key>', 'also send this Idempotency-Key', nonEmpty)
    .option('--header <name=value>', 'also send this header; may be given more than once', collect)
    .option('--curl', 'print a curl command that sends the signed call')
    .option('--webhook', 'sign a webhook delivery instead: --body alone is signed, with the webhook secret')
    .option('--json', 'print canonical string and headers as JSON')
    .option('--headers', 'print only the headers, one per line')
    .option(
      '--secret-env <name>',
      'environment variable that holds the secret (default: PARTNER_SECRET, else a sandbox on this machine)',
    )
    .option('--sandbox <url>', 'operator address of a sandbox that may sign (env: PARTNER_SANDBOX_URL)')
    .option('--world <name>', 'world of the credential in that sandbox (default: default)')
    .option(...OPERATOR_TOKEN)
    .addHelpText(
      'after',
      '\nThe secret is never a flag and never printed. Without --secret-env PARTNER_SECRET is used. With --world, or if that\nis not set, a sandbox that runs on this machine signs with the secret it knows for the key. Every run signs with a\nnew timestamp and nonce.',
    )
    .action(async (method: string | undefined, url: string | undefined, options: SignOptions) => {
      const text = options.webhook ? webhookText(method, options, session) : callText(method, url, options, session)
      session.out(await text)
    })
}

/** The header that a delivery with this body carries. */
function webhookText(method: string | undefined, options: SignOptions, session: Session): string {
  if (method !== undefined || options.keyId !== undefined || options.idempotencyKey !== undefined || options.curl) {
    throw new CliError(
      '--webhook signs a body alone: it takes --body, --secret-env and --json, and no verb, URL or key id',
    )
  }
  if (options.body === undefined) throw new CliError('--webhook needs --body: text, or @FILE for the bytes of a file')
  const secret = neededSecret(options.secretEnv, session.env, 'webhook secret')
  const signature = signWebhook(secret, readBody(options.body).bytes)
  return options.json
    ? jsonText({ headers: { [HEADERS.signature]: signature } })
    : headerLines([[HEADERS.signature, signature]])
}

async function callText(
  verb: string | undefined,
  url: string | undefined,
  options: SignOptions,
  session: Session,
): Promise<string> {
  const { keyId, curl } = options
  if (verb === undefined || url === undefined)
    throw new CliError('give a verb and a URL, e.g. sign GET http://127.0.0.1:4600/api/partner/v1/orders')
  if (keyId === undefined)
    throw new CliError(`required option '--key-id <id>' not specified; see ${session.program} sign --help`)
  refuseSecretAsKeyId(keyId)
  if ([curl, options.headers, options.json].filter(Boolean).length > 1)
    throw new CliError('--curl, --headers and --json are different outputs; give one of them')
  if (!/^[A-Za-z]{1,20}$/.test(verb)) throw new CliError(`the method must be an HTTP verb, not ${JSON.stringify(verb)}`)
  const method = verb.toUpperCase()
  const body = readBody(options.body)
  const { origin, target } = readUrl(url)
  const timestampSeconds = Math.floor(session.wall.nowMs() / 1000)
  const call = { method, target, body: body.bytes, timestampSeconds, nonce: randomUUID() }
  const signed = await sign({ ...options, keyId }, call, operatorAddress(options), session.env).catch((error) => {
    throw error instanceof MalformedQueryError ? new CliError(`the URL cannot be signed: ${error.message}`) : error
  })
  const headers = headersOf(signed, options, body)
  if (curl) return curlLine({ method, origin, target, headers, body: bodyForCurl(body) })
  if (options.json) return jsonText({ canonical_string: signed.canonicalString, headers: Object.fromEntries(headers) })
  return options.headers ? headerLines(headers) : `${signed.canonicalString}\n\n${headerLines(headers)}`
}

function headersOf(signed: SignedCall, options: SignOptions, body: BodyArgument): [string, string][] {
  const headers = Object.entries(signed.headers)
  if (options.idempotencyKey !== undefined) headers.push([HEADERS.idempotencyKey, options.idempotencyKey])
  const extra = (options.header ?? []).map(readHeader)
  const hasType = extra.some(([name]) => name.toLowerCase() === 'content-type')
  if (body.bytes.length > 0 && !hasType) headers.push(['Content-Type', 'application/json'])
  headers.push(...extra)
  const unsendable = headers.find(([, value]) => !/^[\x20-\x7e]*$/.test(value))
  if (unsendable) throw new CliError(`${unsendable[0]} may hold visible ASCII characters only`)
  return headers
}

function readHeader(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)=(.*)$/s.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new CliError(`--header must be NAME=VALUE, not ${JSON.stringify(line)}`)
  return [name, value]
}

function headerLines(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name, value]) => `${name}: ${value}\n`).join('')
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function curlLine(request: CurlRequest): string {
  const command = curlCommand(request)
  if ('impossible' in command) throw new CliError(`--curl: ${command.impossible}`)
  return `${command.line}\n`
}

/** curl reads the same file; what came from standard input is gone by then. */
function bodyForCurl({ bytes, file }: BodyArgument): CurlRequest['body'] {
  return file === null || file === '-' ? bytes : { file }
}
