import type { Command } from 'commander'
import { createRedactor } from '../../conformance/http/redact.ts'
import { jsonText } from '../../conformance/reports/escape.ts'
import { MalformedQueryError } from '../../contract/canonical-string.ts'
import { type ArrivedCall, type CallDiagnosis, diagnoseCall } from '../../contract/diagnosis/diagnose-call.ts'
import { type ArrivedDelivery, diagnoseWebhook } from '../../contract/diagnosis/diagnose-webhook.ts'
import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import type { Mistake } from '../../contract/diagnosis/mistake.ts'
import { presentDiagnosis, sentenceOf, UNEXPLAINED_SENTENCE } from '../../contract/diagnosis/present.ts'
import { explainHeaders, explainTimestamp, headerValuesOf, refusal } from '../../contract/diagnosis/refusals.ts'
import { explainSignatureForm } from '../../contract/diagnosis/signature-header.ts'
import { HEADERS } from '../../contract/headers.ts'
import { hmacSha256Hex } from '../../contract/hmac.ts'
import { LIMITS } from '../../contract/limits.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { collect, instantMs, nonEmpty } from '../option-parsers.ts'
import { colors } from '../output/color.ts'
import { diagnosisText } from '../output/diagnosis.ts'
import { CliError, type Session } from '../session.ts'
import { readCall } from '../signing/captured-call.ts'
import { neededSecret } from '../signing/signer.ts'

interface Common {
  secretEnv?: string
  otherSecretEnv?: string[]
  json?: boolean
}

interface VerifyOptions extends Common {
  canonical?: string
  now?: number
}

interface WebhookOptions extends Common {
  body: string
  signature: string
  target?: string
}

export function configure(command: Command, session: Session): void {
  withCommon(
    command
      .command('call <file>')
      .description('check a call: the raw text of an HTTP request or a curl line, - for standard input'),
  )
    .option('--canonical <file>', 'the canonical string that the client signed, to show the first difference')
    .option('--now <iso>', 'also judge the age of the timestamp, at this time', instantMs)
    .action(async (file: string, options: VerifyOptions) => {
      const call = await readCall(readInput(file))
      const canonical = options.canonical === undefined ? null : readInput(options.canonical, '--canonical')
      show(
        await judgeCall(call, secretsOf(options, session), { canonical, nowMs: options.now ?? null }),
        options,
        session,
      )
    })
  withCommon(
    command
      .command('webhook')
      .description('check a delivery: its raw body and the value of its X-Partner-Signature header'),
  )
    .requiredOption('--body <file>', 'file with the raw body, byte for byte; - for standard input')
    .requiredOption('--signature <value>', 'value of the signature header', nonEmpty)
    .option('--target <path>', 'path it was received at, to see whether it was signed like a call')
    .action(async ({ body, signature, target, ...options }: WebhookOptions) => {
      const delivery = { body: readInput(body, '--body'), signature, ...(target !== undefined && { target }) }
      show(judgeWebhook(delivery, secretsOf(options, session)), options, session)
    })
}

function withCommon(command: Command): Command {
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
  others: { secret: string; whose: string }[]
}

function secretsOf({ secretEnv, otherSecretEnv = [] }: Common, { env }: Session): Secrets {
  const secret = neededSecret(secretEnv, env)
  const others = otherSecretEnv.map((name) => {
    const other = env[name]
    if (!other) throw new CliError(`--other-secret-env: the environment has no ${name}, or it is empty`)
    return { secret: other, whose: `the secret in ${name}` }
  })
  return { secret, others }
}

function show(judged: SignatureVerdict, options: Common, session: Session): void {
  const { secret, others } = secretsOf(options, session)
  const redactor = createRedactor([secret, ...others.map((other) => other.secret)])
  const shown = judged.present((text) => redactor.text(text))
  const paint = colors(session)
  if (options.json) session.out(`${jsonText({ sound: judged.sound, ...shown }, 2)}\n`)
  else session.out(judged.sound ? `${paint.green('valid')}: ${shown.sentence}\n` : diagnosisText(shown, paint))
  if (!judged.sound) session.exitWith(EXIT_CODES.refused)
}

/** What came of a look at a signature. */
interface SignatureVerdict {
  readonly sound: boolean
  /** @param clean takes secrets out of a text. */
  present(clean: (text: string) => string): Record<string, unknown> & { sentence: string }
}

interface Given {
  /** What the client says it signed. */
  canonical: Uint8Array | null
  /** When the call arrived; null if its age is not checked. */
  nowMs: number | null
}

/** Judges a captured call: its headers, the age of its timestamp where a time is given, its signature. */
async function judgeCall(
  call: ArrivedCall,
  { secret, others }: { secret: string; others: readonly OtherSecret[] },
  { canonical, nowMs }: Given,
): Promise<SignatureVerdict> {
  const headers = explainHeaders(call.rawHeaders)
  if (headers.length > 0) return judged(headers, null)
  const keyId = headerOf(call, 'keyId')
  const timestamp = headerOf(call, 'timestamp')
  const late = explainTimestamp(timestamp, nowMs ?? Number(timestamp) * 1_000, LIMITS.timestampSkewSeconds)
  try {
    const found = (await diagnoseCall(call, { keyId, secret, others })) as CallDiagnosis
    return judged(
      late ? [late] : [],
      canonical ? withCanonical(found, canonical, secret, call) : found,
      formOf(call, found),
    )
  } catch (error) {
    if (error instanceof MalformedQueryError) return judged([refusal('query-broken', error.message)], null)
    throw error
  }
}

/** The first of that name; explainHeaders has made sure that there is one. */
function headerOf({ rawHeaders }: ArrivedCall, name: keyof typeof HEADERS): string {
  return headerValuesOf(rawHeaders, HEADERS[name])[0] ?? ''
}

/** Where no mistake explains a signature, its form may. */
function formOf(call: ArrivedCall, { verdict }: CallDiagnosis): Mistake | null {
  return verdict === 'unexplained' ? explainSignatureForm(headerOf(call, 'signature'), 'call') : null
}

/** What the client has signed is known: the difference is shown whether or not a mistake has a name. */
function withCanonical(found: CallDiagnosis, bytes: Uint8Array, secret: string, call: ArrivedCall): CallDiagnosis {
  const text = Buffer.from(bytes).toString('utf8')
  // An editor may have added a newline; the signature shows whether it was signed.
  const bare = text.replace(/\r?\n$/, '')
  const isBare = headerOf(call, 'signature').endsWith(hmacSha256Hex(secret, bare)) || bare === found.canonicalString
  return { ...found, clientString: isBare ? bare : text }
}

/** @param before what is wrong beside the signature: then no signature of the call as it is would be accepted. */
function judged(
  before: readonly Mistake[],
  signature: CallDiagnosis | null,
  form: Mistake | null = null,
): SignatureVerdict {
  const mistakes = [...before, ...(signature?.mistakes ?? []), ...(form ? [form] : [])]
  const sound = mistakes.length === 0 && signature?.verdict === 'sound'
  const sentence = sound ? VALID_CALL : mistakes.length > 0 ? sentenceOf(mistakes) : UNEXPLAINED_SENTENCE
  const shown = before.length > 0 ? null : signature
  return {
    sound,
    present: (clean) => presentDiagnosis({ sentence, mistakes, signature: shown, sendInstead: null }, clean),
  }
}

const VALID_CALL = 'the signature matches the call and the secret'
const VALID_WEBHOOK = 'the signature matches the body and the secret'
const UNEXPLAINED_WEBHOOK =
  'No known mistake explains this signature. Check the secret, and that this body is byte for byte the one that was sent.'

/** Judges a delivery as its receiver has it. */
function judgeWebhook(
  delivery: ArrivedDelivery,
  secrets: { secret: string; others: readonly OtherSecret[] },
): SignatureVerdict {
  const { verdict, mistakes, equally, expectedSignature } = diagnoseWebhook(delivery, secrets)
  const malformed = verdict === 'unexplained' ? explainSignatureForm(delivery.signature, 'webhook') : null
  const named = malformed ? [malformed] : mistakes
  const sentence = verdict === 'sound' ? VALID_WEBHOOK : named.length > 0 ? sentenceOf(named) : UNEXPLAINED_WEBHOOK
  return {
    sound: verdict === 'sound',
    present: () => ({
      sentence,
      mistakes: named,
      equally,
      // That of another body than was signed would mislead.
      expected_signature_header: named.some(({ id }) => id.startsWith('body-'))
        ? null
        : `${HEADERS.signature}: ${expectedSignature}`,
    }),
  }
}
