import type { Command } from 'commander'
import { REPORTER_NAMES } from '../../conformance/reporters/index.ts'
import { choiceOption } from '../choice-option.ts'
import type { ConformOptions } from '../conform.ts'
import { EXIT_CODE_HELP } from '../exit-codes.ts'
import { collect, integerBetween } from '../option-parsers.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  command
    .argument('[url]', 'base address of the target (or use --target, or --self)')
    .option('--target <file>', 'target file: credentials, fixtures, operator, dialect')
    .option('--self', 'start a sandbox of our own and judge that')
    .option('--key-id <id>', 'key id of the credential to sign with')
    .option('--secret-env <name>', 'environment variable that holds its secret (default: PARTNER_SECRET)')
    .addOption(
      choiceOption('--mode <mode>', 'what may be done to the target (default: read)', ['read', 'write', 'operator']),
    )
    .option('--operator-url <url>', 'operator address of the target, where it is a sandbox')
    .option('--world <name>', 'world of that sandbox (default: default)')
    .option(
      '--live-writes <n>',
      'orders that a live key may create; takes --i-accept-orders too',
      integerBetween(1, 1000),
    )
    .option('--i-accept-orders', 'accept that orders on a live target cost real money')
    .option('--scenarios <path...>', 'scenario files or folders (default: those of this package)')
    .option('--only <id...>', 'run these scenarios alone; * stands for any text')
    .option('--requirement <id...>', 'run only what proves one of these requirements')
    .option(
      '--reporter <name[=file]>',
      `${REPORTER_NAMES.join(', ')}; may be given more than once (default: pretty)`,
      collect,
    )
    .option('--allow-unverified', 'exit 0 even where requirements were not verified, as long as none is violated')
    .addHelpText('after', EXIT_CODE_HELP)
    .action(async (url: string | undefined, options: ConformOptions) => {
      // Loaded here, so that --help does not wait for the engine.
      const { conform } = await import('../conform.ts')
      session.exitWith(await conform(url, options, session))
    })
}
