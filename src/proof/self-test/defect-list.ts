import { listDefects } from '../defects/index.ts'

/** A defect, as lists show it. */
export interface DefectRow {
  id: string
  breaks: readonly string[]
  summary: string
}

/** The ids that `serve --defect` and `selftest --defect` accept. */
export function defectList(): DefectRow[] {
  return listDefects().map(({ id, breaks, summary }) => ({ id, breaks, summary }))
}
