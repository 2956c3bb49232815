import { formatInstant } from '../../clock/instant.ts'
import type { Act } from '../../sandbox/app/act-log.ts'
import { LOG_LIMITS, type LoggedCall } from '../../sandbox/app/request-log.ts'
import { summariseLoggedCall } from '../present-request.ts'
import { type Problem, problem } from '../problem.ts'
import { fits } from '../request-filter.ts'
import { type HandlersOf, type Operator, ok } from '../route.ts'

const USUAL_PAGE = 50
const USUAL_ACTS_PAGE = 1_000

export const requestHandlers: HandlersOf<'requests' | 'acts'> = {
  'requests.list'({ operator, world, query }) {
    const { limit = USUAL_PAGE, ...filter } = query
    const wanted = fits(filter, operator.worlds.redactor())
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
  async 'requests.show'({ operator, world, params: { request_id: id } }) {
    const entry = world.log.find(id)
    if (!entry) throw notLogged(id, `the log of the world ${world.name}`)
    return ok(await shown(entry, operator))
  },
  async 'requests.find'({ operator, params: { request_id: id } }) {
    for (const world of operator.worlds.list()) {
      const entry = world.log.find(id)
      if (entry) return ok(await shown(entry, operator))
    }
    throw notLogged(id, 'the log of any world')
  },
  'acts.list'({ world, query: { limit = USUAL_ACTS_PAGE, cursor = 0 } }) {
    const found = world.acts.after(cursor)
    const page = found.slice(0, limit)
    return ok({
      acts: page.map(presentAct),
      next_cursor: found.length > limit ? String(page.at(-1)?.position) : null,
    })
  },
}

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
  return problem('not-logged', { id, where, entries: LOG_LIMITS.entries.toLocaleString('en') })
}

function presentAct(act: Act) {
  return {
    position: act.position,
    at: formatInstant(act.atMs),
    world_time: { from: formatInstant(act.fromMs), to: formatInstant(act.toMs) },
    after_request: act.afterCall,
    operation: act.operation,
    params: act.params,
    body: act.body,
  }
}
