import { type Run, senderTo } from '../context/run.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { atPointer } from '../http/json-body.ts'
import type { PartnerReceiver } from './courier.ts'

/** Why no number was had, in a few words. */
interface NoCount {
  why: string
}

/** How long a receiver may work on what it has answered. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 100
/** So often the same is read before it counts as settled. */
const SAME_READINGS = 5

/**
 * Reads the partner's own count of events, a number or a list whose length counts, until it stands still. Where it never
 * reaches what is hoped for, it is what it came to.
 *
 * @param url whose fragment is a JSON pointer into the answer; none is the whole of it.
 * @param headers meant for the gateway before the receiver, and only for it.
 */
export function eventCounter(run: Run, url: URL, headers: PartnerReceiver['headers']): PartnerReceiver['countEvents'] {
  const { wall } = run
  const read = () => readCount(run, url, url.origin === run.target.url ? headers : [])
  return async (hoped) => {
    const untilMs = wall.monotonicMs() + PATIENCE_MS
    let last = await read()
    for (let same = 1; typeof last === 'number' && !run.signal?.aborted; ) {
      const isOver = wall.monotonicMs() > untilMs
      if (same >= SAME_READINGS && (last >= hoped || isOver)) return last
      if (wall.monotonicMs() > untilMs + PATIENCE_MS) return last
      await run.pause(PAUSE_MS)
      const next = await read()
      same = next === last ? same + 1 : 1
      last = next
    }
    return last
  }
}

async function readCount(run: Run, url: URL, extra: PartnerReceiver['headers']): Promise<number | NoCount> {
  const headers = [
    ['connection', 'close'] as const,
    ['accept', 'application/json'] as const,
    ['user-agent', 'partner-sandbox'] as const,
    ...extra,
  ]
  const request = { method: 'GET', target: url.pathname + url.search, headers, body: new Uint8Array() }
  const { answer, broken } = await senderTo(run, url.origin).send(request, { fresh: true })
  if (!answer) return { why: `${broken?.reason}: ${broken?.message}` }
  if (!isAccepted(answer)) return { why: `it answered ${answer.status}` }
  return countAt(answer, decodeURIComponent(url.hash.slice(1)))
}

function countAt({ json }: Answer, pointer: string): number | NoCount {
  if (json === undefined) return { why: 'its answer is not JSON' }
  const value = atPointer(json, pointer)
  if (Array.isArray(value)) return value.length
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  return { why: `there is neither a whole number nor a list at "${pointer}" of its answer` }
}
