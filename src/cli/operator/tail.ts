import { SandboxRefusal } from '../../operator-api/refusals.ts'
import type { Row } from '../output/records.ts'
import type { Session } from '../session.ts'
import { commandError } from './command-errors.ts'
import type { OperatorContext } from './operator-command.ts'

/** What is followed, and how it is shown. */
export interface Tail {
  kind: 'event' | 'request' | 'delivery'
  /** Id of an event; all later ones come first. */
  after?: string | undefined
  wanted(row: Row): boolean
  /** One line, without its end. */
  line(row: Row): string
  /** What is to be said below it, if anything. */
  note?(row: Row): string | null | Promise<string | null>
}

/**
 * Writes a line for each thing as it happens, until Ctrl-C or until nobody reads any more.
 *
 * @throws CliError where the world or its sandbox has gone.
 */
export async function tail(context: OperatorContext, session: Session, { kind, after, ...how }: Tail): Promise<void> {
  const heard = async ({ event, data }: { event: string; data: Row }) => {
    if (event !== kind || !how.wanted(data)) return
    if (context.isJson) return session.out(`${JSON.stringify(data)}\n`)
    const note = await how.note?.(data)
    session.out(`${how.line(data)}\n${note ? `    ${note}\n` : ''}`)
  }
  if (session.errIsTerminal) session.err(`following the world ${context.world}; Ctrl-C ends\n`)
  const stop = eitherOf(session.interrupted(), session.readerGone)
  const query = { only: kind, ...(after !== undefined && { after }) }
  const ended = await context.client.follow({ w: context.world }, query, { heard }, stop)
  if (ended === 'ended') throw await whatHasGone(context)
}

function eitherOf(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second ? AbortSignal.any([first, second]) : first
}

async function whatHasGone({ call, client, world }: OperatorContext): Promise<Error> {
  try {
    await call('worlds.show', {})
    return commandError('not-read')
  } catch (error) {
    if (error instanceof SandboxRefusal) return commandError('world-deleted', { world })
    return commandError('sandbox-gone', { url: client.address.url })
  }
}
