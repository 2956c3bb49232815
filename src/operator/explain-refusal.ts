import { formatInstant } from '../clock/instant.ts'
import type { Turns } from '../clock/wall-clock.ts'
import { hasUnsignedBody } from '../contract/canonical-string.ts'
import type { CallDiagnosis } from '../contract/diagnosis/diagnose-call.ts'
import { explainPath } from '../contract/diagnosis/explain-path.ts'
import type { Explained } from '../contract/diagnosis/explained.ts'
import type { Mistake } from '../contract/diagnosis/mistake.ts'
import { mistake } from '../contract/diagnosis/mistakes.ts'
import { sentenceOf, UNEXPLAINED_SENTENCE } from '../contract/diagnosis/present.ts'
import {
  explainHeaders,
  explainKeyId,
  explainTimestamp,
  type RefusalId,
  refusal,
} from '../contract/diagnosis/refusals.ts'
import { explainSignatureForm } from '../contract/diagnosis/signature-header.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import type { Compared } from '../contract/grounds.ts'
import { AUTH_HEADERS } from '../contract/headers.ts'
import { isObject } from '../contract/is-object.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import { fingerprintOf } from '../sandbox/app/idempotency.ts'
import type { LoggedCall } from '../sandbox/app/log.ts'
import { addedAtMs } from '../sandbox/inventory/listings.ts'
import type { WorldSettings } from '../sandbox/kernel/settings.ts'
import type { Credential } from '../sandbox/kernel/world.ts'
import { announcesBody, type Call, type CheckName, failedAuthentication, headerValues } from '../sandbox/wire/call.ts'
import type { Answer, Exchange } from '../sandbox/wire/route.ts'
import { differences, firstUseOfKey, firstUseOfNonce } from './first-use.ts'
import { everyKey, type KnownWorlds, signatureOf, signerOf, wordsOf } from './known-signers.ts'
import { fieldsOf, isRefusal, knownFailure, messageOf } from './present-request.ts'

/** Of signatures only: to find out what one covers takes a search. */
const explained = new WeakMap<LoggedCall, Explained>()

/**
 * Why a call was answered with a 4xx, or failed inside, worked out when it is asked for, with others served meanwhile; null for any
 * other call. A proxy has worked it out before.
 * What decided is read from the call and from what came before it, so the answer is the same whenever it is asked for.
 *
 * @example (await explainRefusal(entry, worlds, turns))?.sentence // 'The key id was used as the secret.'
 */
export async function explainRefusal(entry: LoggedCall, worlds: KnownWorlds, turns: Turns): Promise<Explained | null> {
  if (entry.proxied) return entry.proxied.explained
  if (entry.failure) return explainedBy([refusal('failed-inside', knownFailure(entry.failure))])
  const known = explained.get(entry)
  if (known) return known
  const reason = await reasonOf(entry, worlds, turns)
  const { refusedBy } = entry.call
  const tookSearch = refusedBy === 'key' || refusedBy === 'timestamp' || refusedBy === 'signature'
  if (reason && tookSearch) explained.set(entry, reason)
  return reason
}

/**
 * The same of a call that is in no log yet; it is worked out each time. A call that fails a check of ours may have been accepted by
 * the server to which a proxy passed it on.
 */
export async function reasonOf(entry: Exchange, worlds: KnownWorlds, turns: Turns): Promise<Explained | null> {
  const { call, answer } = entry
  if (!isRefusal(answer) && call.refusedBy === null) return null
  const compared = call.grounds?.compared ?? []
  if (call.refusedBy !== null) return { compared, ...(await REASONS[call.refusedBy](entry, worlds, turns)) }
  if (call.endpoint === null && answer.status === NOT_FOUND) return byPath(call)
  if (call.grounds?.keyUsedFor !== undefined) return byUsedKey(entry, worlds)
  const refused = [refusal('request-refused', decided(entry))]
  return { ...explainedBy(refused), sentence: sentenceOf(refused, fieldsOf(call)), compared }
}

const NOT_FOUND = 404

function byPath({ method, path }: Call): Explained {
  const { meant, ...mistake } = explainPath(method, path)
  const compared = [{ name: 'verb and path', sent: `${method} ${path}`, expected: meant ?? 'those of an endpoint' }]
  return { ...explainedBy([mistake]), compared }
}

function decided(entry: Exchange): string {
  const { call, answer } = entry
  const { says, pricedDomain } = call.grounds ?? {}
  const reason = says ?? messageOf(answer) ?? `it was answered ${answer.status}`
  return pricedDomain === undefined ? reason : reason + priceNote(entry, pricedDomain)
}

/** When an operator set the price that applied; nothing if the price is as it was drawn. */
function priceNote({ call, worldTimeMs }: Exchange, domain: string): string {
  const world = worldOf(call)
  const position = world.log.find(call.id)?.position ?? Number.POSITIVE_INFINITY
  const act = world.acts
    .after(0)
    .findLast(
      ({ params, body, afterCall }) =>
        afterCall < position && params['name'] === domain && isObject(body) && 'price_cents' in body,
    )
  const setMs = act?.toMs ?? addedAtMs(world, domain)
  // A listing of that name that was added since says nothing of this call.
  if (setMs === null || setMs > worldTimeMs) return ''
  return `, which an operator set at ${formatInstant(setMs)} of the world’s time`
}

/** Another body was sent with the Idempotency-Key, or a refusal that is stored with it was repeated. */
function byUsedKey(entry: Exchange, worlds: KnownWorlds): Explained {
  const { call, answer } = entry
  const message = messageOf(answer) ?? 'the answer of the first call with this Idempotency-Key was repeated'
  const first = firstUseOfKey(entry, worlds)
  if (!first) return explainedBy([refusal('key-used', `${message}; the log no longer has the first call with it`)])
  const at = `${first.call.id} at ${formatInstant(first.worldTimeMs)} of the world’s time`
  const compared = differences(call.body, first.call.body)
  if (fingerprintOf(call.body, worldOf(call).gaps) === call.grounds?.keyUsedFor)
    return explainedBy([refusal('key-used', `${message}; the refusal of the first call, ${at}, was repeated`)])
  const differ =
    compared.length === 0
      ? 'the two bodies are the same JSON in other bytes; send a retry byte for byte'
      : `${compared.map(({ name }) => name).join(', ')} ${compared.length === 1 ? 'differs' : 'differ'}`
  const says = `${message}: ${at} used it, and ${differ}`
  return { ...explainedBy([refusal('key-used', says)]), compared }
}

type Reason = (entry: Exchange, worlds: KnownWorlds, turns: Turns) => Explained | Promise<Explained>

const REASONS: Record<CheckName, Reason> = {
  headers({ call, answer }) {
    const mistakes = explainHeaders(call.rawHeaders, call.world?.gaps['nonce-max-length'])
    const reason = explainedBy(orMessage(mistakes, 'header-missing', answer), SEND_INSTEAD.headers)
    return { ...reason, compared: AUTH_HEADERS.flatMap((name) => comparedHeader(call, name)) }
  },
  request: ({ answer }) => explainedBy(orMessage([], 'request-unusual', answer)),
  key: byKey,
  timestamp: byTimestamp,
  query: ({ answer }) => explainedBy(orMessage([], 'query-broken', answer)),
  signature: bySignature,
  nonce: byNonce,
  'rate-limit': (entry) => explainedBy([refusal('rate-limit', decided(entry))], SEND_INSTEAD.rateLimit),
  scope: byScope,
}

/** An authentication header that was not sent exactly once. */
function comparedHeader(call: Call, name: string): Compared[] {
  const values = headerValues(call, name)
  if (values.length === 1 && values[0] !== '') return []
  const sent = values.length === 0 ? null : values.map((value) => JSON.stringify(value)).join(', ')
  return [{ name, sent, expected: 'one value, not empty' }]
}

/** What to do where no other signature of the same call would be accepted. */
const SEND_INSTEAD = {
  headers: `each of ${AUTH_HEADERS.join(', ')} once, and none of them empty`,
  key: 'the key id of a credential of this sandbox, signed with its secret; list them with npx partner-sandbox credential list',
  timestamp:
    'the Unix time of the moment of sending, in whole seconds, with a fresh nonce and a signature that covers both',
  nonce: 'the same with a fresh nonce, and a signature that covers it',
  scope: 'the same with a credential that may make the call',
  rateLimit: 'the same call after the seconds in Retry-After, signed again with a fresh nonce',
} as const

function explainedBy(mistakes: readonly Mistake[], sendInstead: string | null = null): Explained {
  return { sentence: sentenceOf(mistakes), mistakes, signature: null, sendInstead }
}

/** What the answer says where nothing more is known. */
function orMessage(found: readonly Mistake[], id: RefusalId, answer: Answer): readonly Mistake[] {
  return found.length > 0 ? found : [refusal(id, messageOf(answer) ?? undefined)]
}

async function byKey({ call }: Exchange, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  if (call.credential) {
    const says = `the credential ${wordsOf(call.credential, worldOf(call), worlds)} is revoked`
    return explainedBy([refusal('key-revoked', says)], SEND_INSTEAD.key)
  }
  const known = everyKey(worlds)
  const signer = await signerOf(call, known, turns)
  return explainedBy([explainKeyId(call.keyId, known, signer)], SEND_INSTEAD.key)
}

async function byTimestamp(entry: Exchange, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  const late = timestampMistake(entry)
  const mistakes = orMessage(late ? [late] : [], 'timestamp-not-seconds', entry.answer)
  const signature = await signatureOf(entry.call, worlds, turns)
  const found = explainedBy([...mistakes, ...(signature?.mistakes ?? [])], SEND_INSTEAD.timestamp)
  return { ...found, sentence: found.sentence + clockNote(settingsAt(entry.call)) }
}

function timestampMistake({ call, worldTimeMs }: Exchange): Mistake | null {
  const { rules } = worldOf(call)
  const { authClock, authSkewSeconds } = settingsAt(call)
  const nowMs = (authClock === 'world' ? worldTimeMs : call.receivedAtMs) + authSkewSeconds * 1_000
  return explainTimestamp(call.timestamp, nowMs, rules.timestamp.pastSeconds)
}

/** The settings by which a call was judged: an operator may have changed them since. */
function settingsAt(call: Call): Readonly<WorldSettings> {
  return call.judgedUnder ?? worldOf(call).settings
}

/** The world of a call whose key is known, which all but the first checks have made sure of. */
function worldOf({ world }: Call): Environment {
  return world as Environment
}

/** A clock that an operator has set is not the caller's fault. */
function clockNote(settings: Readonly<WorldSettings>): string {
  if (settings.authClock === 'world') return ' This world judges timestamps by its own clock.'
  const skew = settings.authSkewSeconds
  return skew === 0 ? '' : ` The clock that judges timestamps in this world was set ${skew} seconds off by an operator.`
}

async function bySignature(entry: Exchange, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  const { call } = entry
  const signature = await signatureOf(call, worlds, turns)
  const wrong = await signatureMistakes(call, worlds, signature, turns)
  // A world may judge the signature first; a right one for a timestamp that is refused next does not help.
  const late = timestampMistake(entry)
  if (late) return explainedBy([...wrong, late], SEND_INSTEAD.timestamp)
  if (wrong.length > 0) return { ...explainedBy(wrong), signature }
  const sentence = bodyNote(call) + UNEXPLAINED_SENTENCE
  return { sentence, mistakes: [], signature, sendInstead: null }
}

/** Nothing reads the body of a GET, so whether its hash was signed cannot be found out. */
function bodyNote(call: Call): string {
  if (!hasUnsignedBody(call.method) || call.body.length > 0 || !announcesBody(call)) return ''
  return `A ${call.method} was sent with a body. If its hash was signed: for a ${call.method} it is always the hash of zero bytes. `
}

async function signatureMistakes(
  call: Call,
  worlds: KnownWorlds,
  signature: CallDiagnosis | null,
  turns: Turns,
): Promise<readonly Mistake[]> {
  if (signature?.verdict === 'explained') return signature.mistakes
  const signer = await signerOf(call, everyKey(worlds), turns)
  if (signer) return [mistake('secret-of-another', `the secret of ${signer.words} was used`)]
  const malformed = explainSignatureForm(call.signature, 'call')
  return malformed ? [malformed] : []
}

function byNonce(entry: Exchange, worlds: KnownWorlds): Explained {
  const earlier = firstUseOfNonce(entry, worlds, usedNonce)
  if (!earlier) return explainedBy(orMessage([], 'nonce-used', entry.answer), SEND_INSTEAD.nonce)
  const { id, method, path } = earlier.call
  const says = `the nonce was used before, by ${id} (${method} ${path}); every attempt needs a fresh one, a retry too`
  return explainedBy([refusal('nonce-used', says)], SEND_INSTEAD.nonce)
}

/** Checks that come before the nonce leave it unused. */
export function usedNonce(call: Call): boolean {
  return !failedAuthentication(call)
}

function byScope({ call, answer }: Exchange, worlds: KnownWorlds): Explained {
  const credential = call.credential as Credential
  const world = worldOf(call)
  const wanted: readonly string[] = call.endpoint === null ? [] : ENDPOINTS[call.endpoint].scopes
  const scopes: ReadonlySet<string> = credential.scopes
  if (wanted.some((scope) => scopes.has(scope))) return explainedBy(orMessage([], 'scope-lacking', answer))
  const held = credential.scopes.size === 0 ? 'no scope' : [...credential.scopes].join(', ')
  const says = `the credential ${wordsOf(credential, world, worlds)} holds ${held}, and ${call.endpoint} needs ${wanted.join(' or ')}`
  return explainedBy([refusal('scope-lacking', says)], SEND_INSTEAD.scope)
}
