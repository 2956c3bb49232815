import { formatInstant } from '../../clock/instant.ts'
import type { CoverageReport } from '../../sandbox/coverage/report.ts'
import { restartCoverage } from '../../sandbox/coverage/restart.ts'
import type { Row, Section } from '../../sandbox/coverage/row.ts'
import type { Met } from '../../sandbox/coverage/tally.ts'
import { DONE, type HandlersOf, ok } from '../route.ts'

export const coverageHandlers: HandlersOf<'coverage'> = {
  async 'coverage.show'({ operator, world, query }) {
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
  'coverage.reset'({ world }) {
    restartCoverage(world)
    return DONE
  },
}

/** Coverage as JSON: the summary first, then every row of every section. */
function presentCoverage(report: CoverageReport, version: string) {
  const { met, of, percent, wrong, notCounted, hasChoices, sections } = report
  return {
    world: report.world,
    seed: report.seed,
    version,
    now: formatInstant(report.atMs),
    since: report.sinceMs === null ? null : formatInstant(report.sinceMs),
    summary: {
      met,
      of,
      percent,
      wrong,
      not_counted: notCounted,
      own_choices: hasChoices,
      sections: sections.map(presentTotal),
    },
    sections: sections.map((section) => ({ ...presentTotal(section), rows: section.rows.map(presentRow) })),
  }
}

function presentTotal({ id, title, met, of }: Section) {
  return { id, title, met, of }
}

function presentRow({ id, title, state, seen, happened, says, requestId, hint }: Row) {
  return {
    id,
    title,
    state,
    ...presentMet(seen),
    happened: happened === null ? null : presentMet(happened),
    says,
    request_id: requestId,
    hint,
  }
}

function presentMet({ count, firstMs, lastMs }: Met) {
  return {
    count,
    first_at: count === 0 ? null : formatInstant(firstMs),
    last_at: count === 0 ? null : formatInstant(lastMs),
  }
}
