import { explainPath } from '../../contract/diagnosis/explain-path.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { undoneOnRefusal } from '../kernel/refusal-with-effect.ts'
import { type AuthenticatedCall, headerValues, noteRefusal, PROMPT } from '../wire/call.ts'
import { errorAnswer } from '../wire/error-answer.ts'
import type { Answer, Route } from '../wire/route.ts'
import { CHECK_ORDERS, type CheckOrder, identify, runChecks } from './authenticate/index.ts'
import { bodyOf, handle } from './call-handler.ts'
import { faultAfter, faultBefore } from './faults/inject-fault.ts'
import { answeredOnce } from './idempotency.ts'
import type { ServedCall, ServedWorld, ServedWorlds } from './served-world.ts'

/** What a finished call came to; `failure` is set where the answer hides an error of our own. */
export interface Served {
  answer: Answer
  failure: unknown
}

/** What a call needs of all worlds; one that belongs to none is answered as the main world would. */
type Home = Pick<ServedWorlds, 'findCredential' | 'main' | 'hooks'>

type KnownCall = AuthenticatedCall<ServedWorld>

/**
 * Takes a call from the raw request to its answer, in this order:
 *
 * 1. {@link identify}: headers, form of the request, key. From here on the call's world and credential are known.
 * 2. {@link runChecks}: what needs no transaction, such as timestamp and signature.
 * 3. {@link commit}: the turn's shared transaction, and in it
 *    - {@link runChecks}: nonce, rate limit, scope;
 *    - {@link faultBefore}: what an operator or a magic name lets go wrong with the call;
 *    - {@link answerOf}: idempotency, then the endpoint's handler, then {@link faultAfter}.
 * 4. The answer, after the commit and never before.
 *
 * @param route null for a path or verb that the document does not have.
 * @param done called exactly once.
 */
export function serveCall(call: ServedCall, route: Route | null, home: Home, done: (served: Served) => void): void {
  let known: KnownCall
  let order: CheckOrder
  try {
    known = identify(call, home.findCredential, home.hooks.checks)
    order = CHECK_ORDERS[known.world.gaps['check-order']]
    runChecks(order.beforeTransaction, known, home.hooks.checks)
  } catch (error) {
    done(refusal(error, call, home))
    return
  }
  const serve = () => {
    runChecks(order.inTransaction, known, home.hooks.checks)
    faultBefore(known)
    return answerOf(known, route && untilPrepared(route))
  }
  commit(known, home, serve, (served) => {
    if (served.failure instanceof Unprepared) servePrepared(served.failure, known, route, home, done)
    else done(served)
  })
}

/** Serves in the turn's shared transaction; what is thrown becomes an answer, too. */
function commit(call: KnownCall, home: Home, serve: () => Answer, done: (served: Served) => void): void {
  const { world, endpoint } = call
  let served: Served | null = null
  let deliveries: () => Promise<void> | null = () => null
  world.commits.submit({
    durability: endpoint !== null && ENDPOINTS[endpoint].effect === 'write' ? 'power-loss' : 'process-death',
    run() {
      const work = () => {
        served = attempted(call, home, serve)
      }
      if (world.settings.delivery.beforeResponse) deliveries = world.deliverer.follow(work)
      else work()
    },
    settled(failure) {
      if (failure !== undefined) call.departure = PROMPT
      const answer = () => done(failure === undefined && served ? served : refusal(failure, call, home))
      const delivered = failure === undefined ? deliveries() : null
      if (delivered === null) answer()
      else void delivered.then(answer, answer)
    },
  })
}

function attempted(call: KnownCall, home: Home, serve: () => Answer): Served {
  try {
    return { answer: serve(), failure: undefined }
  } catch (error) {
    // No matter what was to become of the answer of a call that succeeded.
    if (!(error instanceof ApiError)) call.departure = PROMPT
    return refusal(error, call, home)
  }
}

function refusal(error: unknown, call: ServedCall, home: Home): Served {
  noteRefusal(call, error)
  return {
    answer: errorAnswer(error, call.world ?? home.main, call.id),
    failure: error instanceof ApiError ? undefined : error,
  }
}

/** The answer of a call that is allowed. A write that is refused is undone, and so is one whose answer breaks. */
function answerOf(call: KnownCall, route: Route | null): Answer {
  const { endpoint } = call
  if (route === null || endpoint === null) {
    throw new ApiError('not_found', explainPath(call.method, call.path).says)
  }
  const { method, effect, idempotencyKey }: Endpoint = ENDPOINTS[endpoint]
  if (method === 'GET') refuseBody(call)
  if (effect === 'read') return faultAfter(call, handle(call, endpoint, route))
  return undoneOnRefusal(call.world.db, () =>
    faultAfter(call, idempotencyKey ? handledOnce(call, endpoint, route) : handle(call, endpoint, route)),
  )
}

/** The body of a GET is not part of its signature, so it is not authenticated. */
function refuseBody(call: KnownCall): void {
  const announced = headerValues(call, 'content-length').some((value) => value !== '0')
  if (announced || headerValues(call, 'transfer-encoding').length > 0) {
    const compared = [{ name: 'bytes of the body', sent: String(call.body.length), expected: '0' }]
    throw new ApiError('validation_error', `a ${call.method} carries no body`, { grounds: { compared } })
  }
}

function handledOnce(call: KnownCall, endpoint: EndpointId, route: Route): Answer {
  if (call.world.gaps['idempotency-key-checked'] === 'after the body') bodyOf(call, endpoint, route)
  return answeredOnce(call, () => handle(call, endpoint, route))
}

/** Thrown in the place of a handler that has to wait first: the call is undone, and served again afterwards. */
class Unprepared extends Error {
  override name = 'Unprepared'
  /** Waits; rejects with the refusal of the call. */
  readonly prepare: () => Promise<void>

  constructor(prepare: () => Promise<void>) {
    super('the call waits for something outside of its transaction')
    this.prepare = prepare
  }
}

/** A route as the first transaction of a call runs it: if there is something to wait for, it throws that. */
function untilPrepared(route: Route): Route {
  const { prepare } = route
  if (!prepare) return route
  return {
    ...route,
    handle(input) {
      const work = prepare(input)
      if (work) throw new Unprepared(work)
      return route.handle(input)
    },
  }
}

/** The key is looked up again, because its world may be gone. */
function servePrepared(
  { prepare }: Unprepared,
  call: KnownCall,
  route: Route | null,
  home: Home,
  done: (served: Served) => void,
): void {
  prepare()
    .then(() => identify<ServedWorld>(call, home.findCredential, home.hooks.checks, ['key']))
    .then(
      (known) => commit(known, home, () => answerOf(known, route), done),
      (error) => done(refusal(error, call, home)),
    )
}
