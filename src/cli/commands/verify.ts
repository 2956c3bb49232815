import type { Command } from 'commander'
import { createRedactor } from '../../conformance/http/redact.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { collect, instantMs, nonEmpty } from '../option-parsers.ts'
import { colors } from '../output/color.ts'
import { diagnosisText } from '../output/diagnosis.ts'
import { CliError, type Session } from '../session.ts'
import { readCall } from '../signing/captured-call.ts'
import { neededSecret } from '../signing/signer.ts'
import { type Judged, judgeCall, judgeWebhook } from '../signing/verify-signature.ts'

interface Common {
  secretEnv?: string
  otherSecretEnv?: string[]
  json?: boolean
}

interface CallOptions extends Common {
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
    .action(async (file: string, options: CallOptions) => {
      const call = await readCall(readInput(file, 'the call'))
      const canonical = options.canonical === undefined ? null : readInput(options.canonical, '--canonical')
      show(judgeCall(call, secretsOf(options, session), { canonical, nowMs: options.now ?? null }), options, session)
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

function show(judged: Judged, options: Common, session: Session): void {
  const { secret, others } = secretsOf(options, session)
  const redactor = createRedactor([secret, ...others.map((other) => other.secret)])
  const shown = judged.present((text) => redactor.text(text))
  const paint = colors(session)
  if (options.json) session.out(`${JSON.stringify({ sound: judged.sound, ...shown }, null, 2)}\n`)
  else session.out(judged.sound ? `${paint.green('valid')}: ${shown.sentence}\n` : diagnosisText(shown, paint))
  if (!judged.sound) session.exitWith(EXIT_CODES.refused)
}
