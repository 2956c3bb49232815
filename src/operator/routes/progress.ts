import { DURATION_WORDS, formatDuration, parseDuration } from '../../clock/duration.ts'
import { either, nullable, object, oneOf, optional, type Schema, text } from '../../contract/schema.ts'
import type { Progress } from '../../sandbox/kernel/settings.ts'
import { LEAST_SETTLE_EVERY_MS } from '../../sandbox/settlement/automatic-runs.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { setProgress } from '../../sandbox/worlds/settings.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

/** How a world goes on by itself, as it is written; what is left out or null never happens. */
interface WrittenProgress {
  start_after?: string | null
  complete_after?: string | null
  settle_every?: string | null
}

const duration = optional(nullable(text({ maxLength: 40 })))
const progressBody: Schema<WrittenProgress> = object({
  start_after: duration,
  complete_after: duration,
  settle_every: duration,
})

/** For a new world the word `manual` will do as well. */
export const newWorldProgress: Schema<'manual' | WrittenProgress> = either<'manual' | WrittenProgress>(
  oneOf(['manual']),
  progressBody,
)

/** @throws Problem 400 naming the member that is no duration, or one that is too short. */
export function readProgress(written: 'manual' | WrittenProgress): Omit<Progress, 'sinceMs'> {
  const read = written === 'manual' ? {} : written
  return {
    startAfterMs: durationOf('start_after', read.start_after),
    completeAfterMs: durationOf('complete_after', read.complete_after),
    settleEveryMs: settleEveryOf(read.settle_every),
  }
}

function settleEveryOf(written: string | null | undefined): number | null {
  const durationMs = durationOf('settle_every', written)
  if (durationMs !== null && durationMs < LEAST_SETTLE_EVERY_MS) {
    throw new Problem(400, `settle_every must be null or at least ${formatDuration(LEAST_SETTLE_EVERY_MS)}`)
  }
  return durationMs
}

function durationOf(name: string, written: string | null | undefined): number | null {
  if (written === null || written === undefined) return null
  const durationMs = parseDuration(written)
  if (durationMs === null) {
    throw new Problem(400, `${name} must be null or ${DURATION_WORDS}, not ${quoted(written)}`)
  }
  return durationMs
}

export function presentProgress({ settings: { progress } }: Environment) {
  return {
    start_after: shown(progress.startAfterMs),
    complete_after: shown(progress.completeAfterMs),
    settle_every: shown(progress.settleEveryMs),
  }
}

function shown(durationMs: number | null): string | null {
  return durationMs === null ? null : formatDuration(durationMs)
}

const show = worldRoute('GET', '/progress', {
  summary:
    'What goes on by itself: `start_after`, `complete_after`, `settle_every`, each a duration or null for never.',
  handle: ({ world }) => ok(presentProgress(world)),
})

const set = worldRoute('PUT', '/progress', {
  summary: 'Sets all three; what is left out is null. The progress as it is then.',
  body: progressBody,
  handle({ world, body }) {
    setProgress(world, readProgress(body))
    return ok(presentProgress(world))
  },
})

export const progressRoutes = [show, set]
