import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import { asksToBeFilledIn, FILL_IN } from './fill-in.ts'

/** Nothing of a template is left: what nobody filled in would pass for a check that somebody thought about. */
export function lintFillIn(value: unknown, report: Report, path: DocumentPath = []): void {
  if (asksToBeFilledIn(value))
    report(path, `"${path.at(-1)}" is still to be filled in: write what is asked for in the place of ${FILL_IN}`)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    lintFillIn(inner, report, [...path, Array.isArray(value) ? Number(key) : key])
}
