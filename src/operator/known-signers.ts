import { restIn, type Turns } from '../clock/wall-clock.ts'
import { compareByCodePoint, compareByUtf16Unit, MalformedQueryError } from '../contract/canonical-string.ts'
import {
  type ArrivedCall,
  type CallDiagnosis,
  diagnoseCall,
  rightSigner,
  validStringOf,
} from '../contract/diagnosis/diagnose-call.ts'
import type { QueryReading } from '../contract/diagnosis/query-mistakes.ts'
import type { KnownKey } from '../contract/diagnosis/refusals.ts'
import type { Credential, World } from '../sandbox/kernel/world.ts'
import type { Call } from '../sandbox/wire/call.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'

export type KnownWorlds = Pick<Worlds, 'list' | 'find'>

/** A credential of whichever world, as a diagnosis names it. */
export type Signer = KnownKey & { readonly secret: string }

/** Whose secret a call is signed with, if it belongs to any world. */
export function signerOf(call: Call, signers: readonly Signer[], turns: Turns): Promise<Signer | null> {
  return rightSigner(arrived(call), signers, readingOf(call.world), restIn(turns)).catch(nullIfBroken)
}

export function everyKey(worlds: KnownWorlds): Signer[] {
  return worlds.list().flatMap((world) =>
    [...world.credentials.values()].map((credential) => {
      const { keyId, name, secret } = credential
      return { keyId, name, secret, words: wordsOf(credential, world, worlds) }
    }),
  )
}

/** Where there is one world, as in a proxy, its name says nothing. */
export function wordsOf({ name }: Credential, world: World, worlds: KnownWorlds): string {
  return worlds.list().length > 1 ? `${name} of the world ${world.name}` : name
}

/** What a call should have been signed with and what it was; null if it cannot be known. */
export async function signatureOf(call: Call, worlds: KnownWorlds, turns: Turns): Promise<CallDiagnosis | null> {
  const { world, credential } = call
  if (!world || !credential || !worlds.list().some((one) => one === world)) return null
  const { keyId, secret } = credential
  const signer = { keyId, secret, others: othersThan(credential, world, worlds), ...readingOf(world) }
  return diagnoseCall(arrived(call), signer, restIn(turns)).catch(nullIfBroken)
}

function othersThan(credential: Credential, world: World, worlds: KnownWorlds) {
  return [
    ...[...world.webhookSecrets.all].map((secret) => ({ secret, whose: 'the secret of a webhook' })),
    ...[...world.credentials.values()]
      .filter((other) => other !== credential)
      .map((other) => ({ secret: other.secret, whose: `the secret of ${wordsOf(other, world, worlds)}` })),
  ]
}

function arrived({ method, target, rawHeaders, body, receivedAtMs }: Call): ArrivedCall {
  return { method, target, rawHeaders, body, arrivedAtMs: receivedAtMs }
}

/** The string that a right signature covers; null if there is none. */
export function canonicalStringFor(call: Call): string | null {
  try {
    return validStringOf(arrived(call), readingOf(call.world))
  } catch (error) {
    return nullIfBroken(error)
  }
}

/** How the call's world reads a query; as usual where it belongs to none. */
function readingOf(world: World | null): QueryReading {
  return {
    compare: world?.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : compareByCodePoint,
    plus: world?.gaps['plus-sign'] === 'a plus sign' ? '+' : ' ',
  }
}

function nullIfBroken(error: unknown): null {
  if (error instanceof MalformedQueryError) return null
  throw error
}
