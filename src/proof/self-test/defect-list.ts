import { listDefects } from '../defects/index.ts'

/** A defect as people choose one. */
export interface DefectRow {
  id: string
  breaks: readonly string[]
  summary: string
}

/** What `serve --defect` and `selftest --defect` take. */
export function defectList(): DefectRow[] {
  return listDefects().map(({ id, breaks, summary }) => ({ id, breaks, summary }))
}
