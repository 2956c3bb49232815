import type { Compared } from '../contract/grounds.ts'
import { HEADERS } from '../contract/headers.ts'
import { fingerprintOf } from '../sandbox/app/idempotency.ts'
import type { LoggedCall } from '../sandbox/app/log.ts'
import { type Call, headerValues } from '../sandbox/wire/call.ts'
import type { Exchange } from '../sandbox/wire/route.ts'
import { quoted } from '../sandbox/wire/validation.ts'
import type { KnownWorlds } from './known-signers.ts'

/** The earlier call that used a nonce up; null if the log no longer has it. */
export function firstUseOfNonce({ call }: Exchange, worlds: KnownWorlds, usesUp: (call: Call) => boolean) {
  const isFirst = ({ call: other }: LoggedCall) =>
    other !== call && other.nonce === call.nonce && other.keyId === call.keyId && usesUp(other)
  return logOf(call, worlds).find(isFirst) ?? null
}

/** The call that an Idempotency-Key was used for first; null if the log no longer has it. */
export function firstUseOfKey({ call }: Exchange, worlds: KnownWorlds): LoggedCall | null {
  const { world, grounds } = call
  const key = keyOf(call)
  if (world === null || key === undefined || grounds?.keyUsedFor === undefined) return null
  const isFirst = ({ call: other, answer }: LoggedCall) =>
    other !== call &&
    other.credential?.partnerId === call.credential?.partnerId &&
    keyOf(other) === key &&
    answer.status < 500 &&
    other.grounds?.keyUsedFor === undefined &&
    fingerprintOf(other.body, world.gaps) === grounds.keyUsedFor
  return logOf(call, worlds).findLast(isFirst) ?? null
}

function keyOf(call: Call): string | undefined {
  return headerValues(call, HEADERS.idempotencyKey)[0]
}

/** Newest first. */
function logOf({ world }: Call, worlds: KnownWorlds): LoggedCall[] {
  return worlds.find(world?.name ?? '')?.log.latest() ?? []
}

const MOST_DIFFERENCES = 10
/** A secret that is registered nowhere is known by the name of its member only. */
const SECRET_NAME = /secret$/i

/** The members in which the body of a call differs from that of an earlier one, as JSON. */
export function differences(sent: Uint8Array, first: Uint8Array): Compared[] {
  const [now, before] = [membersOf(sent), membersOf(first)]
  const names = [...new Set([...now.keys(), ...before.keys()])]
  return names
    .filter((name) => now.get(name) !== before.get(name))
    .slice(0, MOST_DIFFERENCES)
    .map((name) => ({ name, sent: shown(name, now.get(name)), expected: shown(name, before.get(name)) }))
}

function shown(name: string, json: string | undefined): string | null {
  if (json === undefined) return null
  return SECRET_NAME.test(name) ? '[redacted]' : quoted(JSON.parse(json))
}

/** Every scalar of a JSON body by its path, as JSON; of another body the whole text. */
function membersOf(body: Uint8Array): Map<string, string> {
  const text = Buffer.from(body).toString('utf8')
  const members = new Map<string, string>()
  try {
    collect(JSON.parse(text), '', members)
  } catch {
    members.set('the body', JSON.stringify(text))
  }
  return members
}

function collect(value: unknown, path: string, into: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) into.set(path || 'the body', JSON.stringify(value))
  else for (const [name, inner] of Object.entries(value)) collect(inner, path === '' ? name : `${path}.${name}`, into)
}
