import type { Command } from 'commander'
import { addSubcommand } from '../operator-command.ts'
import { outline } from '../output/outline.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  addSubcommand(command, session, {
    usage: 'run',
    summary: 'close the settlement period: every TRANSFER_COMPLETED order becomes SETTLED',
    run: async (context) => context.show(await context.askWorld('POST', '/settlement-runs', {}), outline),
  })
}
