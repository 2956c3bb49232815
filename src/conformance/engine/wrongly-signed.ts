import type { Client } from '../context/run-context.ts'
import { type Attempt, converse, type Turn } from '../context/send-call.ts'
import { endpointOf } from '../format/step-names.ts'
import { isAccepted, isRefused } from '../http/answer.ts'
import { describeFault, FAULTS, type Fault, FaultHasNoEffectError } from '../signing/signature-faults.ts'
import type { TargetCredential } from '../target/target.ts'
import { refusalOf } from './refused-credential.ts'

/** The known ways of signing wrongly. */
const WRONG_WAYS: readonly Fault[] = [
  ...Object.keys(FAULTS.canonical.words).map((word) => ({ canonical: word }) as Fault),
  ...(['no_prefix', 'upper_case', 'base64'] as const).map((signature) => ({ signature })),
  { signature: { key: 'key_id' } },
  { timestamp: 'milliseconds' },
]

/** The second covers what the query of the first does not distinguish. */
const READS = [
  { op: 'availability', query: [['domain', 'probe.example']] },
  {
    op: 'domains.search',
    query: [
      ['q', 'roof (solar)'],
      ['q', 'a roof'],
      ['limit', ''],
    ],
  },
] as const

/** A read that was signed wrongly, and taken. */
export interface TakenWronglySigned {
  turn: Turn
  /** The way, in words. */
  way: string
}

/**
 * Of a target that refuses every sound call: signs a read in each of the known wrong ways. One that takes it knows the credential and
 * is wrong itself (AUTH-01); null if it takes none.
 */
export async function takenWronglySigned(
  client: Client,
  credential: TargetCredential,
): Promise<TakenWronglySigned | null> {
  for (const fault of WRONG_WAYS)
    for (const { op, query } of READS) {
      const { method, path } = endpointOf(op)
      const turn = await sent(client, { op, plan: { method, path, query }, credential, fault, unsound: true })
      if (turn === null) continue
      if (isTaken(client, turn)) return { turn, way: inWords(fault) }
      break
    }
  return null
}

/** What is wrong, and how a scenario would write it. */
function inWords(fault: Fault): string {
  const word = typeof fault.canonical === 'string' ? fault.canonical : null
  return word === null ? describeFault(fault) : `${FAULTS.canonical.words[word]} (${describeFault(fault)})`
}

/** Null if the fault changes nothing of this call. */
async function sent(client: Client, attempt: Attempt): Promise<Turn | null> {
  try {
    return await converse(client, attempt)
  } catch (error) {
    if (error instanceof FaultHasNoEffectError) return null
    throw error
  }
}

/** Accepted, or refused for what it asks for. */
function isTaken(client: Client, { answer }: Turn): boolean {
  if (isAccepted(answer)) return true
  return isRefused(answer) && answer.status !== 429 && answer.status !== 404 && refusalOf(client, answer) === null
}
