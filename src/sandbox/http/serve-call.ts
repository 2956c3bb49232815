import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { undoneOnRefusal } from '../lasting-refusal.ts'
import type { Credential, World } from '../world.ts'
import type { Worlds } from '../worlds.ts'
import type { Answer, Reply } from './answer.ts'
import { CHECK_ORDERS, type CheckOrder, runChecks, UNTIL_WORLD_IS_KNOWN } from './authenticate/index.ts'
import { type Call, headerValues, PROMPT } from './call.ts'
import { BLAND, errorAnswer } from './error-handler.ts'
import { answeredOnce } from './idempotency.ts'
import { jsonObjectOf } from './json-body.ts'
import { befallEarly, withLateMishaps } from './mishap.ts'
import { Unprepared, untilPrepared } from './preparation.ts'
import type { Input, Route } from './route.ts'
import { object, type Schema } from './schema.ts'
import { speechOf } from './speech.ts'
import { validated, validatedQuery } from './validation.ts'

/** What a finished call came to; `failure` is set where the answer hides an error of our own. */
export interface Served {
  answer: Answer
  failure: unknown
}

/** What a call needs of all worlds; one that belongs to none is answered as the main world would. */
type Home = Pick<Worlds, 'findCredential' | 'main' | 'tampering'>

/**
 * Takes a call from the raw request to its answer: checks on the raw bytes first, then, within the turn's shared
 * transaction, nonce, rate limit, scope and the endpoint itself. Answers after the commit, never before.
 *
 * @param route null for a path or verb that the document does not have.
 * @param done called exactly once.
 */
export function serveCall(call: Call, route: Route | null, home: Home, done: (served: Served) => void): void {
  let order: CheckOrder
  try {
    runChecks(UNTIL_WORLD_IS_KNOWN, call, home.findCredential, home.tampering.checks)
    order = CHECK_ORDERS[(call.world as World).gaps['check-order']]
    runChecks(order.beforeTransaction, call, home.findCredential, home.tampering.checks)
    refuseUnusable(call)
  } catch (error) {
    done(refusal(error, call, home))
    return
  }
  const first = route && untilPrepared(route)
  const letIn = () => {
    runChecks(order.inTransaction, call, home.findCredential, home.tampering.checks)
    befallEarly(call)
    return answerOf(call, first)
  }
  commit(call, home, letIn, (served) => {
    if (served.failure instanceof Unprepared) servePrepared(served.failure, call, route, home, done)
    else done(served)
  })
}

/** A world that cannot be used is our fault and not the caller's; only whoever may read the request log learns more. */
function refuseUnusable(call: Call): void {
  const problem = call.world?.problem ?? null
  if (problem === null) return
  call.detail = `the world cannot be used: ${problem}`
  throw new ApiError('internal_error', BLAND)
}

/** The key is looked up again, because its world may be gone. */
function servePrepared(
  { prepare }: Unprepared,
  call: Call,
  route: Route | null,
  home: Home,
  done: (served: Served) => void,
): void {
  prepare()
    .then(() => runChecks(['key'], call, home.findCredential, home.tampering.checks))
    .then(
      () => commit(call, home, () => answerOf(call, route), done),
      (error) => done(refusal(error, call, home)),
    )
}

/** Serves in the turn's shared transaction; what is thrown becomes an answer, too. */
function commit(call: Call, home: Home, serve: () => Answer, done: (served: Served) => void): void {
  const world = call.world as World
  let served: Served | null = null
  let deliveries: () => Promise<void> | null = () => null
  world.commits.submit({
    durability: effectOf(call) === 'write' ? 'power-loss' : 'process-death',
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
      const told = failure === undefined ? deliveries() : null
      if (told === null) answer()
      else void told.then(answer, answer)
    },
  })
}

function attempted(call: Call, home: Home, serve: () => Answer): Served {
  try {
    return { answer: serve(), failure: undefined }
  } catch (error) {
    // Whatever was to become of the answer of a call that succeeded.
    if (!(error instanceof ApiError)) call.departure = PROMPT
    return refusal(error, call, home)
  }
}

function refusal(error: unknown, call: Call, home: Home): Served {
  return {
    answer: errorAnswer(error, call.world ?? home.main, call.id),
    failure: error instanceof ApiError ? undefined : error,
  }
}

function effectOf(call: Call): Endpoint['effect'] {
  return call.endpoint === null ? 'read' : ENDPOINTS[call.endpoint].effect
}

function answerOf(call: Call, route: Route | null): Answer {
  if (route === null || call.endpoint === null) {
    throw new ApiError('not_found', 'there is nothing at this path with this verb')
  }
  const endpoint: Endpoint = ENDPOINTS[call.endpoint]
  if (endpoint.method === 'GET') refuseBody(call)
  if (endpoint.effect === 'read') return withLateMishaps(call, answerFrom(call, route))
  return undoneOnRefusal((call.world as World).db, () => withLateMishaps(call, writtenOnce(call, route, endpoint)))
}

function writtenOnce(call: Call, route: Route, { idempotencyKey }: Endpoint): Answer {
  if (!idempotencyKey) return answerFrom(call, route)
  const world = call.world as World
  if (world.gaps['idempotency-key-checked'] === 'after the body') bodyOf(call, route)
  return answeredOnce(world, call.credential as Credential, call, () => answerFrom(call, route))
}

/** The body of a GET is no part of its signature, so nobody vouches for it. */
function refuseBody(call: Call): void {
  const announced = headerValues(call, 'content-length').some((value) => value !== '0')
  if (announced || headerValues(call, 'transfer-encoding').length > 0) {
    throw new ApiError('validation_error', 'a GET carries no body')
  }
}

/** A parameter that does nothing is a mistake in the call, and is told by its name. */
const NO_QUERY = object({})

function answerFrom(call: Call, route: Route): Answer {
  const world = call.world as World
  const input = {
    world,
    caller: call.credential as Credential,
    call,
    params: call.params,
    query: queryOf(call, route),
    body: bodyOf(call, route),
  }
  return written(route.handle(input as Input<never, never>), call)
}

/** The parameters, valid, in the words of the route; a world may have chosen others. */
function queryOf(call: Call, { query: schema = NO_QUERY }: Route): unknown {
  const speech = speechOf((call.world as World).gaps)
  if (speech === null) return validatedQuery(schema, call.query)
  const endpoint = call.endpoint as EndpointId
  const spoken: Schema<unknown> = speech.schema({ endpoint, part: 'query' }, schema)
  return speech.query(endpoint, validatedQuery(spoken, call.query))
}

function bodyOf(call: Call, { body: schema }: Route): unknown {
  if (!schema) return undefined
  const speech = speechOf((call.world as World).gaps)
  if (speech === null) return validated(schema, jsonObjectOf(call), 'body')
  const spoken = speech.schema({ endpoint: call.endpoint as EndpointId, part: 'body' }, schema)
  return speech.body(spoken, validated(spoken, jsonObjectOf(call), 'body'))
}

function written(reply: Reply, call: Call): Answer {
  const { gaps } = call.world as World
  const speech = speechOf(gaps)
  const body = speech ? speech.answer(call.endpoint as EndpointId, reply.body) : reply.body
  return { status: reply.created ? gaps['created-status'] : 200, headers: {}, body: JSON.stringify(body) }
}
