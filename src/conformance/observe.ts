import { isDeepStrictEqual } from 'node:util'
import { isAccepted } from './answer.ts'
import type { Turn } from './conversation.ts'
import type { CheckDraft } from './drafts.ts'
import { eventValue, type HistoryEvent } from './history.ts'
import type { Subject } from './judge.ts'
import { shown } from './matcher.ts'
import type { PageVisit } from './pages/browse.ts'
import { factOf, isPageFact } from './pages/page-facts.ts'
import { findValue } from './references.ts'
import type { Observation } from './result.ts'
import type { ObserveItem, Step } from './scenario.ts'
import type { Session } from './session.ts'
import { observationsOf } from './steps.ts'

/** Records what a target does with open points. Nothing here can fail; a pinned answer that changed is drift. */
export function observe(
  session: Session,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
): { drafts: CheckDraft[]; observations: Observation[] } {
  const drafts: CheckDraft[] = []
  const observations: Observation[] = []
  for (const item of observationsOf(step)) {
    const value = taken(session, item, subject)
    const gap = item.as === undefined ? item.gap : `${item.gap}/${item.as}`
    const base = { step: name, requirement: item.gap, expected: 'open', actual: shown(value ?? 'no answer'), exchange }
    if (value === null) {
      drafts.push({ ...base, verdict: 'inconclusive', note: 'the connection broke' })
      continue
    }
    observations.push({ gap, value, scenario: session.scenario })
    const { pins } = session.campaign.target
    const drifted = Object.hasOwn(pins, gap) && !isDeepStrictEqual(pins[gap], value)
    drafts.push(
      drifted
        ? { ...base, verdict: 'drift', expected: `as pinned: ${shown(pins[gap])}` }
        : { ...base, verdict: 'observed' },
    )
  }
  return { drafts, observations }
}

function taken(session: Session, { take = 'outcome' }: ObserveItem, subject: Subject): unknown {
  if (subject.kind === 'events') return ofEvents(subject.events, take)
  if (subject.kind === 'pages') return ofPage(subject.visits[0]?.visit, take)
  if (subject.kind === 'burst')
    return take === 'count'
      ? subject.turns.filter(({ answer }) => isAccepted(answer)).length
      : tally(session, subject.turns)
  const { answer } = subject.turn
  if (!answer) return null
  if (take === 'outcome') return outcomeInWords(session, subject.turn)
  if (take === 'status') return answer.status
  const found = findValue(session, answer, take === 'code' ? 'error.code' : take)
  return found.found ? found.value : `no ${take}`
}

/** How many came; of a path, its value in the first. */
function ofEvents(events: readonly HistoryEvent[], take: string): unknown {
  const [first] = events
  if (take === 'count' || take === 'outcome' || !first) return events.length
  return eventValue(first, take) ?? `no ${take}`
}

function ofPage(visit: PageVisit | undefined, take: string): unknown {
  if (!visit?.answer) return null
  if (take === 'status') return visit.answer.status
  if (!isPageFact(take)) return visit.location === null ? visit.answer.status : `${visit.answer.status} elsewhere`
  const found = factOf(visit, take)
  return 'value' in found ? (found.value ?? `no ${take}`) : found.unknown
}

function outcomeInWords(session: Session, { answer }: Turn): string {
  if (!answer) return 'no answer'
  if (isAccepted(answer)) return 'accepted'
  const code = findValue(session, answer, 'error.code')
  return code.found ? `${String(code.value)} ${answer.status}` : `${answer.status}`
}

/** How often each outcome came, in a fixed order. */
function tally(session: Session, turns: readonly Turn[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of turns.map((turn) => outcomeInWords(session, turn)).sort())
    counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
