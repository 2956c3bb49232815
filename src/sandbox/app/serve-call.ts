import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { object, type Schema } from '../../contract/schema.ts'
import { undoneOnRefusal } from '../kernel/refusal-with-effect.ts'
import type { Credential } from '../kernel/world.ts'
import type { Answer, Reply } from '../wire/answer.ts'
import { headerValues, PROMPT } from '../wire/call.ts'
import { BLAND, errorAnswer } from '../wire/error-answer.ts'
import { jsonObjectOf } from '../wire/json-body.ts'
import { Unprepared, untilPrepared } from '../wire/preparation.ts'
import type { Input, Route } from '../wire/route.ts'
import { validated, validatedQuery } from '../wire/validation.ts'
import { speechOf } from '../wire/wire-names.ts'
import { CHECK_ORDERS, type CheckOrder, runChecks, UNTIL_WORLD_IS_KNOWN } from './authenticate/index.ts'
import { answeredOnce } from './idempotency.ts'
import { befallEarly, withLateMishaps } from './inject-fault.ts'
import type { ServedCall, ServedWorld, ServedWorlds } from './served-world.ts'

/** What a finished call came to; `failure` is set where the answer hides an error of our own. */
export interface Served {
  answer: Answer
  failure: unknown
}

/** What a call needs of all worlds; one that belongs to none is answered as the main world would. */
type Home = Pick<ServedWorlds, 'findCredential' | 'main' | 'hooks'>

/**
 * Takes a call from the raw request to its answer: checks on the raw bytes first, then, within the turn's shared
 * transaction, nonce, rate limit, scope and the endpoint itself. Answers after the commit, never before.
 *
 * @param route null for a path or verb that the document does not have.
 * @param done called exactly once.
 */
export function serveCall(call: ServedCall, route: Route | null, home: Home, done: (served: Served) => void): void {
  let order: CheckOrder
  try {
    runChecks(UNTIL_WORLD_IS_KNOWN, call, home.findCredential, home.hooks.checks)
    order = CHECK_ORDERS[(call.world as ServedWorld).gaps['check-order']]
    runChecks(order.beforeTransaction, call, home.findCredential, home.hooks.checks)
    refuseUnusable(call)
  } catch (error) {
    done(refusal(error, call, home))
    return
  }
  const first = route && untilPrepared(route)
  const letIn = () => {
    runChecks(order.inTransaction, call, home.findCredential, home.hooks.checks)
    befallEarly(call)
    return answerOf(call, first)
  }
  commit(call, home, letIn, (served) => {
    if (served.failure instanceof Unprepared) servePrepared(served.failure, call, route, home, done)
    else done(served)
  })
}

/** A world that cannot be used is our fault and not the caller's; only whoever may read the request log learns more. */
function refuseUnusable(call: ServedCall): void {
  const problem = call.world?.problem ?? null
  if (problem === null) return
  call.detail = `the world cannot be used: ${problem}`
  throw new ApiError('internal_error', BLAND)
}

/** The key is looked up again, because its world may be gone. */
function servePrepared(
  { prepare }: Unprepared,
  call: ServedCall,
  route: Route | null,
  home: Home,
  done: (served: Served) => void,
): void {
  prepare()
    .then(() => runChecks(['key'], call, home.findCredential, home.hooks.checks))
    .then(
      () => commit(call, home, () => answerOf(call, route), done),
      (error) => done(refusal(error, call, home)),
    )
}

/** Serves in the turn's shared transaction; what is thrown becomes an answer, too. */
function commit(call: ServedCall, home: Home, serve: () => Answer, done: (served: Served) => void): void {
  const world = call.world as ServedWorld
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

function attempted(call: ServedCall, home: Home, serve: () => Answer): Served {
  try {
    return { answer: serve(), failure: undefined }
  } catch (error) {
    // Whatever was to become of the answer of a call that succeeded.
    if (!(error instanceof ApiError)) call.departure = PROMPT
    return refusal(error, call, home)
  }
}

function refusal(error: unknown, call: ServedCall, home: Home): Served {
  return {
    answer: errorAnswer(error, call.world ?? home.main, call.id),
    failure: error instanceof ApiError ? undefined : error,
  }
}

function effectOf(call: ServedCall): Endpoint['effect'] {
  return call.endpoint === null ? 'read' : ENDPOINTS[call.endpoint].effect
}

function answerOf(call: ServedCall, route: Route | null): Answer {
  if (route === null || call.endpoint === null) {
    throw new ApiError('not_found', 'there is nothing at this path with this verb')
  }
  const endpoint: Endpoint = ENDPOINTS[call.endpoint]
  if (endpoint.method === 'GET') refuseBody(call)
  if (endpoint.effect === 'read') return withLateMishaps(call, answerFrom(call, route))
  return undoneOnRefusal((call.world as ServedWorld).db, () =>
    withLateMishaps(call, writtenOnce(call, route, endpoint)),
  )
}

function writtenOnce(call: ServedCall, route: Route, { idempotencyKey }: Endpoint): Answer {
  if (!idempotencyKey) return answerFrom(call, route)
  const world = call.world as ServedWorld
  if (world.gaps['idempotency-key-checked'] === 'after the body') bodyOf(call, route)
  return answeredOnce(world, call.credential as Credential, call, () => answerFrom(call, route))
}

/** The body of a GET is no part of its signature, so nobody vouches for it. */
function refuseBody(call: ServedCall): void {
  const announced = headerValues(call, 'content-length').some((value) => value !== '0')
  if (announced || headerValues(call, 'transfer-encoding').length > 0) {
    throw new ApiError('validation_error', 'a GET carries no body')
  }
}

/** A parameter that does nothing is a mistake in the call, and is told by its name. */
const NO_QUERY = object({})

function answerFrom(call: ServedCall, route: Route): Answer {
  const world = call.world as ServedWorld
  const input = {
    world,
    caller: call.credential as Credential,
    call,
    params: call.params,
    query: queryOf(call, route),
    body: bodyOf(call, route),
  }
  return written(route.handle(input as unknown as Input<never, never>), call)
}

/** The parameters, valid, in the words of the route; a world may have chosen others. */
function queryOf(call: ServedCall, { query: schema = NO_QUERY }: Route): unknown {
  const speech = speechOf((call.world as ServedWorld).gaps)
  if (speech === null) return validatedQuery(schema, call.query)
  const endpoint = call.endpoint as EndpointId
  const spoken: Schema<unknown> = speech.schema({ endpoint, part: 'query' }, schema)
  return speech.query(endpoint, validatedQuery(spoken, call.query))
}

function bodyOf(call: ServedCall, { body: schema }: Route): unknown {
  if (!schema) return undefined
  const speech = speechOf((call.world as ServedWorld).gaps)
  if (speech === null) return validated(schema, jsonObjectOf(call), 'body')
  const spoken = speech.schema({ endpoint: call.endpoint as EndpointId, part: 'body' }, schema)
  return speech.body(spoken, validated(spoken, jsonObjectOf(call), 'body'))
}

function written(reply: Reply, call: ServedCall): Answer {
  const { gaps } = call.world as ServedWorld
  const speech = speechOf(gaps)
  const body = speech ? speech.answer(call.endpoint as EndpointId, reply.body) : reply.body
  return { status: reply.created ? gaps['created-status'] : 200, headers: {}, body: JSON.stringify(body) }
}
