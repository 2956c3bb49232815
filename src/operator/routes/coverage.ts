import { object, oneOf, optional } from '../../contract/schema.ts'
import { restartCoverage } from '../../sandbox/coverage/restart.ts'
import { presentCoverage } from '../present-coverage.ts'
import { DONE, ok, worldRoute } from '../route.ts'

const show = worldRoute('GET', '/coverage', {
  summary:
    'What the clients of a world have met of the contract: a `summary` and `sections` of `rows`, each with its `state`, how often, when, and a `hint` how to meet it. With `format` html one page to be kept or sent.',
  query: object({ format: optional(oneOf(['json', 'html'])) }),
  async handle({ operator, world, query }) {
    // Loaded by the first who asks: a start needs none of it.
    const { coverageOf } = await import('../../sandbox/coverage/report.ts')
    const report = await coverageOf(world)
    if (query.format !== 'html') return ok(presentCoverage(report, operator.version))
    // It brings the renderer.
    const { coverageSheet, SHEET_POLICY } = await import('../../sandbox/coverage/sheet-page.tsx')
    return {
      status: 200,
      raw: coverageSheet(report, operator.version),
      type: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': SHEET_POLICY },
    }
  },
})

const restart = worldRoute('DELETE', '/coverage', {
  summary: 'Begins to count anew; orders, events and everything else stay as they are: 204.',
  handle({ world }) {
    restartCoverage(world)
    return DONE
  },
})

export const coverageRoutes = [show, restart]
