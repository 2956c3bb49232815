import { object, optional, text } from '../../contract/schema.ts'
import { eventSeqOf } from '../../sandbox/events/events.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import { Problem } from '../problem.ts'
import { worldRoute } from '../route.ts'
import { STREAM_KINDS, type StreamKind, worldStream } from '../world-stream.ts'

const stream = worldRoute('GET', '/stream', {
  summary:
    'What happens, live, as server-sent events named `request`, `event`, `delivery` and `clock`; the data of each is what the lists show. `only` names those that are wanted, with commas between them; with `after`, the id of an event, all later events come first. Ends when the world is deleted or the server stops.',
  query: object({
    only: optional(text({ maxLength: 64 })),
    after: optional(text({ maxLength: 64, description: 'Id of the last event that is known already.' })),
  }),
  handle({ operator, world, query: { only, after } }) {
    const kinds = new Set(only === undefined ? STREAM_KINDS : only.split(',').map(readKind))
    const afterSeq = after === undefined ? null : eventSeqOf(world, after)
    if (after !== undefined && afterSeq === null) throw new Problem(400, 'after is no event of this world')
    return { status: 200, live: worldStream(operator, world, { kinds, afterSeq }) }
  },
})

function readKind(name: string): StreamKind {
  const kind = STREAM_KINDS.find((known) => known === name)
  if (!kind)
    throw new Problem(400, `only must name ${STREAM_KINDS.join(', ')}, with commas between them, not ${quoted(name)}`)
  return kind
}

export const streamRoutes = [stream]
