import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { LOG_LIMITS, type LoggedCall } from '../../sandbox/app/request-log.ts'
import { summariseLoggedCall } from '../present-request.ts'
import { Problem } from '../problem.ts'
import { fits, type RequestFilter } from '../request-filter.ts'
import { type Operator, ok, route, worldRoute } from '../route.ts'

const PAGE = { minimum: 1, maximum: 1_000 }
const USUAL_PAGE = 50

const list = worldRoute('GET', '/requests', {
  summary:
    'The request log, newest first: `requests`, `next_cursor`. Calls that belong to no world, as with an unknown key id, are in the log of `default`.',
  query: object({
    status: optional(text({ maxLength: 3, description: 'A status, or a class of them such as `4xx`.' })),
    code: optional(text({ maxLength: 64 })),
    key_id: optional(text({ maxLength: 256 })),
    credential: optional(text({ maxLength: 256, description: 'Name of a credential.' })),
    endpoint: optional(oneOf(ENDPOINT_IDS)),
    method: optional(text({ maxLength: 16 })),
    q: optional(
      text({ minLength: 1, maxLength: 256, description: 'Text in the target, a header, the body or the answer.' }),
    ),
    since: optional(text({ format: 'instant', description: 'Arrived at this wall time or later.' })),
    until: optional(text({ format: 'instant', description: 'Arrived before this wall time.' })),
    refused: optional(oneOf(['true', 'false'], 'Only what an authentication check refused, or only the rest.')),
    limit: optional(integer(PAGE)),
    cursor: optional(integer({ minimum: 1, description: 'next_cursor of the page before.' })),
  }),
  handle({ operator, world, query }) {
    const { limit = USUAL_PAGE, ...filter } = query
    const redact = operator.worlds.redactor()
    const wanted = fits(filter as RequestFilter, redact)
    const page: LoggedCall[] = []
    for (const entry of world.log.latest()) {
      if (page.length > limit) break
      if (wanted(entry)) page.push(entry)
    }
    const shown = page.slice(0, limit)
    return ok({
      requests: shown.map(summariseLoggedCall),
      next_cursor: page.length > limit ? String(shown.at(-1)?.position) : null,
    })
  },
})

const show = worldRoute('GET', '/requests/{request_id}', {
  summary:
    'One logged call: what was sent, the canonical string, the verdict of each check, what was answered; of a refused one the `diagnosis`.',
  async handle({ operator, world, params }) {
    const id = params['request_id'] ?? ''
    const entry = world.log.find(id)
    if (!entry) throw notLogged(id, `the log of the world ${world.name}`)
    return ok(await shown(entry, operator))
  },
})

const showAnywhere = route('GET', '/v1/requests/{request_id}', {
  summary: 'The same of whichever world: the `X-Request-Id` of an answer is all that is needed.',
  async handle({ operator, params }) {
    const id = params['request_id'] ?? ''
    for (const world of operator.worlds.list()) {
      const entry = world.log.find(id)
      if (entry) return ok(await shown(entry, operator))
    }
    throw notLogged(id, 'the log of any world')
  },
})

/** How long a diagnosis may keep others waiting at a time. */
const SLICE_MS = 5

async function shown(entry: LoggedCall, { worlds, wall }: Operator) {
  // Loaded by the first who asks: a start needs none of it.
  const { explainRefusal } = await import('../explain-refusal.ts')
  const { presentLoggedCall } = await import('../present-logged-call.ts')
  const refusal = await explainRefusal(entry, worlds, {
    sliceMs: SLICE_MS,
    pause: nextTurn,
    monotonicMs: wall.monotonicMs,
  })
  return presentLoggedCall(entry, refusal, { worlds, redact: worlds.redactor() })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function notLogged(id: string, where: string): Problem {
  const { entries } = LOG_LIMITS
  return new Problem(
    404,
    `there is no request ${id} in ${where}: the log keeps the latest ${entries.toLocaleString('en')} calls of a world, fewer where they are large, and nothing over a restart or a reset`,
  )
}

export const requestRoutes = [list, show, showAnywhere]
