import { escapeLine } from '../../conformance/reports/escape.ts'
import type { StreamMessage } from '../../operator-api/follow-stream.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { progressLine } from '../output/progress-line.ts'
import { isRecord, type Row } from '../output/records.ts'
import type { OperatorContext } from './operator-command.ts'

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

const LINE_EVERY_MS = 5_000
/** Some terminals do not say how wide they are. */
const USUAL_COLUMNS = 80

/** A jump goes on without it, so whatever becomes of it is no error. */
function showProgress({ client, world, session }: OperatorContext): () => Promise<void> {
  const line = progressLine(session, { width: (session.columns || USUAL_COLUMNS) - 1, everyMs: LINE_EVERY_MS })
  const over = new AbortController()
  const heard = ({ data: { advancing } }: StreamMessage) => {
    if (isRecord(advancing)) line.draw(escapeLine(lineOf(advancing)))
  }
  const followed = client.follow({ w: world }, { only: 'clock' }, { heard }, over.signal).catch(() => {})
  return async () => {
    over.abort()
    await followed
    line.clear()
  }
}

function lineOf({ from, to, now, things_done }: Row): string {
  const share = shareOf(Date.parse(String(from)), Date.parse(String(to)), Date.parse(String(now)))
  return `${String(now)}${share}, ${Number(things_done).toLocaleString('en-US')} things done`
}

/** How much of the way it has come, where that is known. */
function shareOf(fromMs: number, toMs: number, nowMs: number): string {
  const share = (nowMs - fromMs) / (toMs - fromMs)
  return Number.isFinite(share) ? ` (${Math.floor(share * 100)}%)` : ''
}
