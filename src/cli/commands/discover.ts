import type { Command } from 'commander'
import { nonEmpty } from '../option-parsers.ts'
import type { discoverTarget as discoverCommand } from '../run/discover.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  command
    .argument('[url]', 'base address of the target (or use --target)')
    .option('--target <file>', 'target file to write the findings into', nonEmpty)
    .option('--key-id <id>', 'key id of the credential to sign with')
    .option('--secret-env <name>', 'environment variable that holds its secret (default: PARTNER_SECRET)')
    .option('--out <file>', 'target file to write, or to complete if it exists', nonEmpty)
    .option('--update', 'replace what the file says if the target shows something else')
    .option('--pin', 'write the observed answers to open points as pins')
    .option('--update-pins', 'also replace pins that no longer match')
    .option('--from <log>', 'take the pins from the log of a run (ndjson) and send nothing for them', nonEmpty)
    .option(
      '--continue <log>',
      'also look at what the log of a run shows (ndjson), answers to writes included',
      nonEmpty,
    )
    .option('--scenarios <path...>', 'scenario files or folders that observe (default: those of this package)')
    .option('--json', 'print what was found as JSON')
    .action(async (url: string | undefined, options: Parameters<typeof discoverCommand>[1]) => {
      const { discoverTarget } = await import('../run/discover.ts')
      session.exitWith(await discoverTarget(url, options, session))
    })
}
