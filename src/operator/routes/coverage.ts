import { DONE, type HandlersOf, ok } from '../route.ts'

export const coverageHandlers: HandlersOf<'coverage'> = {
  async 'coverage.show'({ operator, world, query }) {
    // Loaded by the first who asks: a start needs none of it.
    const { coverageOf } = await import('../../sandbox/coverage/report.ts')
    const report = coverageOf(world, operator)
    if (query.format !== 'html') return ok(report)
    // It brings the renderer.
    const { coverageSheet, SHEET_POLICY } = await import('../../sandbox/coverage/sheet-page.tsx')
    return {
      status: 200,
      raw: coverageSheet(report),
      type: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': SHEET_POLICY },
    }
  },
  'coverage.reset'({ world }) {
    world.coverage.restart()
    return DONE
  },
}
