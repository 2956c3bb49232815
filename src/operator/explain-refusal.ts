import type { Turns } from '../clock/in-turns.ts'
import type { CallDiagnosis } from '../contract/diagnosis/diagnose-call.ts'
import { explainPath } from '../contract/diagnosis/explain-path.ts'
import type { Mistake } from '../contract/diagnosis/mistake.ts'
import { mistake } from '../contract/diagnosis/mistakes.ts'
import { type Explained, sentenceOf, UNEXPLAINED_SENTENCE } from '../contract/diagnosis/present.ts'
import {
  explainHeaders,
  explainKeyId,
  explainTimestamp,
  type RefusalId,
  refusal,
} from '../contract/diagnosis/refusals.ts'
import { explainSignatureForm } from '../contract/diagnosis/signature-header.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import { AUTH_HEADERS } from '../contract/headers.ts'
import type { AnsweredCall, LoggedCall } from '../sandbox/app/request-log.ts'
import type { Credential } from '../sandbox/kernel/world.ts'
import type { Call, CheckName } from '../sandbox/wire/call.ts'
import type { Environment } from '../sandbox/worlds/environment.ts'
import { everyKey, type KnownWorlds, signatureOf, signerOf, wordsOf } from './known-signers.ts'

const explained = new WeakMap<LoggedCall, Explained | null>()

/**
 * Why a call was refused that an authentication check refused or that led to no endpoint, worked out once and only when it is
 * asked for, with others served meanwhile; null for any other call.
 *
 * @example (await explainRefusal(entry, worlds, turns))?.sentence // 'The key id was used as the secret.'
 */
export async function explainRefusal(entry: LoggedCall, worlds: KnownWorlds, turns: Turns): Promise<Explained | null> {
  const known = explained.get(entry)
  if (known !== undefined) return known
  const found = await reasonOf(entry, worlds, turns)
  explained.set(entry, found)
  return found
}

/** The same of a call that is in no log yet; it is worked out each time. */
export async function reasonOf(entry: AnsweredCall, worlds: KnownWorlds, turns: Turns): Promise<Explained | null> {
  const { endpoint, method, path, refusedBy } = entry.call
  if (refusedBy !== null) return REASONS[refusedBy](entry, worlds, turns)
  const isUnknown = endpoint === null && entry.answer.status === NOT_FOUND
  return isUnknown ? explanation([explainPath(method, path)]) : null
}

const NOT_FOUND = 404

type Reason = (entry: AnsweredCall, worlds: KnownWorlds, turns: Turns) => Explained | Promise<Explained>

const REASONS: Record<CheckName, Reason> = {
  headers({ call, answer }) {
    const found = explainHeaders(call.rawHeaders, call.world?.gaps['nonce-max-length'])
    return explanation(orMessage(found, 'header-missing', answer.body), SEND_INSTEAD.headers)
  },
  request: ({ answer }) => explanation(orMessage([], 'request-unusual', answer.body)),
  key: byKey,
  timestamp: byTimestamp,
  query: ({ answer }) => explanation(orMessage([], 'query-broken', answer.body)),
  signature: bySignature,
  nonce: byNonce,
  'rate-limit': ({ answer }) => explanation(orMessage([], 'rate-limit', answer.body), SEND_INSTEAD.rateLimit),
  scope: byScope,
}

/** What to do where no other signature of the same call would be accepted. */
const SEND_INSTEAD = {
  headers: `each of ${AUTH_HEADERS.join(', ')} once, and none of them empty`,
  key: 'the key id of a credential of this sandbox, signed with its secret; list them with partner-sandbox credential list',
  timestamp:
    'the Unix time of the moment of sending, in whole seconds, with a fresh nonce and a signature that covers both',
  nonce: 'the same with a fresh nonce, and a signature that covers it',
  rateLimit: 'the same call after the seconds in Retry-After, signed again with a fresh nonce',
} as const

function explanation(mistakes: readonly Mistake[], sendInstead: string | null = null): Explained {
  return { sentence: sentenceOf(mistakes), mistakes, signature: null, sendInstead }
}

/** What the answer says where nothing more is known. */
function orMessage(found: readonly Mistake[], id: RefusalId, body: string): readonly Mistake[] {
  return found.length > 0 ? found : [refusal(id, messageOf(body))]
}

function messageOf(body: string): string | undefined {
  const [, quoted] = /"message":("(?:[^"\\]|\\.)*")/.exec(body) ?? []
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string)
}

async function byKey({ call }: AnsweredCall, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  if (call.credential) {
    const says = `the credential ${wordsOf(call.credential, call.world as Environment)} is revoked`
    return explanation([refusal('key-revoked', says)], SEND_INSTEAD.key)
  }
  const known = everyKey(worlds)
  const signer = await signerOf(call, known, turns)
  return explanation([explainKeyId(call.keyId, known, signer)], SEND_INSTEAD.key)
}

async function byTimestamp(entry: AnsweredCall, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  const late = timestampMistake(entry)
  const mistakes = orMessage(late ? [late] : [], 'timestamp-not-seconds', entry.answer.body)
  const signature = await signatureOf(entry.call, worlds, turns)
  const found = explanation([...mistakes, ...(signature?.mistakes ?? [])], SEND_INSTEAD.timestamp)
  return { ...found, sentence: found.sentence + clockNote(entry.call.world as Environment) }
}

function timestampMistake({ call, worldTimeMs }: AnsweredCall): Mistake | null {
  const { settings, rules } = call.world as Environment
  const nowMs = (settings.authClock === 'world' ? worldTimeMs : call.receivedAtMs) + settings.authSkewSeconds * 1_000
  return explainTimestamp(call.timestamp, nowMs, rules.timestamp.pastSeconds)
}

/** A clock that an operator has set is not the caller's fault. */
function clockNote({ settings }: Environment): string {
  if (settings.authClock === 'world') return ' This world judges timestamps by its own clock.'
  const skew = settings.authSkewSeconds
  return skew === 0 ? '' : ` The clock that judges timestamps in this world was set ${skew} seconds off by an operator.`
}

async function bySignature(entry: AnsweredCall, worlds: KnownWorlds, turns: Turns): Promise<Explained> {
  const { call } = entry
  const signature = await signatureOf(call, worlds, turns)
  const wrong = await signatureMistakes(call, worlds, signature, turns)
  // A world may judge the signature first; a right one for a timestamp that is refused next does not help.
  const late = timestampMistake(entry)
  if (late) return explanation([...wrong, late], SEND_INSTEAD.timestamp)
  if (wrong.length > 0) return { ...explanation(wrong), signature }
  return { sentence: UNEXPLAINED_SENTENCE, mistakes: [], signature, sendInstead: null }
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

function byNonce({ call, answer }: AnsweredCall, worlds: KnownWorlds): Explained {
  const isEarlier = ({ call: other }: LoggedCall) =>
    other !== call && other.nonce === call.nonce && other.keyId === call.keyId && usedNonce(other)
  const world = worlds.find(call.world?.name ?? '')
  const earlier = world?.log.latest().find(isEarlier)
  if (!earlier) return explanation(orMessage([], 'nonce-used', answer.body), SEND_INSTEAD.nonce)
  const { id, method, path } = earlier.call
  const says = `the nonce was used before, by ${id} (${method} ${path}); every attempt needs a fresh one, a retry too`
  return explanation([refusal('nonce-used', says)], SEND_INSTEAD.nonce)
}

/** Checks that come before the nonce leave it unused. */
function usedNonce({ refusedBy }: Call): boolean {
  return refusedBy === null || refusedBy === 'rate-limit' || refusedBy === 'scope'
}

function byScope({ call, answer }: AnsweredCall): Explained {
  const credential = call.credential as Credential
  const world = call.world as Environment
  const wanted: readonly string[] = call.endpoint === null ? [] : ENDPOINTS[call.endpoint].scopes
  if (holdsOneOf(credential, wanted)) return explanation(orMessage([], 'scope-lacking', answer.body))
  const held = credential.scopes.size === 0 ? 'no scope' : [...credential.scopes].join(', ')
  const says = `the credential ${wordsOf(credential, world)} holds ${held}, and ${call.endpoint} needs ${wanted.join(' or ')}`
  const able = [...world.credentials.values()].find((other) => !other.revoked && holdsOneOf(other, wanted))
  return explanation(
    [refusal('scope-lacking', says)],
    able ? `the same with a credential that may, such as ${able.name}` : null,
  )
}

function holdsOneOf({ scopes }: Credential, wanted: readonly string[]): boolean {
  return wanted.some((scope) => (scopes as ReadonlySet<string>).has(scope))
}
