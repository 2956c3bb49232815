import { formatInstant } from '../../clock/instant.ts'
import type { CaseState, CaseTier } from '../../contract/case-states.ts'
import type { TimelineEntry } from '../events/timeline.ts'
import { claimedWorld } from '../kernel/page-token.ts'
import type { World } from '../kernel/world.ts'
import { type Page, PageRefusal, type PageReply, type PageRequest, valueIn } from '../wire/page.ts'
import { document } from '../wire/page-kit/document.tsx'
import { Layout } from '../wire/page-kit/layout.tsx'
import { Facts, Notice } from '../wire/page-kit/parts.tsx'
import { caseOfToken, caseTimeline } from './cases.ts'
import type { BrokerageCase } from './types.ts'

const STATES: Record<CaseState, { title: string; now: string; mood: 'plain' | 'good' }> = {
  OPEN: { title: 'Opened', now: 'We have your request and will start talks soon.', mood: 'plain' },
  NEGOTIATING: { title: 'Negotiating', now: 'We are talking with the owner.', mood: 'plain' },
  DEAL_CLOSED: { title: 'Deal closed', now: 'The owner has agreed, and the deal is closed.', mood: 'good' },
  CLOSED_NO_DEAL: { title: 'Closed without a deal', now: 'This search ended without a deal.', mood: 'plain' },
}

const TIERS: Record<CaseTier, string> = {
  managed: 'Managed: a broker acts for you',
  self_serve: 'Self-serve: you lead the talks',
}

/**
 * What a buyer sees of a case, without a login, by the link that opening it returned (BRK-02). Anyone with the link sees
 * the same, so it shows no price, no budget and no whole e-mail address, and it changes nothing.
 */
export const caseProgressPage: Page = {
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
  return { status: 200, body: document(<Progress found={found} timeline={caseTimeline(world, found)} />) }
}

function Progress({ found, timeline }: { found: BrokerageCase; timeline: readonly TimelineEntry<CaseState>[] }) {
  const { now, mood } = STATES[found.status]
  return (
    <Layout title={found.domain === null ? 'Your domain search' : `Your request for ${found.domain}`}>
      <Notice kind={mood}>
        <p>{now}</p>
      </Notice>
      <Facts
        rows={[
          ['Status', STATES[found.status].title],
          ['Domain', found.domain ?? 'Not chosen yet'],
          ['Service', TIERS[found.tier]],
          ['Buyer', masked(found.buyerEmail)],
          ['Case', <code key="case">{found.caseId}</code>],
        ]}
      />
      <h2>Timeline</h2>
      <ol class="timeline">
        {timeline.map(({ status, atMs, note }) => (
          <li key={atMs}>
            <strong>{STATES[status].title}</strong> <Instant atMs={atMs} />
            {note !== null && <p>{note}</p>}
          </li>
        ))}
      </ol>
    </Layout>
  )
}

function Instant({ atMs }: { atMs: number }) {
  const iso = formatInstant(atMs)
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>
}

/** Enough of an address for its owner to know it again. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}•••${email.slice(at)}`
}
