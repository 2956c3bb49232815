import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import type { LoggedCall } from '../../sandbox/http/request-log.ts'
import { integer, object, oneOf, optional, text } from '../../sandbox/http/schema.ts'
import { codeOf, keyIdOf, presentLoggedCall, summariseLoggedCall } from '../present-request.ts'
import { Problem } from '../problem.ts'
import { createRedactor } from '../redact.ts'
import { ok, worldRoute } from '../route.ts'

const PAGE = { minimum: 1, maximum: 1_000 }
const USUAL_PAGE = 50

interface Filter {
  status?: number
  code?: string
  key_id?: string
  endpoint?: string
  cursor?: number
}

const list = worldRoute('GET', '/requests', {
  summary: 'The request log, newest first: `requests`, `next_cursor`.',
  query: object({
    status: optional(integer({ minimum: 100, maximum: 599 })),
    code: optional(text({ maxLength: 64 })),
    key_id: optional(text({ maxLength: 256 })),
    endpoint: optional(oneOf(ENDPOINT_IDS)),
    limit: optional(integer(PAGE)),
    cursor: optional(integer({ minimum: 1, description: 'next_cursor of the page before.' })),
  }),
  handle({ operator, world, query }) {
    const { limit = USUAL_PAGE, ...filter } = query
    const found = world.log.latest().filter((entry) => fits(entry, filter))
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const redact = createRedactor(operator.worlds.list())
    return ok({
      requests: redact.all(page.map(summariseLoggedCall)),
      next_cursor: found.length > limit && last ? String(last.position) : null,
    })
  },
})

function fits(entry: LoggedCall, { status, code, key_id, endpoint, cursor }: Filter): boolean {
  return (
    (cursor === undefined || entry.position < cursor) &&
    (status === undefined || entry.answer.status === status) &&
    (endpoint === undefined || entry.call.endpoint === endpoint) &&
    (key_id === undefined || keyIdOf(entry.call) === key_id) &&
    (code === undefined || codeOf(entry.answer) === code)
  )
}

const show = worldRoute('GET', '/requests/{request_id}', {
  summary: 'One logged call: what was sent, the canonical string, the verdict of each check, what was answered.',
  handle({ operator, world, params }) {
    const entry = world.log.find(params['request_id'] ?? '')
    if (!entry) throw new Problem(404, 'the log of this world has no such request, or has it no more')
    return ok(presentLoggedCall(entry, createRedactor(operator.worlds.list())))
  },
})

export const requestRoutes = [list, show]
