import type { StreamMessage } from '../../operator-api/follow-stream.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import type { OperatorContext } from './operator-command.ts'
import { advanceProgress } from './show/advance-progress.ts'

/**
 * Moves a clock and shows how far it has come. The first signal stops the jump, and its receipt says where it has come to;
 * the second one ends the program.
 *
 * @returns the receipt.
 */
export async function advanceClock(context: OperatorContext, body: BodyOf<'clock.advance'>): Promise<unknown> {
  // A jump that ends just then answers by itself, and there is nothing to stop.
  const stop = () => void context.call('clock.stop', {}).catch(() => {})
  const interrupted = context.session.interrupted()
  interrupted.addEventListener('abort', stop)
  const endProgress = context.isJson ? async () => {} : showProgress(context)
  try {
    return await context.call('clock.advance', {}, body)
  } finally {
    await endProgress()
    interrupted.removeEventListener('abort', stop)
  }
}

/** A jump goes on without it, so whatever becomes of it is no error. */
function showProgress({ client, world, session }: OperatorContext): () => Promise<void> {
  const progress = advanceProgress(session)
  const over = new AbortController()
  const listener = { heard: ({ data }: StreamMessage) => progress.show(data) }
  const followed = client.follow({ w: world }, { only: 'clock' }, listener, over.signal).catch(() => {})
  return async () => {
    over.abort()
    await followed
    progress.finish()
  }
}
