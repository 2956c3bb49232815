import { ENDPOINTS } from '../../contract/endpoints.ts'
import { isAccepted } from '../http/answer.ts'
import type { Run } from './run-context.ts'
import type { Turn } from './send-call.ts'
import { noteWorldTime } from './target-clock.ts'

/** Keeps a list of what the run leaves behind: this API deletes nothing. */
export function noteCreated(run: Run, turn: Turn): void {
  const { op } = turn.call
  const row = op === null ? null : ENDPOINTS[op].creates
  if (!row || !isAccepted(turn.answer)) return
  const found = run.dialect.find(row.handles[0].role, turn.answer)
  const at = row.at && run.dialect.find(row.at, turn.answer)
  if (at?.found) noteWorldTime(run, at.value)
  const id = found.found ? String(found.value) : 'unknown'
  if (row.kind === 'order' && !run.learned.recordedAtMs.has(id)) run.learned.recordedAtMs.set(id, run.wall.nowMs())
  if (!run.created.some((thing) => thing.kind === row.kind && thing.id === id)) run.created.push({ kind: row.kind, id })
}
