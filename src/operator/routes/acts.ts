import { formatInstant } from '../../clock/instant.ts'
import { integer, object, optional } from '../../contract/schema.ts'
import type { Act } from '../../sandbox/app/act-log.ts'
import { ok, worldRoute } from '../route.ts'

const USUAL_PAGE = 1_000

const list = worldRoute('GET', '/acts', {
  summary:
    'What operators have changed, oldest first: `acts`, `next_cursor`. `after_request` puts each behind a call of the log.',
  query: object({
    limit: optional(integer({ minimum: 1, maximum: 1_000 })),
    cursor: optional(integer({ minimum: 0, description: 'next_cursor of the page before.' })),
  }),
  handle({ world, query: { limit = USUAL_PAGE, cursor = 0 } }) {
    const found = world.acts.after(cursor)
    const page = found.slice(0, limit)
    return ok({
      acts: page.map(presentAct),
      next_cursor: found.length > limit ? String(page.at(-1)?.position) : null,
    })
  },
})

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

export const actRoutes = [list]
