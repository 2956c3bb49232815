import { CASE_STEPS } from '../../contract/case-states.ts'
import { ApiError } from '../../contract/errors.ts'
import { either, flag, number, object, optional, type Schema, text } from '../../contract/schema.ts'
import { caseTimelines, findCase } from '../../sandbox/brokerage/cases.ts'
import { presentTimeline } from '../../sandbox/events/events.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { fitsFormat } from '../../sandbox/wire/validation.ts'
import { domainIn, type Fields, refusalsOf, refusingWith } from './answers.ts'
import { both, changing, type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { openingOnce } from './pages.ts'
import {
  type AnyInput,
  accepting,
  altering,
  eachOf,
  findingSome,
  handlingAfter,
  handlingBefore,
  isOfLaterPartner,
  isOfThirtyDays,
  keeping,
  lacking,
  listing,
  listingRefused,
  readAgain,
  servingAnyone,
} from './routes.ts'

const ANY: Schema<unknown> = either<unknown>(text(), number(), flag(), object({}, { open: true }))

const LAX = object({ tier: ANY, buyer_email: ANY, budget: ANY, domain: optional(text({ format: 'domain' })) })

const IS_SOUND: Record<FieldName, (value: unknown) => boolean> = {
  tier: (tier) => tier === 'managed' || tier === 'self_serve',
  buyer_email: (email) => typeof email === 'string' && fitsFormat('email', email),
  budget: (budget) => Number.isSafeInteger(budget) && Number(budget) > 0,
}

/** The value that a case gets in place of one that should have been refused. */
const USUAL: Record<FieldName, unknown> = { tier: 'managed', buyer_email: 'buyer@example.test', budget: 100 }

/** How a lenient server may read a word that is one of a few. */
const LENIENT_READINGS: Record<string, (word: string) => string> = {
  'in-any-case': (word) => word.toLowerCase(),
  'without-white-space': (word) => word.trim(),
  'with-dashes': (word) => word.replaceAll('-', '_'),
  'by-its-beginning': (word) => (word.startsWith('managed') ? 'managed' : word),
}

/** Mistakes of brokerage. */
export const brokerageDefects: readonly Defect[] = [
  defect('brokerage-of-nothing', ['BRK-01'], {
    summary: 'No domain can be brokered.',
    ...altering('brokerage.eligibility', () => ({ eligible: false, reason: 'active_site' })),
  }),
  defect('brokerage-of-anything', ['BRK-01'], {
    summary: 'Every domain can be brokered, even one with an active site.',
    ...altering('brokerage.eligibility', () => ({ eligible: true, reason: null })),
  }),
  defect('eligibility-of-unlisted-crashes', ['BRK-01'], {
    summary: 'Whether a domain can be brokered that is not listed is answered 500.',
    ...handlingBefore('brokerage.eligibility', ({ world, query }) => {
      if (findListing(world, domainIn(query)) === null) throw new Error('no such row')
    }),
  }),
  defect('case-without-id', ['BRK-02'], {
    summary: 'Opening a case is answered without its case_id.',
    ...lacking('brokerage.create', 'case_id'),
  }),
  defect('case-without-progress-link', ['BRK-02'], {
    summary: 'Opening a case is answered without a progress link.',
    ...lacking('brokerage.create', 'progress_url'),
  }),
  defect('progress-link-is-that-of-the-buyer', ['BRK-02'], {
    summary: 'All cases of a buyer have the progress link of the first.',
    ...altering('brokerage.create', ({ progress_url: url, buyer_email: email }, { world }) => {
      const first = progressLinks(world).get(email) ?? url
      progressLinks(world).set(email, first)
      return { progress_url: first }
    }),
  }),
  defect('progress-links-open-once', ['BRK-02'], {
    summary: 'The progress link of a case opens once.',
    ...openingOnce('case-progress'),
  }),
  defect('cases-answered-as-managed', ['BRK-02'], {
    summary: 'The answer to a new case says managed, whatever its tier is.',
    ...altering('brokerage.create', () => ({ tier: 'managed' })),
  }),
  ...Object.entries(LENIENT_READINGS).map(([how, read]) =>
    defect(`case-of-tier-${how}`, ['BRK-03'], {
      summary: `A tier is read ${how.replaceAll('-', ' ')}.`,
      ...letting('tier', (tier) => typeof tier === 'string' && IS_SOUND.tier(read(tier))),
    }),
  ),
  defect('case-malformed-is-422', ['BRK-03'], {
    summary: 'A malformed case is refused with validation_error and status 422.',
    ...refusingWith(refusalsOf('brokerage.create', 'validation_error'), 422, 'validation_error'),
  }),
  defect('case-of-another-is-readable', ['BRK-04'], {
    summary: 'Any partner can read any case by its id.',
    ...servingAnyone('brokerage.detail', ownerOfCase),
  }),
  defect('case-address-is-cut-at-64', ['BRK-04'], {
    summary: 'The detail of a case has the first 64 characters of its buyer_email.',
    ...altering('brokerage.detail', ({ buyer_email: email }) => ({ buyer_email: String(email).slice(0, 64) })),
  }),
  defect('case-is-read-for-thirty-days', ['BRK-04'], {
    summary: 'A case of more than thirty days ago is not found.',
    ...findingSome('brokerage.detail', ({ created_at: at }, input) => isOfThirtyDays(at, input)),
  }),
  defect('case-timeline-missing', ['BRK-04'], {
    summary: 'The detail of a case has no timeline.',
    ...lacking('brokerage.detail', 'timeline'),
  }),
  defect('case-detail-shows-the-case-before', ['BRK-04'], {
    summary: 'The detail of a case shows the tier, the buyer and the budget of the case that was opened before it.',
    ...altering('brokerage.detail', (_, input) => contentsOfCaseBefore(input)),
  }),
  defect('case-budget-of-32-bits', ['BRK-04'], {
    summary: 'A budget beyond 32 bits turns negative or small.',
    ...altering('brokerage.detail', ({ budget }) => ({ budget: Number(budget) | 0 })),
  }),
  defect('case-timeline-is-that-of-its-domain', ['BRK-04'], {
    summary: 'The timeline of a case begins with those of earlier cases for its domain.',
    ...altering('brokerage.detail', ({ domain, timeline, case_id: id }, { world }) => ({
      timeline: [...timelinesBefore(world, domain, String(id)), ...(timeline as Fields[])],
    })),
  }),
  defect('cases-are-read-by-their-key', ['BRK-04'], {
    summary: 'A case is shown to the credential that opened it, and not to another one of the partner.',
    ...servingItsKey(),
  }),
  defect('closed-cases-forget-their-opening', ['BRK-04'], {
    summary: 'The timeline of a closed case has its closing only.',
    ...altering('brokerage.detail', ({ timeline }) => ({ timeline: (timeline as unknown[]).slice(-1) })),
  }),
  defect('case-read-again-lacks-timeline', ['BRK-04'], {
    summary: 'A case that was read before is shown from a cache, which does not keep its timeline.',
    ...readAgain('brokerage.detail', { timeline: [] }),
  }),
  defect('deal-of-self-serve-is-not-told', ['BRK-05'], {
    summary: 'Closing a deal of the tier self_serve emits no event.',
    ...keeping('events.list', ({ data }) => (data as { case?: Fields }).case?.['tier'] !== 'self_serve'),
  }),
  defect('deal-is-told-to-one-partner-only', ['BRK-05'], {
    summary: 'Of all partners, one gets events of its deals.',
    ...keeping('events.list', ({ type }, input) => type !== 'brokerage.case_completed' || !isOfLaterPartner(input)),
  }),
  defect('deal-has-the-time-of-its-case', ['BRK-05'], {
    summary: 'The created_at of brokerage.case_completed is when the case was opened.',
    ...eachOf('events.list', (event, { world }) => {
      const told = (event['data'] as { case?: Fields }).case
      const opened = told && findCase(world, String(told['case_id']))
      return opened ? { ...event, created_at: new Date(opened.createdAtMs).toISOString() } : event
    }),
  }),
  defect('no-deal-is-told-as-one', ['BRK-05'], {
    summary: 'A case that is closed without a deal emits brokerage.case_completed.',
    ...step('close-no-deal', { event: 'brokerage.case_completed' }),
  }),
  defect('deal-yields-no-cut', ['BRK-05'], {
    summary: 'A closed deal earns the partner nothing.',
    ...eachOf('transactions.list', (sale) =>
      sale['payment_model'] === 'brokerage' ? { ...sale, commission_cents: 0 } : sale,
    ),
  }),
  defect('case-that-is-refused-is-listed', ['BRKL-01'], {
    summary: 'A case for a domain that is in a case is refused, and is in the list of cases.',
    ...listingRefused('brokerage.create', 'conflict', 'brokerage.list', (body) => {
      return { ...body, case_id: 'brk_refused', status: 'OPEN' }
    }),
  }),
  defect('case-list-shows-cases-without-a-deal-as-open', ['BRKL-01'], {
    summary: 'The list shows a case that was closed without a deal as open.',
    ...eachOf('brokerage.list', (made) => (made['status'] === 'CLOSED_NO_DEAL' ? { ...made, status: 'OPEN' } : made)),
  }),
  defect('case-list-has-one-case-for-each-domain', ['BRKL-01'], {
    summary: 'Of the cases of one domain the list has the first.',
    ...listing('brokerage.list', (cases) =>
      cases.filter(({ domain }, at) => cases.findIndex((each) => each['domain'] === domain) === at),
    ),
  }),
  defect('cases-listed-with-another-tier', ['BRKL-01'], {
    summary: 'The list of cases has the other tier for each.',
    ...eachOf('brokerage.list', (made) => ({
      ...made,
      tier: made['tier'] === 'managed' ? 'self_serve' : 'managed',
    })),
  }),
]

/** The partner whose case a path names. */
function ownerOfCase({ world, params }: AnyInput): string | undefined {
  return findCase(world, params['case_id'] ?? '')?.partnerId
}

/** What the case was opened with that comes before the one that a path names; nothing for the first. */
function contentsOfCaseBefore({ world, params }: AnyInput): Fields {
  const before = world.db.prepare(
    'SELECT tier, buyer_email, budget_cents AS budget FROM brokerage_cases WHERE seq < ? ORDER BY seq DESC LIMIT 1',
  )
  return (before.get(findCase(world, params['case_id'] ?? '')?.seq) ?? {}) as Fields
}

function step(name: keyof typeof CASE_STEPS, change: { event: 'order.settled' | 'brokerage.case_completed' | null }) {
  return changing('brokerage', { steps: { ...CASE_STEPS, [name]: { ...CASE_STEPS[name], ...change } } })
}

type FieldName = 'tier' | 'buyer_email' | 'budget'

/** A server that accepts some values of a field which it should refuse. */
function letting(name: FieldName, passes: (value: unknown) => boolean): Tampered {
  return accepting('brokerage.create', { body: LAX }, (input, correct) => {
    const value = input.body[name]
    const isLet = !IS_SOUND[name](value) && passes(value)
    const body = isLet ? { ...input.body, [name]: USUAL[name] } : input.body
    refuseMalformed(body)
    return correct({ ...input, body })
  })
}

function refuseMalformed(body: Fields): void {
  for (const name of Object.keys(IS_SOUND) as FieldName[]) {
    if (!IS_SOUND[name](body[name])) throw new ApiError('validation_error', `${name} is malformed`)
  }
}

function timelinesBefore(world: World, domain: unknown, caseId: string): Fields[] {
  const before = world.db.prepare('SELECT seq FROM brokerage_cases WHERE domain = ? AND seq < ? ORDER BY seq').pluck()
  const earlier = before.all(domain, findCase(world, caseId)?.seq) as number[]
  return earlier.flatMap((seq) => presentTimeline(world, caseTimelines.of(world.db, seq)) as unknown as Fields[])
}

const progressLinks = perWorld(() => new Map<unknown, unknown>())

/** A server that shows a case to the credential that has opened it. */
function servingItsKey(): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  return both(
    handlingAfter('brokerage.create', ({ world, caller }, made) => makers(world).set(made['case_id'], caller.keyId)),
    findingSome('brokerage.detail', (made, { world, caller: { keyId } }) => {
      return (makers(world).get(made['case_id']) ?? keyId) === keyId
    }),
  )
}
