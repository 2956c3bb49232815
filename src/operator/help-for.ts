import type { Help } from '../contract/diagnosis/explained.ts'
import type { Remedy } from '../contract/grounds.ts'
import { HEADERS } from '../contract/headers.ts'
import { shellQuote } from '../contract/shell-quote.ts'
import { jsonIn, utf8In } from '../contract/words.ts'
import { checkScope } from '../sandbox/app/checks.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import { listFaults } from '../sandbox/app/faults.ts'
import type { LoggedCall } from '../sandbox/app/log.ts'
import { acceptedCall, orderOf, type PastedCall, signerNamed, signingWords } from '../sandbox/coverage/hints.ts'
import { nearestListing } from '../sandbox/inventory/listings.ts'
import type { World } from '../sandbox/kernel/world.ts'
import { type AuthenticatedCall, type Call, type CheckName, headerValues } from '../sandbox/wire/call.ts'
import { usedNonce } from './explain-refusal.ts'
import { firstUseOfKey, firstUseOfNonce } from './first-use.ts'
import type { Operator } from './route.ts'

type Helper = Pick<Operator, 'worlds' | 'command'>

/**
 * What to do about a refusal, as the world is now: a command names only what is there. The commands are whole lines for the shell.
 *
 * @example helpFor(entry, operator)[0]?.command // 'npx partner-sandbox order show ord_1'
 */
export function helpFor(entry: LoggedCall, { worlds, command }: Helper): Help[] {
  const world = entry.call.world as Environment | null
  // A world that was reset or deleted has none of what a command would name.
  const isThere = world === null || worlds.find(world.name) === world
  const flag = world === null || world.name === worlds.main.name ? '' : ` --world ${world.name}`
  const line = (remedy: Remedy) => lineOf(remedy, entry.call, world ?? worlds.main, (words) => command(words + flag))
  return remediesOf(entry, worlds).map(
    (remedy): Help => ({ says: remedy.says, command: isThere ? line(remedy) : null }),
  )
}

function remediesOf(entry: LoggedCall, worlds: Helper['worlds']): Remedy[] {
  const { call } = entry
  const { grounds, refusedBy } = call
  const particular = [
    ...(grounds?.remedies ?? []),
    ...(refusedBy === null ? [] : (BY_CHECK[refusedBy]?.(entry, worlds) ?? [])),
    ...(grounds?.unlisted === undefined ? [] : nearTo(call.world as Environment, grounds.unlisted)),
    ...(call.fault !== null && call.faultKind === 'refuse' ? againstFault(call, call.fault) : []),
    ...(grounds?.keyUsedFor === undefined ? [] : afterUsedKey(entry, worlds)),
    ...tokenSentAsId(call),
  ]
  return particular.length > 0 ? particular : acceptedInstead(call, worlds)
}

/** Where nothing is known of the refusal in particular: a call that the endpoint accepts, or the endpoints that there are. */
function acceptedInstead({ world, endpoint }: Call, worlds: Helper['worlds']): Remedy[] {
  if (endpoint === null) return [{ says: 'See every endpoint, and how to call it.', command: 'coverage --all' }]
  const accepted = acceptedCall(endpoint, (domain) => orderOf(world ?? worlds.main, domain))
  if (!('words' in accepted)) return [{ says: 'Send a call that is accepted, and compare the two.', call: accepted }]
  return [{ says: `What is accepted: ${accepted.words}.`, command: accepted.see }]
}

/** The line that does it; null if none can. */
function lineOf(remedy: Remedy, { credential }: Call, world: World, command: (words: string) => string): string | null {
  if (remedy.command !== undefined) return command(remedy.command)
  if (remedy.call === undefined) return null
  const asked: PastedCall = { as: credential?.name ?? 'main', ...remedy.call }
  const signer = signerNamed(world, asked.as)
  return signer && `${command(`${signingWords(world, signer, asked)} --curl`)} | sh`
}

const BY_CHECK: Partial<Record<CheckName, (entry: LoggedCall, worlds: Helper['worlds']) => Remedy[]>> = {
  headers: signedRightly,
  key: () => [{ says: 'See the credentials of this world.', command: 'credential list' }],
  timestamp: signedRightly,
  query: signedRightly,
  signature: signedRightly,
  nonce(entry, worlds) {
    const first = firstUseOfNonce(entry, worlds, usedNonce)
    return first ? [{ says: 'See the call that used the nonce.', command: `request show ${first.call.id}` }] : []
  },
  scope: ({ call }) => withScope(call),
}

const LONGEST_BODY = 4_096

/** The command that signs the same call, to compare with what the client does. */
function signedRightly({ call }: LoggedCall, worlds: Helper['worlds']): Remedy[] {
  const { credential, endpoint, body, method, target } = call
  // A call without a key id is of no world, and is in the log of the main one.
  const world = call.world ?? worlds.main
  const signer = signerNamed(world, credential?.name ?? 'main')
  // Other bytes cannot stand in a command.
  const text = body.length <= LONGEST_BODY ? utf8In(body) : null
  if (!signer || endpoint === null || text === null || text.startsWith('@')) return []
  const [idempotencyKey] = headerValues(call, HEADERS.idempotencyKey)
  const content = text === '' ? '' : ` --body ${shellQuote(text)}`
  const key = idempotencyKey ? ` --idempotency-key ${shellQuote(idempotencyKey)}` : ''
  const words = signingWords(world, signer, { method, path: target }) + content + key
  return [{ says: 'Sign the same call correctly, and compare the headers.', command: words }]
}

function withScope(call: Call): Remedy[] {
  const { world, endpoint, method, target } = call
  if (world === null || endpoint === null) return []
  const able = [...world.credentials.values()]
    .filter((credential) => !credential.revoked && mayCall({ ...call, world, credential }))
    .map(({ name }) => name)
  const [first] = able
  if (first === undefined)
    return [{ says: 'No credential of this world may make the call.', command: 'credential list' }]
  const says = `Use a credential that may make the call: ${able.join(', ')}.`
  return [method === 'GET' ? { says, call: { method, path: target, as: first } } : { says, command: 'credential list' }]
}

/** The check itself decides: beside a scope, an endpoint may ask for an affiliate account or a merchant of record. */
function mayCall(call: AuthenticatedCall): boolean {
  try {
    checkScope(call)
    return true
  } catch {
    return false
  }
}

/** A fault that is used up, or was removed since, acts on no other call. */
function againstFault({ world, method, target }: Call, id: string): Remedy[] {
  const fault = world && listFaults(world).find((one) => one.id === id)
  if (fault && (fault.times === null || fault.hits < fault.times))
    return [{ says: 'Remove the fault.', command: `fault remove ${id}` }]
  const says = fault
    ? `Send the call again: the fault has acted ${fault.hits === 1 ? 'once' : `${fault.hits} times`} and is used up.`
    : 'Send the call again: the fault was removed.'
  return [method === 'GET' ? { says, call: { method, path: target } } : { says, command: 'fault list' }]
}

function nearTo(world: Environment, domain: string): Remedy[] {
  const near = nearestListing(world, domain)
  if (near === null) return [{ says: 'See what is listed.', command: 'domain list' }]
  const path = `/availability?domain=${near}`
  return [{ says: `The nearest listed domain is ${near}.`, call: { method: 'GET', path } }]
}

/** A quote has two texts that an order might be sent with. */
function tokenSentAsId({ endpoint, body }: Call): Remedy[] {
  if (endpoint !== 'orders.create') return []
  const { quote_id: sent } = (jsonIn(Buffer.from(body).toString('utf8')) ?? {}) as { quote_id?: unknown }
  const [, quoteId] = /^(qt_\w+)\./.exec(Buffer.from(String(sent), 'base64url').toString('utf8')) ?? []
  return quoteId === undefined ? [] : [{ says: `quote_id has the quote_token of ${quoteId}: send that id instead.` }]
}

function afterUsedKey(entry: LoggedCall, worlds: Helper['worlds']): Remedy[] {
  const first = firstUseOfKey(entry, worlds)
  const fresh = { says: 'Send what is not a retry of the first call with a key of its own.' }
  return first
    ? [{ says: 'See the first call with this key.', command: `request show ${first.call.id}` }, fresh]
    : [fresh]
}
