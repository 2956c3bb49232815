import { type RenderOptions, reportModelOf } from '../../../src/conformance/reports/report-model.ts'
import { REPORTER_NAMES, REPORTERS as ROWS } from '../../../src/conformance/reports/reporters.ts'
import type { RunResult } from '../../../src/conformance/result/result.ts'

type Rendering = { render(run: RunResult, options: RenderOptions): string }

/** Every report, loaded and made of a run. */
export const REPORTERS = Object.fromEntries(
  await Promise.all(
    REPORTER_NAMES.map(async (name): Promise<[keyof typeof ROWS, Rendering]> => {
      const reporter = await ROWS[name].load()
      return [name, { render: (run, options) => reporter.render(reportModelOf(run), options) }]
    }),
  ),
) as Record<keyof typeof ROWS, Rendering>
