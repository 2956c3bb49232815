import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Step } from '../format/scenario.ts'
import { durationOf, expectsRefusal } from '../format/step-facts.ts'
import type { Target } from './target.ts'

/** How long each is waited for, where the target file does not say. Away from loopback others are served as well. */
const USUAL_MS = { loopback: 5_000, elsewhere: 30_000 } as const

/** As many deliveries may be on their way to other scenarios first. */
const USUAL_FOR_DELIVERIES_MS = { loopback: 10_000, elsewhere: 60_000 } as const

/** Who waits for whom. */
interface Waiting {
  loopback: boolean
  target: Pick<Target, 'patience'>
}

/** A target that answers slowly does all else slowly, too: it is waited for so many times as long, but no longer than one elsewhere. */
const ANSWERS_OF_PATIENCE = 20

/** The longest that any of these may take. */
function patienceMs(
  { target, loopback }: Waiting,
  kinds: (keyof Target['patience'])[],
  slowestAnswerMs: number,
): number {
  const usual = (kind: keyof Target['patience']): number => {
    const { loopback: near, elsewhere } = kind === 'deliveries' ? USUAL_FOR_DELIVERIES_MS : USUAL_MS
    return loopback ? Math.min(elsewhere, Math.max(near, ANSWERS_OF_PATIENCE * slowestAnswerMs)) : elsewhere
  }
  return Math.max(...kinds.map((kind) => target.patience[kind] ?? usual(kind)))
}

/**
 * How long a step waits at most for what it expects; 0 where nothing of it may come later.
 *
 * @param slowestAnswerMs how long the target took for its slowest answer to this scenario so far.
 */
export function longestWaitMs(run: Waiting, step: Step, slowestAnswerMs: number): number {
  const { call, events } = step
  const within = durationOf(call?.until ?? events?.within) ?? 0
  if (events) {
    const place = events.hook === undefined ? 'events' : 'deliveries'
    const isRefund = events.type === undefined || events.type === 'order.refunded'
    return Math.max(within, patienceMs(run, isRefund ? [place, 'refunds'] : [place], slowestAnswerMs))
  }
  if (call?.until !== undefined)
    return Math.max(within, patienceMs(run, [kindOfRead(call.op) ?? 'reports'], slowestAnswerMs))
  const kind = call && step.fault === undefined && !expectsRefusal(step) ? kindOfRead(call.op) : null
  return kind === null ? 0 : patienceMs(run, [kind], slowestAnswerMs)
}

/** How long a hook holds its answer back: longer than the deadline by as much as the scenario says, whatever the deadline is here. */
export function heldBackMs(
  { webhookDeadlineMs }: Pick<Target, 'webhookDeadlineMs'>,
  answer: NonNullable<Step['hook']>['answer'],
): number {
  const after = typeof answer === 'object' && 'after' in answer ? answer.after : undefined
  const ms = durationOf(after) ?? 0
  return webhookDeadlineMs === undefined ? ms : Math.round((ms * webhookDeadlineMs) / LIMITS.webhookTimeoutMs)
}

/** What the answer of an operation may show late; null if nothing happens after it. */
function kindOfRead(op: EndpointId | undefined): keyof Target['patience'] | null {
  if (op === 'events.list') return 'events'
  if (op === 'orders.list' || op === 'orders.detail') return 'refunds'
  return op !== undefined && REPORTS.has(op) ? 'reports' : null
}

const REPORTS: ReadonlySet<EndpointId> = new Set(
  ENDPOINT_IDS.filter((id) => {
    const { effect, section, timeline } = ENDPOINTS[id]
    const isReport = section === 'Settlement and reporting' || section === 'Referral' || timeline === 'case'
    return effect === 'read' && isReport
  }),
)
