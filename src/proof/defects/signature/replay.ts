import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import { ApiError } from '../../../contract/errors.ts'
import {
  authNowMs,
  type Check,
  checkNonce,
  checkSignature,
  isNonceKnown,
  useNonce,
} from '../../../sandbox/app/checks.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import type { AuthenticatedCall, Call } from '../../../sandbox/wire/call.ts'
import { actingWhere } from '../answers.ts'
import { change, type Defect, defect, perWorld, type Tampered } from '../defect.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Operations that may have nonces of their own: all that write, and one that is read in another way than the inventory. */
const RACING: readonly EndpointId[] = [
  'events.list',
  'quotes.create',
  'orders.create',
  'checkout.create',
  'links.create',
  'webhooks.put',
  'brokerage.create',
  'refunds.create',
]

/** Calls whose nonce was known when they arrived. */
const knownAtArrival = new WeakSet<Call>()

/** Mistakes about calls that come twice. */
export const replayDefects: readonly Defect[] = [
  defect('nonce-never-tracked', ['NONCE-01', 'NONCE-02', 'NONCE-04', 'IDEM-07'], {
    summary: 'No nonce is remembered.',
    ...nonceCheck(() => undefined),
  }),
  defect('replay-closes-its-address', ['NONCE-03'], {
    summary: 'After a replay, every further call of the credential at that address counts as a replay, too.',
    ...nonceCheck(closeAfterReplay),
  }),
  defect('second-read-of-a-path-taken-for-a-replay', ['NONCE-03'], {
    summary: 'The second read of a path counts as a replay, with any query and any nonce.',
    ...comparing(({ method, path, nonce }) => (method === 'GET' ? path : nonce)),
  }),
  defect('nonce-race', ['NONCE-04'], {
    summary: 'A nonce is looked up first and stored later, so that copies which arrive together all pass.',
    hooks: { checks: { signature: lookUpNonce, nonce: storeNonce } },
  }),
  ...RACING.map((id) =>
    defect(`nonce-race-of-${id.replace('.', '-')}`, ['NONCE-04'], {
      summary: `A nonce of ${id} is stored once its call is answered, so that copies which arrive before that all pass.`,
      ...storingLate(id),
    }),
  ),
  defect('nonce-compared-by-its-first-64-characters', ['NONCE-09'], {
    summary: 'Two long nonces that begin alike count as the same.',
    ...comparing(({ nonce }) => nonce.slice(0, 64)),
  }),
  defect('nonce-must-be-uuid', ['NONCE-09'], {
    summary: 'A nonce that is not a UUID is refused.',
    ...nonceCheck((call) => {
      if (!UUID.test(call.nonce)) throw replayed()
      checkNonce(call)
    }),
  }),
  defect('nonce-of-a-refused-write-is-free-again', ['NONCE-01'], {
    summary: 'A write that is refused is rolled back, and its nonce with it.',
    ...actingWhere(
      ({ status }, { method, refusedBy, world }) =>
        world !== null && method === 'POST' && refusedBy === null && status >= 400,
      ({ world, credential, nonce }) =>
        change(world as World, 'DELETE FROM nonces WHERE credential = ? AND nonce = ?', credential?.id, nonce),
    ),
  }),
]

/** Puts another check in the place of the nonce check. */
function nonceCheck(check: Check): Tampered {
  return { hooks: { checks: { nonce: check } } }
}

/** A server that compares another value than the nonce as it was sent. */
function comparing(value: (call: AuthenticatedCall) => string): Tampered {
  return nonceCheck((call) => checkNonce({ ...call, nonce: value(call) }))
}

function replayed(): ApiError {
  return new ApiError('replay_detected', 'the nonce has been used before')
}

const closed = perWorld(() => new Set<string>())

function closeAfterReplay(call: AuthenticatedCall): void {
  const known = closed(call.world)
  const address = `${call.keyId} ${call.target}`
  try {
    checkNonce(call)
  } catch (error) {
    known.add(address)
    throw error
  }
  if (known.has(address)) throw replayed()
}

function lookUpNonce(call: AuthenticatedCall): void {
  checkSignature(call)
  const { world, credential } = call
  if (isNonceKnown(world.db, credential.id, call.nonce)) knownAtArrival.add(call)
}

function storeNonce(call: AuthenticatedCall): void {
  if (knownAtArrival.has(call)) throw replayed()
  const { world } = call
  useNonce(world.db, call.credential.id, call.nonce, authNowMs(world))
}

/** A server that knows a nonce of one operation by the calls that it has answered. */
function storingLate(id: EndpointId): Tampered {
  const answered = perWorld(() => new Set<string>())
  const signature = (call: AuthenticatedCall) => {
    checkSignature(call)
    if (call.endpoint === id && answered(call.world).has(call.nonce)) knownAtArrival.add(call)
  }
  const { hooks } = actingWhere(
    ({ status }, call) => call.endpoint === id && status < 500,
    ({ world, nonce }) => {
      // What has arrived by now is looked up before it is stored.
      if (world !== null && nonce !== null) setImmediate(() => answered(world).add(nonce))
    },
  )
  const nonce = (call: AuthenticatedCall) => (call.endpoint === id ? storeNonce : checkNonce)(call)
  return { hooks: { ...hooks, checks: { signature, nonce } } }
}
