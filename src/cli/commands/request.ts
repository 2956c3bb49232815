import type { Command } from 'commander'
import type { Extras } from '../operator/group.ts'
import { addSubcommand } from '../operator/operator-command.ts'
import { requestText } from '../operator/show/request.ts'
import { addRequestTail } from '../operator/tails.ts'
import type { Session } from '../session.ts'

export const EXTRAS: Extras = { list: addTailAndShow }

function addTailAndShow(command: Command, session: Session): void {
  addRequestTail(command, session)
  addSubcommand<{ world?: string }>(command, session, {
    usage: 'show <id>',
    summary: 'one call of any world: why it was refused, what was sent, checked and answered',
    run: async (context, [id = ''], { world }) => {
      const { call } = context
      const answer = await (world === undefined
        ? call('requests.find', { request_id: id })
        : call('requests.show', { request_id: id }))
      context.show(answer, (shown) => requestText(shown, session))
    },
  })
}
