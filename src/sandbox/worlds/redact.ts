import { createSecretFinder, redactedValue, type SecretFinder } from '../../contract/redact.ts'
import type { Credential, World } from '../kernel/world.ts'

/** Takes secrets out of what was sent to us, wherever and however they were sent (CRED-03). */
export interface Redactor {
  text(value: string): string
  bytes(value: Uint8Array): Uint8Array
  /**
   * Every text inside a value, at any depth.
   *
   * @param kept name of the members that are left as they are.
   */
  all<Value>(value: Value, kept?: string): Value
}

const REDACTED = '[redacted]'
/** What looks like a secret of any environment does not belong in a log. */
const ANY_SECRET = /sk_(?:sandbox|test|live)_[A-Za-z0-9]+/gi
/** A webhook secret in a call that was refused is registered nowhere, so it is found by the member it is in. */
const SECRET_MEMBER = /("[\w-]*secret"\s*:[\s[]*)(?:"(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/gi
/** The password in an address, with what is before it. */
const PASSWORD = /(https?:(?:\\?\/){2}[^\s/?#"@:\\]*:)[^\s/?#"\\]+@/gi

/** So much of a secret of ours is taken for it: what quotes a value may have cut it short. */
const LEAST_OPAQUE = 8
/** A partner chose a webhook secret, maybe out of ordinary words: no short beginning of it is taken for it. */
const LEAST_CHOSEN = 16
/** A shorter secret of a webhook would be found in ordinary words, and is not looked for. */
const SHORTEST_CHOSEN = 8

/** Of a caller, a webhook's as a partner chose it, or the operator's token. */
type Secret = Credential | string

/**
 * Redacts by value: the secrets themselves are looked for, not the fields in which they ought to be, so a secret in
 * the wrong header, in a path or inside Basic credentials is found as well.
 *
 * @param worlds all of them, because a call that belongs to no world may carry any world's secret.
 * @param others further secrets.
 * @returns the redactor for the secrets of the moment.
 */
export function createRedactors(worlds: () => readonly World[], others: readonly string[] = []): () => Redactor {
  let finder = createSecretFinder()
  let redactor = redactorOf(finder)
  // A credential that has changed is another object. Who looks on at a busy server asks with every call.
  let known = new Set<Secret>()
  return () => {
    const ofWorlds = worlds().flatMap((world) => [...world.credentials.values(), ...world.webhookSecrets.all])
    const secrets: Secret[] = [...others, ...ofWorlds]
    if (known.size > 2 * secrets.length) {
      finder = createSecretFinder()
      redactor = redactorOf(finder)
      known = new Set()
    }
    for (const secret of secrets) {
      if (known.has(secret)) continue
      known.add(secret)
      if (typeof secret !== 'string') finder.add(opaquePartOf(secret.secret), LEAST_OPAQUE)
      else if (secret.length >= SHORTEST_CHOSEN) finder.add(secret, LEAST_CHOSEN)
    }
    return redactor
  }
}

/** The part that is secret: it may have been sent without its prefix. */
function opaquePartOf(secret: string): string {
  const opaque = secret.replace(/^sk_[a-z]+_/, '')
  return opaque.length >= LEAST_CHOSEN ? opaque : secret
}

function redactorOf(finder: SecretFinder): Redactor {
  const text = (value: string) =>
    finder.replaced(value.replace(ANY_SECRET, REDACTED).replace(PASSWORD, `$1${REDACTED}@`), REDACTED)
  const inMembers = (value: string) => value.replace(SECRET_MEMBER, `$1"${REDACTED}"`)
  return {
    text,
    // One character a byte, so that a secret inside bytes that are not text is found too.
    bytes: (value) => Buffer.from(inMembers(text(Buffer.from(value).toString('latin1'))), 'latin1'),
    all: <Value>(value: Value, kept?: string) => redactedValue(value, text, kept) as Value,
  }
}
