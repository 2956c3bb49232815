import { formatDuration, parseDuration } from '../../clock/duration.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { WrittenProgress, WrittenRules } from '../../operator-api/rows/worlds.ts'
import type { CommissionRates, Progress, ReviewRule } from '../../sandbox/kernel/settings.ts'
import { LEAST_SETTLE_EVERY_MS } from '../../sandbox/settlement/automatic-runs.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { setProgress, setRateLimit, setRules } from '../../sandbox/worlds/settings.ts'
import { USUAL_COMMISSION } from '../../sandbox/worlds/world-options.ts'
import { problem } from '../problem.ts'
import { type HandlersOf, ok } from '../route.ts'

export const settingHandlers: HandlersOf<'progress' | 'rules' | 'rateLimit'> = {
  'progress.show': ({ world }) => ok(presentProgress(world)),
  'progress.set'({ world, body }) {
    setProgress(world, readProgress(body))
    return ok(presentProgress(world))
  },
  'rules.show': ({ world }) => ok(presentRules(world)),
  'rules.set'({ world, body }) {
    setRules(world, { commission: { ...USUAL_COMMISSION, ...readCommission(body) }, review: readReview(body) })
    return ok(presentRules(world))
  },
  'rateLimit.show': ({ world }) => ok(presentRateLimit(world)),
  'rateLimit.set'({ world, body }) {
    setRateLimit(world, body.requests === 0 ? null : body)
    return ok(presentRateLimit(world))
  },
}

/** @throws Problem 400 naming the member that is not a duration, or one that is too short. */
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
    throw problem('settle-every-too-short', { least: formatDuration(LEAST_SETTLE_EVERY_MS) })
  }
  return durationMs
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

export function readReview(written: WrittenRules | undefined): ReviewRule {
  const { price_above_cents, buyer_countries } = written?.review ?? {}
  return { priceAboveCents: price_above_cents ?? null, buyerCountries: [...new Set(buyer_countries)] }
}

/** The rates that were said; the others stay as usual. */
export function readCommission(written: WrittenRules | undefined): Partial<CommissionRates> {
  return fromWire(written?.commission ?? {})
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

/** The limit of each credential; 0 requests is no limit. */
function presentRateLimit({ settings }: Environment) {
  return { requests: settings.rateLimit?.requests ?? 0, seconds: settings.rateLimit?.seconds ?? 1 }
}
