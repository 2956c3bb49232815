import type { Command } from 'commander'
import { createRedactor } from '../../conformance/http/redact.ts'
import { jsonText } from '../../conformance/reports/escape.ts'
import { MalformedQueryError } from '../../contract/canonical-string.ts'
import { type ArrivedCall, type CallDiagnosis, diagnoseCall } from '../../contract/diagnosis/diagnose-call.ts'
import { type ArrivedDelivery, diagnoseWebhook } from '../../contract/diagnosis/diagnose-webhook.ts'
import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import type { Mistake } from '../../contract/diagnosis/mistake.ts'
import { presentDiagnosis, sentenceOf, UNEXPLAINED_SENTENCE } from '../../contract/diagnosis/present.ts'
import { explainHeaders, explainTimestamp, refusal } from '../../contract/diagnosis/refusals.ts'
import { explainSignatureForm } from '../../contract/diagnosis/signature-header.ts'
import { HEADERS, headerValuesOf } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import { hmacSha256Hex } from '../../contract/signature.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { collect, instantMs, nonEmpty } from '../option-parsers.ts'
import { colors } from '../output/color.ts'
import { diagnosisText } from '../output/diagnosis.ts'
import { CliError, type Session } from '../session.ts'
import { readCall } from '../signing/captured-call.ts'
import { neededSecret } from '../signing/signer.ts'

interface VerifyOptions {
  secretEnv?: string
  otherSecretEnv?: string[]
  json?: boolean
}

export function configure(command: Command, session: Session): void {
  withSecrets(
    command
      .command('call <file>')
      .description('check a call: the raw text of an HTTP request or a curl line, - for standard input'),
  )
    .option('--canonical <file>', 'the canonical string that the client signed, to show the first difference')
    .option('--now <iso>', 'also judge the age of the timestamp, at this time', instantMs)
    .action(async (file: string, options: VerifyOptions & { canonical?: string; now?: number }) => {
      const call = await readCall(readInput(file))
      const canonical = options.canonical === undefined ? null : readInput(options.canonical, '--canonical')
      const secrets = secretsOf(options, session)
      show(await judgeCall(call, secrets, canonical, options.now ?? null), options, session)
    })
  withSecrets(
    command
      .command('webhook')
      .description('check a delivery: its raw body and the value of its X-Partner-Signature header'),
  )
    .requiredOption('--body <file>', 'file with the raw body, byte for byte; - for standard input')
    .requiredOption('--signature <value>', 'value of the signature header', nonEmpty)
    .option('--target <path>', 'path it was received at, to see whether it was signed like a call')
    .action((options: VerifyOptions & { body: string; signature: string; target?: string }) => {
      const { signature, target } = options
      const delivery = { body: readInput(options.body, '--body'), signature, ...(target !== undefined && { target }) }
      show(judgeWebhook(delivery, secretsOf(options, session)), options, session)
    })
}

function withSecrets(command: Command): Command {
  return command
    .option('--secret-env <name>', 'environment variable that holds the secret (default: PARTNER_SECRET)')
    .option(
      '--other-secret-env <name>',
      'variable with another secret that may have been used; may be repeated',
      collect,
    )
    .option('--json', 'print the diagnosis as JSON')
    .addHelpText('after', '\nNothing is sent. Exit codes: 0 valid, 1 not valid, 4 wrong flag or file.')
}

interface Secrets {
  secret: string
  others: OtherSecret[]
}

function secretsOf({ secretEnv, otherSecretEnv = [] }: VerifyOptions, { env }: Session): Secrets {
  const secret = neededSecret(secretEnv, env)
  const others = otherSecretEnv.map((name) => {
    const other = env[name]
    if (!other) throw new CliError(`--other-secret-env: the environment has no ${name}, or it is empty`)
    return { secret: other, whose: `the secret in ${name}` }
  })
  return { secret, others }
}

/** Whether a signature is valid, and the diagnosis, without secrets. */
interface SignatureVerdict {
  readonly sound: boolean
  readonly diagnosis: Record<string, unknown> & { sentence: string }
}

function show({ sound, diagnosis }: SignatureVerdict, { json }: VerifyOptions, session: Session): void {
  const paint = colors(session)
  if (json) session.out(`${jsonText({ sound, ...diagnosis }, 2)}\n`)
  else session.out(sound ? `${paint.green('valid')}: ${diagnosis.sentence}\n` : diagnosisText(diagnosis, paint))
  if (!sound) session.exitWith(EXIT_CODES.refused)
}

/**
 * Judges a captured call: its headers, the age of its timestamp, its signature.
 *
 * @param canonical what the client says it signed.
 * @param nowMs when the call arrived; null if its age is not checked.
 */
async function judgeCall(
  call: ArrivedCall,
  secrets: Secrets,
  canonical: Uint8Array | null,
  nowMs: number | null,
): Promise<SignatureVerdict> {
  const headers = explainHeaders(call.rawHeaders)
  if (headers.length > 0) return callVerdict(headers, null, secrets)
  // Each header is there by now.
  const sentValue = (name: keyof typeof HEADERS) => headerValuesOf(call.rawHeaders, HEADERS[name])[0] ?? ''
  const timestamp = sentValue('timestamp')
  const late = explainTimestamp(timestamp, nowMs ?? Number(timestamp) * 1_000, LIMITS.timestampSkewSeconds)
  try {
    const found = (await diagnoseCall(call, { keyId: sentValue('keyId'), ...secrets })) as CallDiagnosis
    const malformed = found.verdict === 'unexplained' && explainSignatureForm(sentValue('signature'), 'call')
    const mistakes = [...(late ? [late] : []), ...found.mistakes, ...(malformed ? [malformed] : [])]
    // With a wrong timestamp no signature of the call as it is would be accepted.
    if (late) return callVerdict(mistakes, null, secrets)
    const signed = canonical && {
      ...found,
      clientString: signedText(canonical, found, secrets, sentValue('signature')),
    }
    return callVerdict(mistakes, signed ?? found, secrets)
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error
    return callVerdict([refusal('query-broken', error.message)], null, secrets)
  }
}

/** An editor may have added a newline to what the client signed; the signature shows whether it was signed. */
function signedText(canonical: Uint8Array, found: CallDiagnosis, { secret }: Secrets, signature: string): string {
  const text = Buffer.from(canonical).toString('utf8')
  const bare = text.replace(/\r?\n$/, '')
  const isBare = signature.endsWith(hmacSha256Hex(secret, bare)) || bare === found.canonicalString
  return isBare ? bare : text
}

function callVerdict(
  mistakes: readonly Mistake[],
  signature: CallDiagnosis | null,
  { secret, others }: Secrets,
): SignatureVerdict {
  const sound = mistakes.length === 0 && signature?.verdict === 'valid'
  const sentence = sound ? VALID_CALL : mistakes.length > 0 ? sentenceOf(mistakes) : UNEXPLAINED_SENTENCE
  const redactor = createRedactor([secret, ...others.map((other) => other.secret)])
  const clean = (text: string) => redactor.text(text)
  return { sound, diagnosis: presentDiagnosis({ sentence, mistakes, signature, sendInstead: null }, clean) }
}

const VALID_CALL = 'the signature matches the call and the secret'
const VALID_WEBHOOK = 'the signature matches the body and the secret'
const UNEXPLAINED_WEBHOOK =
  'No known mistake explains this signature. Check the secret, and that this body is byte for byte the one that was sent.'

/** Judges a delivery as its receiver has it. */
function judgeWebhook(delivery: ArrivedDelivery, secrets: Secrets): SignatureVerdict {
  const { verdict, mistakes, equally, expectedSignature } = diagnoseWebhook(delivery, secrets)
  const sound = verdict === 'valid'
  const malformed = verdict === 'unexplained' ? explainSignatureForm(delivery.signature, 'webhook') : null
  const named = malformed ? [malformed] : mistakes
  const sentence = sound ? VALID_WEBHOOK : named.length > 0 ? sentenceOf(named) : UNEXPLAINED_WEBHOOK
  // That of another body than was signed would mislead.
  const isOfAnotherBody = named.some(({ id }) => id.startsWith('body-'))
  const expected = isOfAnotherBody ? null : `${HEADERS.signature}: ${expectedSignature}`
  return { sound, diagnosis: { sentence, mistakes: named, equally, expected_signature_header: expected } }
}
