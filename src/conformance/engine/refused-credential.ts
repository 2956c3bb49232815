import type { Client } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { type Attempt, converse, type Turn } from '../context/send-call.ts'
import { probe } from '../context/target-clock.ts'
import { type Answer, isAccepted, isRefused } from '../http/answer.ts'
import { isAuthenticationCode } from '../judge/authentication.ts'
import { planOf } from '../signing/sign-plan.ts'
import { describeFault, FAULTS, type Fault, FaultHasNoEffectError } from '../signing/signature-faults.ts'
import type { TargetCredential } from '../target/target.ts'
import { NothingJudgedError } from './run-options.ts'

/** Every sound call of main was refused for who makes it. Nothing visible from outside shows whose fault that is. */
export class CredentialRefusedError extends NothingJudgedError {
  override name = 'CredentialRefusedError'
  /** With what every call was refused. */
  readonly refusal: string

  constructor(message: string, refusal: string) {
    super(message)
    this.refusal = refusal
  }
}

/**
 * Tries main on calls of different shapes: with a query, without one, and, where the run may write, one with a body that
 * makes nothing. Where each of them is refused for who calls or how it is signed, judging would only say so hundreds of times.
 *
 * @throws CredentialRefusedError with what is likely wrong, the likelier first.
 */
export async function checkMainIsTaken(client: Client, { credentials }: Services): Promise<void> {
  const { target } = client.run
  const calls = [...SHAPES, ...(target.mode === 'read' ? [] : [EMPTY_QUOTE])]
  let refusal: string | null = null
  for (const call of calls) {
    refusal = refusalOf(client, await call(client, credentials.main))
    if (refusal === null) return
  }
  const others = target.credentials.filter(({ name }) => name !== credentials.main.name)
  throw new CredentialRefusedError(adviceOf(refusal ?? '', await firstTaken(client, others)), refusal ?? '')
}

type Call = (client: Client, credential: TargetCredential) => Promise<Answer | null>

const SHAPES: readonly Call[] = [probe, reads('orders.list'), reads('events.list')]

function reads(op: 'orders.list' | 'events.list'): Call {
  return async (client, credential) => (await converse(client, { op, plan: planOf(op), credential })).answer
}

/** No target makes a quote of nothing; one that looks at signatures first has to take this one to say so. */
const EMPTY_QUOTE: Call = async (client, credential) => {
  const op = 'quotes.create'
  const plan = { ...planOf(op), body: Buffer.from('{}') }
  return (await converse(client, { op, plan, credential, unsound: true })).answer
}

/** Enough to see whether the target accepts any credential. */
const OTHERS_TRIED = 2

/** The refusal in words where it is one of authentication. */
function refusalOf({ run }: Client, answer: Answer | null): string | null {
  if (!isRefused(answer)) return null
  const { status } = answer
  const found = run.dialect.find('error.code', answer)
  const code = found.found ? String(found.value) : ''
  if (status !== 401 && !isAuthenticationCode(code)) return null
  return `${status} ${code}`.trim()
}

async function firstTaken(client: Client, others: readonly TargetCredential[]): Promise<TargetCredential | null> {
  for (const other of others.slice(0, OTHERS_TRIED)) if (isAccepted(await probe(client, other))) return other
  return null
}

function adviceOf(refusal: string, taken: TargetCredential | null): string {
  const doubt = refusal.endsWith('invalid_timestamp')
    ? 'is the clock of this machine right'
    : 'are key id and secret right'
  const main = `the target refuses every call of main with ${refusal}: ${doubt}?`
  if (taken) return `${main} The credential ${taken.name} is accepted, so it is those of main that are wrong or revoked`
  return `${main} A target that refuses valid calls violates AUTH-01, and from outside the two look alike, so nothing was judged`
}

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
interface TakenWronglySigned {
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
      const turn = await sent(client, { op, plan: planOf(op, query), credential, fault, unsound: true })
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
