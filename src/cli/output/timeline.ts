import { column } from './columns.ts'
import { facts } from './facts.ts'
import { isRecord, rowsOf } from './records.ts'
import { table } from './table.ts'

const TIMELINE = [column('AT', 'at'), column('STATUS', 'status'), column('EVENT', 'event_id'), column('NOTE', 'note')]

/** An order or a case: its facts, and below them its timeline. */
export function withTimeline(answer: unknown): string {
  const { timeline, ...shown } = isRecord(answer) ? answer : {}
  return `${facts(shown)}\n${table(rowsOf({ timeline }, 'timeline'), TIMELINE)}`
}
