import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { parameterNames } from '../../contract/wire-names.ts'
import { atomically } from '../../storage/commit-queue.ts'
import type { World } from '../kernel/world.ts'
import type { Answer } from '../wire/answer.ts'
import type { Call } from '../wire/call.ts'
import { noteHistoryPage } from './history-reads.ts'
import type { Setback } from './judge-retry.ts'
import { createRetries } from './retries.ts'
import { codeIn, edgesIn, ownEdge, ownState, setbackOf, statusIn } from './seen-in-answer.ts'
import { createTallies, type Tallies } from './tallies.ts'
import type { Tally } from './tally.ts'

/** What clients have met in a world, as far as it has to be counted when it happens. */
export interface Coverage {
  readonly tallies: Tallies
  /**
   * Counts a call that was answered, or left without an answer. Nothing that a client did depends on it, so what breaks here
   * breaks nothing else: the first failure warns whoever runs the process, the next may well fail in the same way.
   *
   * @param isOwn false for one that belongs to no world: it has no known owner, so it is not a retry of anything.
   */
  note(answered: AnsweredCall, { isOwn }: { isOwn: boolean }): void
  /** Writes down what is counted: before the database is copied. */
  save(): void
  /** Writes down what a world in a file has not written yet, before it is closed; one in memory is not woken for it. */
  end(): void
  /** Forgets what is in memory, once the table has been emptied or replaced. */
  forget(): void
}

export interface AnsweredCall {
  readonly call: Call
  readonly answer: Answer
  readonly worldTimeMs: number
  readonly tookMs: number
}

/** A world whose coverage is counted. */
export interface CountedWorld extends World {
  readonly coverage: Coverage
}

/** A world in a file writes its tallies down so long after the first that changed; a kill loses no more than that. */
const SAVE_AFTER_MS = 1_000

/** Warns whoever runs the process of the first failure of a world alone. */
function createWarning(world: () => World): (error: unknown) => void {
  let hasWarned = false
  return (error) => {
    if (hasWarned) return
    hasWarned = true
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    process.emitWarning(`the coverage of the world ${world().name} is not whole: ${message}`, {
      type: 'CoverageWarning',
      ...(stack !== undefined && { detail: stack }),
    })
  }
}

/** @param world asked for late, because a world and its coverage need each other. */
export function createCoverage(world: () => World): Coverage {
  const tallies = createTallies(() => world().db)
  const retries = createRetries()
  const endpoints = new Map<EndpointId, { called: Tally; accepted: Tally }>()
  let alarm: Alarm | null = null
  const warnOnce = createWarning(world)

  function ofEndpoint(id: EndpointId) {
    const known = endpoints.get(id)
    if (known) return known
    const fresh = { called: tallies.of('called', id), accepted: tallies.of('accepted', id) }
    endpoints.set(id, fresh)
    return fresh
  }

  function save(): void {
    alarm?.cancel()
    alarm = null
    try {
      if (world().db.open) tallies.save()
    } catch {
      // Nothing that a client did depends on it.
    }
  }

  /** In the transaction of whatever calls come just then, and without a sync of its own. */
  function saveSoon(): void {
    if (alarm || world().db.memory) return
    alarm = callAfter(SAVE_AFTER_MS, () => {
      alarm = null
      if (world().db.open) submitSave()
    })
  }

  function submitSave(): void {
    const { db, commits } = world()
    let undo = () => {}
    commits.submit({
      durability: 'process-death',
      run() {
        try {
          atomically(db, () => {
            undo = tallies.save()
          })
        } catch {
          // A disk that is full is the business of the calls that have to write; what is counted is written later.
        }
      },
      settled(failure) {
        if (failure !== undefined) undo()
      },
    })
  }

  function count(answered: AnsweredCall, isOwn: boolean): void {
    if (!world().db.open) return
    const { call, answer, worldTimeMs } = answered
    const isTold = isReadable(call, answer)
    const code = isTold && answer.status >= 400 ? codeIn(answer) : null
    if (code !== null) tallies.add(tallies.of('code', code), worldTimeMs)
    if (call.endpoint !== null) {
      const { called, accepted } = ofEndpoint(call.endpoint)
      tallies.add(called, worldTimeMs)
      if (code !== null) tallies.add(tallies.of('refused', `${call.endpoint} ${code}`), worldTimeMs)
      if (isTold && answer.status < 300) {
        tallies.add(accepted, worldTimeMs)
        noteAccepted(world(), tallies, call.endpoint, answered)
      }
    }
    if (isOwn) noteRetry(answered, isTold ? setbackOf(answer, code) : 'lost_reply')
    saveSoon()
  }

  return {
    tallies,
    note(answered, { isOwn }) {
      try {
        count(answered, isOwn)
      } catch (error) {
        warnOnce(error)
      }
    },
    save,
    end() {
      if (alarm) save()
    },
    forget() {
      endpoints.clear()
      retries.forget()
      tallies.reload()
    },
  }

  function noteRetry({ call, answer, worldTimeMs, tookMs }: AnsweredCall, setback: Setback | null): void {
    const judged = retries.follow(call, answer, { setback, tookMs, wall: world().wall })
    if (judged === null) return
    const tally = tallies.of(judged.wrong === null ? 'retry-right' : 'retry-wrong', judged.after)
    tally.detail = JSON.stringify({ request_id: call.id, wrong: judged.wrong })
    tallies.add(tally, worldTimeMs)
  }
}

/** Whether the client got an answer that it can make something of. */
function isReadable(call: Call, answer: Answer): boolean {
  if (call.departure.kind === 'lost') return false
  // Of the faults only garbage leaves an accepted call with a prompt answer.
  return call.fault === null || call.departure.kind === 'late' || answer.status >= 300
}

function noteAccepted(
  world: World,
  tallies: Tallies,
  endpoint: EndpointId,
  { call, answer, worldTimeMs: atMs }: AnsweredCall,
): void {
  const count = (id: string) => tallies.add(tallies.of('situation', id), atMs)
  const { timeline, creates, list }: Endpoint = ENDPOINTS[endpoint]
  const { gaps } = world
  if (timeline) edgesIn(answer.body, (step) => tallies.add(tallies.of(`${timeline}-edge`, ownEdge(step, gaps)), atMs))
  if (creates?.kind === 'refund') {
    tallies.add(tallies.of('order-state', ownState(statusIn(answer.body) ?? '', gaps)), atMs)
  }
  if (creates?.kind === 'order' && HEADERS.idempotentReplayed in answer.headers) count('replayed')
  if (endpoint === 'events.list' && call.credential) {
    noteHistoryPage(world, tallies, call.credential.partnerId, answer.body, atMs)
  }
  if (call.query.length === 0 || list === null) return
  const cursor = parameterNames(endpoint, gaps).get('cursor') ?? 'cursor'
  if (call.query.some(([name]) => name === cursor)) count('cursor')
  if (call.query.some(([name]) => name === 'after_id')) count('after_id')
}
