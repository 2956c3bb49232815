import { compareByCodePoint, compareByUtf16Unit, MalformedQueryError } from '../contract/canonical-string.ts'
import {
  type ArrivedCall,
  type CallDiagnosis,
  diagnoseCall,
  soundStringOf,
} from '../contract/diagnosis/diagnose-call.ts'
import { explainHeaders } from '../contract/diagnosis/explain-headers.ts'
import { explainKeyId, type KnownKey } from '../contract/diagnosis/explain-key-id.ts'
import { explainTimestamp } from '../contract/diagnosis/explain-timestamp.ts'
import type { Mistake } from '../contract/diagnosis/mistake.ts'
import { mistake } from '../contract/diagnosis/mistakes.ts'
import type { Explained } from '../contract/diagnosis/present.ts'
import { rightSigner } from '../contract/diagnosis/right-signer.ts'
import { sentenceOf, UNEXPLAINED_SENTENCE } from '../contract/diagnosis/sentence.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import type { CheckName } from '../sandbox/http/authenticate/index.ts'
import type { Call } from '../sandbox/http/call.ts'
import type { LoggedCall } from '../sandbox/http/request-log.ts'
import { webhookSecrets } from '../sandbox/webhooks/known-secrets.ts'
import type { Credential, World } from '../sandbox/world.ts'
import type { Worlds } from '../sandbox/worlds.ts'

const explained = new WeakMap<LoggedCall, Explained | null>()

/**
 * Why an authentication check refused a call, worked out once and only when somebody asks; null where none did.
 *
 * @example explainRefusal(entry, worlds)?.sentence // 'The key id was used as the secret.'
 */
export function explainRefusal(entry: LoggedCall, worlds: Worlds): Explained | null {
  let refusal = explained.get(entry)
  if (refusal === undefined) {
    refusal = entry.call.refusedBy === null ? null : REASONS[entry.call.refusedBy](entry, worlds)
    explained.set(entry, refusal)
  }
  return refusal
}

const REASONS: Record<CheckName, (entry: LoggedCall, worlds: Worlds) => Explained> = {
  headers: ({ call, answer }) => told(orMessage(explainHeaders(call.rawHeaders), 'header-missing', answer.body)),
  request: ({ answer }) => told(orMessage([], 'request-unusual', answer.body)),
  key: byKey,
  timestamp: byTimestamp,
  query: ({ answer }) => told(orMessage([], 'query-broken', answer.body)),
  signature: bySignature,
  nonce: byNonce,
  'rate-limit': ({ answer }) => told(orMessage([], 'rate-limit', answer.body)),
  scope: byScope,
}

function told(mistakes: readonly Mistake[], signature: CallDiagnosis | null = null): Explained {
  return { sentence: sentenceOf(mistakes), mistakes, signature }
}

/** What the answer says where nothing more is known. */
function orMessage(found: readonly Mistake[], id: Mistake['id'], body: string): readonly Mistake[] {
  return found.length > 0 ? found : [mistake(id, messageOf(body))]
}

function messageOf(body: string): string | undefined {
  const [, quoted] = /"message":("(?:[^"\\]|\\.)*")/.exec(body) ?? []
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string)
}

function byKey({ call }: LoggedCall, worlds: Worlds): Explained {
  if (call.credential) {
    return told([mistake('key-revoked', `the credential ${wordsOf(call.credential, call.world as World)} is revoked`)])
  }
  const known = [...everyKey(worlds)]
  return told([
    explainKeyId(
      call.keyId,
      known,
      unlessBroken(() => rightSigner(arrived(call), known)),
    ),
  ])
}

function* everyKey(worlds: Worlds): Generator<KnownKey & { secret: string; world: World }> {
  for (const world of worlds.list()) {
    for (const credential of world.credentials.values()) {
      const { keyId, name, secret } = credential
      yield { keyId, name, secret, world, words: wordsOf(credential, world) }
    }
  }
}

function wordsOf({ name }: Credential, world: World): string {
  return `${name} of the world ${world.name}`
}

function byTimestamp(entry: LoggedCall, worlds: Worlds): Explained {
  const { call, answer, worldTimeMs } = entry
  const { settings, rules } = call.world as World
  const nowMs = (settings.authClock === 'world' ? worldTimeMs : call.receivedAtMs) + settings.authSkewSeconds * 1_000
  const found = explainTimestamp(call.timestamp, nowMs, rules.timestamp.pastSeconds)
  const mistakes = orMessage(found ? [found] : [], 'timestamp-not-seconds', answer.body)
  const signature = signatureOf(call, worlds)
  const { sentence } = told([...mistakes, ...(signature?.mistakes ?? [])])
  return {
    sentence: sentence + clockNote(call.world as World),
    mistakes: [...mistakes, ...(signature?.mistakes ?? [])],
    signature,
  }
}

/** A clock that an operator has set is no fault of the caller's. */
function clockNote({ settings }: World): string {
  if (settings.authClock === 'world') return ' This world judges timestamps by its own clock.'
  const skew = settings.authSkewSeconds
  return skew === 0 ? '' : ` The clock that judges timestamps in this world was set ${skew} seconds off by an operator.`
}

function bySignature({ call }: LoggedCall, worlds: Worlds): Explained {
  const signature = signatureOf(call, worlds)
  if (signature?.verdict === 'explained') return told(signature.mistakes, signature)
  const signer = unlessBroken(() => rightSigner(arrived(call), everyKey(worlds)))
  if (!signer) return { sentence: UNEXPLAINED_SENTENCE, mistakes: [], signature }
  return told([mistake('secret-of-another', `the secret of ${signer.words} was used`)], signature)
}

function signatureOf(call: Call, worlds: Worlds): CallDiagnosis | null {
  const { world, credential } = call
  if (!world || !credential || !worlds.list().includes(world)) return null
  const compare = world.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : compareByCodePoint
  const signer = { keyId: credential.keyId, secret: credential.secret, others: othersThan(credential, world), compare }
  return unlessBroken(() => diagnoseCall(arrived(call), signer))
}

function othersThan(credential: Credential, world: World) {
  return [
    ...webhookSecrets(world).map((secret) => ({ secret, whose: 'the secret of a webhook' })),
    ...[...world.credentials.values()]
      .filter((other) => other !== credential)
      .map((other) => ({ secret: other.secret, whose: `the secret of ${wordsOf(other, world)}` })),
  ]
}

function byNonce({ call, answer }: LoggedCall): Explained {
  const earlier = call.world?.log
    .latest()
    .find(
      (entry) =>
        entry.call !== call &&
        entry.call.nonce === call.nonce &&
        entry.call.keyId === call.keyId &&
        usedNonce(entry.call),
    )
  if (!earlier) return told(orMessage([], 'nonce-used', answer.body))
  const { id, method, path } = earlier.call
  return told([
    mistake(
      'nonce-used',
      `the nonce was used before, by ${id} (${method} ${path}); every attempt needs a fresh one, a retry too`,
    ),
  ])
}

/** Checks that come before the nonce leave it unused. */
function usedNonce({ refusedBy }: Call): boolean {
  return refusedBy === null || refusedBy === 'rate-limit' || refusedBy === 'scope'
}

function byScope({ call, answer }: LoggedCall): Explained {
  const credential = call.credential as Credential
  const wanted: readonly string[] = call.endpoint === null ? [] : ENDPOINTS[call.endpoint].scopes
  if (wanted.some((scope) => (credential.scopes as ReadonlySet<string>).has(scope))) {
    return told(orMessage([], 'scope-lacking', answer.body))
  }
  const held = credential.scopes.size === 0 ? 'none' : [...credential.scopes].join(', ')
  const says = `${wordsOf(credential, call.world as World)} holds ${held}, and ${call.endpoint} needs ${wanted.join(' or ')}`
  return told([mistake('scope-lacking', says)])
}

function arrived({ method, target, rawHeaders, body, receivedAtMs }: Call): ArrivedCall {
  return { method, target, rawHeaders, body, arrivedAtMs: receivedAtMs }
}

/** The string that a right signature covers; null where there is none. */
export function canonicalStringFor(call: Call): string | null {
  const compare = call.world?.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : compareByCodePoint
  return unlessBroken(() => soundStringOf(arrived(call), compare))
}

function unlessBroken<Value>(make: () => Value): Value | null {
  try {
    return make()
  } catch (error) {
    if (error instanceof MalformedQueryError) return null
    throw error
  }
}
