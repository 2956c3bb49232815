import type { CaseState, CaseTier } from '../../contract/case-states.ts'
import type { TimelineEntry } from '../events/events.ts'
import { claimedWorld } from '../kernel/page-token.ts'
import type { World } from '../kernel/world.ts'
import { PageRefusal, type PageReply, type PageRequest, type PageRoute, valueIn } from '../wire/page.ts'
import { document, Layout } from '../wire/page-kit/layout.tsx'
import { Facts, Instant } from '../wire/page-kit/parts.tsx'
import { type BrokerageCase, caseOfToken, caseTimelines } from './cases.ts'

const STATES: Record<CaseState, { title: string; now: string }> = {
  OPEN: { title: 'Opened', now: 'We have your request and will start talks soon.' },
  NEGOTIATING: { title: 'Negotiating', now: 'We are talking with the owner.' },
  DEAL_CLOSED: { title: 'Deal closed', now: 'The owner has agreed.' },
  CLOSED_NO_DEAL: { title: 'Closed without a deal', now: 'This search ended without a deal.' },
}

const TIERS: Record<CaseTier, string> = {
  managed: 'Managed: a broker acts for you',
  self_serve: 'Self-serve: you lead the talks',
}

/**
 * What a buyer sees of a case, without a login, by the link that opening it returned (BRK-02). Anyone with the link sees
 * the same, so it shows no price, no budget and no whole e-mail address, and it changes nothing.
 */
export const caseProgressPage: PageRoute = {
  writes: false,
  worldOf: (request) => request.worlds.find(claimedWorld(tokenOf(request))),
  handle(request, world) {
    const found = world && caseOfToken(world, tokenOf(request))
    // Unknown, altered and of a world that was reset: the same answer for all.
    if (!world || !found) throw new PageRefusal(404, 'the token opens no case')
    return shown(world, found)
  },
}

function tokenOf({ query }: PageRequest): string {
  return valueIn(query, 'pt') ?? ''
}

function shown(world: World, found: BrokerageCase): PageReply {
  return { status: 200, body: document(<Progress found={found} timeline={caseTimelines.of(world.db, found.seq)} />) }
}

type Timeline = readonly TimelineEntry<CaseState>[]

function Progress({ found, timeline }: { found: BrokerageCase; timeline: Timeline }) {
  return (
    <Layout title={found.domain === null ? 'Your domain search' : `Your request for ${found.domain}`} shape="roomy">
      <p class="lead">{STATES[found.status].now}</p>
      <ol class="steps">
        {stepsOf(found, timeline).map((step) => (
          <StepItem key={step.title} {...step} />
        ))}
      </ol>
      <Facts rows={factsOf(found)} />
      <Notes timeline={timeline} />
      <p class="small">
        Case <code>{found.caseId}</code>
      </p>
    </Layout>
  )
}

function factsOf({ domain, tier, buyerEmail }: BrokerageCase): [name: string, value: string][] {
  const known: [string, string][] = [
    ['Service', TIERS[tier]],
    ['Buyer', masked(buyerEmail)],
  ]
  return domain === null ? [['Domain', 'Not chosen yet'], ...known] : known
}

/** A stage on the way from opening a case to its end. */
interface Stage {
  title: string
  progress: 'done' | 'current' | 'ahead' | 'skipped'
  /** When it was reached last. */
  atMs: number | null
}

function stepsOf({ status }: BrokerageCase, timeline: Timeline): Stage[] {
  const isClosed = status === 'DEAL_CLOSED' || status === 'CLOSED_NO_DEAL'
  const reached = (state: CaseState) => timeline.findLast((entry) => entry.status === state)?.atMs ?? null
  const before = (state: CaseState): Stage => {
    const atMs = reached(state)
    const progress = status === state ? 'current' : atMs !== null ? 'done' : isClosed ? 'skipped' : 'ahead'
    return { title: STATES[state].title, progress, atMs }
  }
  const end: Stage = isClosed
    ? { title: STATES[status].title, progress: 'done', atMs: reached(status) }
    : { title: 'Closed', progress: 'ahead', atMs: null }
  return [before('OPEN'), before('NEGOTIATING'), end]
}

function StepItem({ title, progress, atMs }: Stage) {
  return (
    <li class={progress} {...(progress === 'current' && { 'aria-current': 'step' as const })}>
      <span class="dot" aria-hidden="true" />
      <strong>{title}</strong>
      {atMs === null ? (
        <span class="small">{progress === 'skipped' ? 'Skipped' : 'Not yet'}</span>
      ) : (
        <Instant atMs={atMs} />
      )}
    </li>
  )
}

/** What was noted at a step. */
function Notes({ timeline }: { timeline: Timeline }) {
  const noted = timeline.filter(({ note }) => note !== null)
  if (noted.length === 0) return null
  return (
    <>
      <h2>Notes</h2>
      <ul class="notes">
        {noted.map(({ atMs, note }) => (
          <li key={atMs}>
            <Instant atMs={atMs} />
            <p>{note}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Enough of an address for its owner to know it again. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}•••${email.slice(at)}`
}
