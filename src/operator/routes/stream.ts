import { findEvent } from '../../sandbox/events/events.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import { problem } from '../problem.ts'
import type { HandlersOf } from '../route.ts'
import { STREAM_KINDS, type StreamKind, USUAL_KINDS, worldStream } from '../world-stream.ts'

export const streamHandlers: HandlersOf<'stream'> = {
  'stream.follow'({ operator, world, query: { only, after } }) {
    const kinds = new Set<StreamKind>(only === undefined ? USUAL_KINDS : only.split(',').map(readKind))
    const afterSeq = after === undefined ? null : (findEvent(world, after)?.seq ?? null)
    if (after !== undefined && afterSeq === null) throw problem('unknown-event')
    return { status: 200, live: worldStream(operator, world, { kinds, afterSeq }) }
  },
}

function readKind(name: string): StreamKind {
  const kind = STREAM_KINDS.find((known) => known === name)
  if (!kind) throw problem('unknown-stream-kind', { kinds: STREAM_KINDS.join(', '), value: quoted(name) })
  return kind
}
