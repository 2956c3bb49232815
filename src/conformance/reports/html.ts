import { page } from './html/page.ts'
import type { Reporter } from './reporter.ts'

/**
 * One file for people: it needs nothing beside it, runs no script and asks nobody for anything, so it can be sent, printed
 * and kept.
 */
export const htmlPage: Reporter = {
  wants: 'every-exchange',
  render: page,
}
