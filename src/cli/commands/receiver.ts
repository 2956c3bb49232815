import type { Command } from 'commander'
import { RECEIVER_EXIT_CODE_HELP } from '../exit-codes.ts'
import { collect, durationText } from '../option-parsers.ts'
import { withReporters } from '../run/flags.ts'
import type { receiver as receiverCommand } from '../run/receiver.ts'
import type { Session } from '../session.ts'

const examples = (program: string) => `
Examples: ${program} receiver http://localhost:3000/hooks --secret-env HOOK_SECRET
          ${program} receiver https://staging.example.test/hooks --secret-env HOOK_SECRET \\
            --header 'Authorization=\${env:GATEWAY_TOKEN}' --reporter pretty --reporter junit=receiver.xml`

export function configure(command: Command, session: Session): void {
  withReporters(command)
    .argument('<url>', 'address of the receiver, as it is registered')
    .requiredOption('--secret-env <name>', 'environment variable that holds the webhook secret of the receiver')
    .option('--only <id...>', 'run only these scenarios; * matches any text')
    .option('--requirement <id...>', 'run only what judges one of these requirements, such as RECV-03')
    .option(
      '--header <name=value>',
      'header for a gateway in front of the receiver; may be repeated; a secret as NAME=${env:VARIABLE}',
      collect,
    )
    .option('--events <file>', 'JSON list of your own events; their payloads replace the generated ones')
    .option('--effects-url <url>', 'URL and JSON pointer of your counter of processed events: URL#/pointer')
    .option('--timeout <duration>', 'how long to wait for an answer, 6s or more (default: 10s)', durationText)
    .option('--insecure', 'accept any TLS certificate')
    .addHelpText('after', examples(session.program) + RECEIVER_EXIT_CODE_HELP)
    .action(async (url: string, options: Parameters<typeof receiverCommand>[1]) => {
      // Loaded here, so that --help does not wait for the engine.
      const { receiver } = await import('../run/receiver.ts')
      session.exitWith(await receiver(url, options, session))
    })
}
