import { formatDuration, parseDuration } from '../../clock/duration.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { WrittenProgress, WrittenRules } from '../../operator-api/rows/worlds.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { LEAST_SETTLE_EVERY_MS, type Progress } from '../../sandbox/kernel/settings.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import { setProgress, setSettings } from '../../sandbox/worlds/world-facts.ts'
import { USUAL_COMMISSION } from '../../sandbox/worlds/world-options.ts'
import { problem } from '../problems.ts'
import { type HandlersOf, ok } from '../route.ts'

export const settingHandlers: HandlersOf<'progress' | 'rules' | 'rateLimit' | 'hints'> = {
  'progress.show': ({ world }) => ok(presentProgress(world)),
  'progress.set'({ world, body }) {
    setProgress(world, readProgress(body))
    return ok(presentProgress(world))
  },
  'rules.show': ({ world }) => ok(presentRules(world)),
  'rules.set'({ world, body }) {
    const { commission, review } = readRules(body)
    setSettings(world, { commission: { ...USUAL_COMMISSION, ...commission }, review })
    return ok(presentRules(world))
  },
  'rateLimit.show': ({ world }) => ok(presentRateLimit(world)),
  'rateLimit.set'({ world, body }) {
    setSettings(world, { rateLimit: body.requests === 0 ? null : body })
    return ok(presentRateLimit(world))
  },
  'hints.show': ({ world }) => ok(presentHints(world)),
  'hints.set'({ world, body }) {
    setSettings(world, { hints: body.hints ?? false })
    return ok(presentHints(world))
  },
}

/** @throws Problem 400 naming the member that is not a duration, or one that is too short. */
export function readProgress(written: 'manual' | WrittenProgress): Omit<Progress, 'sinceMs'> {
  const read = written === 'manual' ? {} : written
  const startAfterMs = durationOf('start_after', read.start_after)
  const completeAfterMs = durationOf('complete_after', read.complete_after)
  const settleEveryMs = durationOf('settle_every', read.settle_every)
  if (settleEveryMs !== null && settleEveryMs < LEAST_SETTLE_EVERY_MS) {
    throw problem('settle-every-too-short', { least: formatDuration(LEAST_SETTLE_EVERY_MS) })
  }
  return { startAfterMs, completeAfterMs, settleEveryMs }
}

/** @throws Problem 400 for a text that is not a duration. */
export function durationOf(name: string, written: string | null | undefined): number | null {
  if (written === null || written === undefined) return null
  const durationMs = parseDuration(written)
  if (durationMs === null) throw problem('bad-duration-or-null', { name, value: quoted(written) })
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

/** Rates that were not said stay as usual. */
export function readRules({ commission = {}, review = {} }: WrittenRules = {}) {
  const { price_above_cents: priceAboveCents = null, buyer_countries } = review
  return {
    commission: fromWire(commission),
    review: { priceAboveCents, buyerCountries: [...new Set(buyer_countries)] },
  }
}

export function presentRules({ settings: { review, commission } }: Environment) {
  return {
    commission: {
      partner_collected_basis_points: commission.partnerCollectedBasisPoints,
      hosted_checkout_basis_points: commission.hostedCheckoutBasisPoints,
      brokerage_basis_points: commission.brokerageBasisPoints,
    },
    review: { price_above_cents: review.priceAboveCents, buyer_countries: [...review.buyerCountries] },
  }
}

/** The limit of each credential; 0 requests means no limit. */
function presentRateLimit({ settings }: Environment) {
  return { requests: settings.rateLimit?.requests ?? 0, seconds: settings.rateLimit?.seconds ?? 1 }
}

function presentHints({ settings }: Environment) {
  return { hints: settings.hints ?? false }
}
