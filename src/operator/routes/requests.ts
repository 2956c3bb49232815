import { parseInstant } from '../../clock/instant.ts'
import { nextTurn } from '../../clock/wall-clock.ts'
import type { QueryOf } from '../../operator-api/operations.ts'
import { LOG_LIMITS, type LoggedCall } from '../../sandbox/app/log.ts'
import { pageOf } from '../../sandbox/kernel/paging.ts'
import { failedAuthentication } from '../../sandbox/wire/call.ts'
import type { Redactor } from '../../sandbox/worlds/redact.ts'
import { codeOf, isRefusal, keyIdOf, presentAct, summarizeLoggedCall } from '../present-request.ts'
import { type Problem, problem } from '../problems.ts'
import { type HandlersOf, type Operator, ok, okPage } from '../route.ts'

const USUAL_PAGE = 50
const USUAL_ACTS_PAGE = 1_000

export const requestHandlers: HandlersOf<'requests' | 'acts'> = {
  async 'requests.list'({ operator, world, query }) {
    const { limit = USUAL_PAGE, ...filter } = query
    const wanted = fits(filter, operator.worlds.redactor())
    const found: LoggedCall[] = []
    for (const entry of world.log.latest()) {
      if (found.length > limit) break
      if (wanted(entry)) found.push(entry)
    }
    const page = pageOf(found, limit)
    const reasons = await reasonsOf(page.rows, operator)
    return okPage(
      'requests',
      page,
      (entry) => summarizeLoggedCall(entry, reasons.get(entry)),
      ({ position }) => String(position),
    )
  },
  async 'requests.show'({ operator, world, params: { request_id: id } }) {
    const entry = world.log.find(id)
    if (!entry) throw notLogged(id, `the log of the world ${world.name}`)
    return ok(await shown(entry, operator))
  },
  async 'requests.find'({ operator, params: { request_id: id } }) {
    for (const world of operator.worlds.list()) {
      const entry = world.log.find(id)
      if (entry) return ok(await shown(entry, operator))
    }
    throw notLogged(id, 'the log of any world')
  },
  'acts.list': ({ world, query: { limit = USUAL_ACTS_PAGE, cursor = 0 } }) =>
    okPage('acts', pageOf(world.acts.after(cursor), limit), presentAct, ({ position }) => String(position)),
}

/** How long a diagnosis may keep others waiting at a time. */
const SLICE_MS = 5

/** Reasons of a page are worked out for so long; a reason that is left over is that of the answer, until a later list has it. */
const REASONS_MS = 1_000

/** Why each call of a page was refused, as far as that is found out soon. */
async function reasonsOf(page: readonly LoggedCall[], { worlds, wall }: Operator): Promise<Map<LoggedCall, string>> {
  const reasons = new Map<LoggedCall, string>()
  const refused = page.filter(({ answer, failure }) => isRefusal(answer) || failure)
  if (refused.length === 0) return reasons
  // Loaded by the first who asks: a start needs none of it.
  const { explainRefusal } = await import('../explain-refusal.ts')
  const endMs = wall.monotonicMs() + REASONS_MS
  const pause = async () => {
    if (wall.monotonicMs() >= endMs) throw new OutOfTime()
    await nextTurn()
  }
  try {
    for (const entry of refused) {
      const reason = await explainRefusal(entry, worlds, { sliceMs: SLICE_MS, pause, monotonicMs: wall.monotonicMs })
      if (reason) reasons.set(entry, reason.sentence)
      await pause()
    }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error
  }
  return reasons
}

class OutOfTime extends Error {}

async function shown(entry: LoggedCall, operator: Operator) {
  const { worlds, wall } = operator
  // Loaded by the first who asks: a start needs none of it.
  const { explainRefusal } = await import('../explain-refusal.ts')
  const { presentLoggedCall } = await import('../present-logged-call.ts')
  const refusal = await explainRefusal(entry, worlds, {
    sliceMs: SLICE_MS,
    pause: nextTurn,
    monotonicMs: wall.monotonicMs,
  })
  return presentLoggedCall(entry, refusal, { operator, redact: worlds.redactor() })
}

function notLogged(id: string, where: string): Problem {
  return problem('not-logged', { id, where, entries: LOG_LIMITS.entries.toLocaleString('en') })
}

type RequestQuery = Omit<QueryOf<'requests.list'>, 'limit'>

type Test = (entry: LoggedCall) => boolean

/**
 * Whether a logged call is wanted; what the filter leaves out does not matter.
 *
 * @throws Problem where the status is neither one nor a class of them.
 */
function fits({ q, cursor, ...filter }: RequestQuery, redact: Redactor): Test {
  const { status, code, key_id, credential, endpoint, method, since, until, refused, authentication } = filter
  const tests: (Test | false)[] = [
    cursor !== undefined && ((entry) => entry.position < cursor),
    status !== undefined && hasStatus(status),
    endpoint !== undefined && (({ call }) => call.endpoint === endpoint),
    method !== undefined && (({ call }) => call.method === method.toUpperCase()),
    credential !== undefined && (({ call }) => call.credential?.name === credential),
    key_id !== undefined && (({ call }) => keyIdOf(call) === key_id),
    since !== undefined && (({ call }) => call.receivedAtMs >= instantOf(since)),
    until !== undefined && (({ call }) => call.receivedAtMs < instantOf(until)),
    refused !== undefined && (({ answer }) => isRefusal(answer) === (refused === 'true')),
    authentication !== undefined && (({ call }) => failedAuthentication(call) === (authentication === 'true')),
    code !== undefined && (({ answer }) => codeOf(answer) === code),
    q !== undefined && holds(q, redact),
  ]
  const asked = tests.filter((test) => test !== false)
  return (entry) => asked.every((test) => test(entry))
}

function instantOf(text: string): number {
  return parseInstant(text) as number
}

function hasStatus(wanted: string): Test {
  if (!/^[1-5](?:[0-9]{2}|xx)$/i.test(wanted)) throw problem('bad-status-filter')
  return ({ answer }) =>
    wanted.toLowerCase().endsWith('xx') ? String(answer.status)[0] === wanted[0] : String(answer.status) === wanted
}

/**
 * Looks for a text without regard to case, in what the log would show: a search for a secret must not find where it was
 * sent. What does not hold the text as it was sent is not redacted at all, which is most of a log.
 */
function holds(wanted: string, redact: Redactor): Test {
  const needle = wanted.toLowerCase()
  const mayBeRedaction = /[[\]]/.test(needle) || '[redacted]'.includes(needle)
  return (entry) => {
    const texts = textsOf(entry)
    if (!mayBeRedaction && !texts.some((text) => text.toLowerCase().includes(needle))) return false
    const bytes = Buffer.from(redact.bytes(entry.call.body)).toString('utf8')
    return textsOf(entry, bytes).some((text) => redact.text(text).toLowerCase().includes(needle))
  }
}

function textsOf({ call, answer }: LoggedCall, body = Buffer.from(call.body).toString('utf8')): string[] {
  return [call.id, call.target, ...call.rawHeaders, body, answer.body]
}
