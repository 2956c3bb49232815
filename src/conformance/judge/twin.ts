import { wellFormed } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import type { Session } from '../context/scenario-run.ts'
import { type Attempt, converse, type Turn } from '../context/send-call.ts'
import { probe } from '../context/target-clock.ts'
import { endpointOf } from '../format/step-names.ts'
import { type Answer, isAccepted, statusWord } from '../http/answer.ts'
import type { TargetCredential } from '../target/target.ts'
import { isAuthenticationRefusal, isPlainRefusal, isSignatureLookedAt } from './authentication.ts'
import type { Judgement } from './judgement.ts'

/** Whether a refusal meant anything: was the same call, sound, accepted? */
export type Control =
  | { kind: 'worked'; words: string; twin: Turn | null }
  | { kind: 'failed'; words: string; twin: Turn | null }
  /** Nothing of the kind has been accepted yet; what the run sees later decides. */
  | { kind: 'pending'; awaited: Awaited }

/** An acceptance that a verdict waits for; `op` null: any call of the credential. */
export interface Awaited {
  op: EndpointId | null
  credential: string
  /** The credential whose acceptance of `op` will do, where this one's own never comes. */
  main: string
}

/** The sound call beside a faulty one: what a twin would send. */
export interface Twin {
  attempt: Attempt
  /** It may be sent: it changes nothing. */
  harmless: boolean
  /** It is the same call, not merely the same operation. */
  exact: boolean
}

/** The faulty call: what it was answered, and whether it is authentication that it should have failed. */
export interface FaultyAnswer {
  answer: Answer | null
  failsAuthentication: boolean
}

/** Sends the twin where that is harmless, and looks for evidence elsewhere in the run where it is not. */
export async function controlOf(session: Session, twin: Twin, faulty: FaultyAnswer): Promise<Control> {
  const { attempt } = twin
  if (twin.harmless && twin.exact) return sendTwin(session, attempt, faulty)
  const seen = evidenceOf(session, awaitedOf(session, attempt))
  if (seen) return seen
  if (attempt.op !== null && endpointOf(attempt.op).effect === 'read') {
    const plan = await ordinaryRead(session, attempt.op)
    if (plan) return sendTwin(session, { op: attempt.op, plan, credential: attempt.credential })
  }
  // Where only another credential is known to be good for this operation, this one must at least be good for something.
  if (session.campaign.evidence.ofCredential(attempt.credential.name) === undefined)
    await probe(session, attempt.credential)
  return evidenceOf(session, awaitedOf(session, attempt)) ?? { kind: 'pending', awaited: awaitedOf(session, attempt) }
}

async function sendTwin(session: Session, attempt: Attempt, faulty?: FaultyAnswer): Promise<Control> {
  const twin = await converse(session, attempt)
  const words = `the sound twin was answered ${statusWord(twin.answer)}`
  const worked = isAccepted(twin.answer) || (faulty !== undefined && (await hasPassed(session, twin, faulty)))
  return { kind: worked ? 'worked' : 'failed', words, twin }
}

/** Whether a twin that was refused for what it asks for is known to have passed authentication before that. */
async function hasPassed(session: Session, { attempt, answer }: Turn, faulty: FaultyAnswer): Promise<boolean> {
  if (!isPlainRefusal(session, answer)) return false
  if (isAuthenticationRefusal(session, faulty.answer)) return true
  return faulty.failsAuthentication && isSignatureLookedAt(session, attempt)
}

function awaitedOf(session: Session, attempt: Attempt): Awaited {
  return { op: attempt.op, credential: attempt.credential.name, main: session.desk.cast.main.name }
}

/** What has been accepted so far that a verdict may lean on. */
export function evidenceOf({ campaign }: Pick<Session, 'campaign'>, { op, credential, main }: Awaited): Control | null {
  const { evidence } = campaign
  const own = op === null ? evidence.ofCredential(credential) : evidence.of(op, credential)
  if (own !== undefined) return { kind: 'worked', words: `a sound call was accepted in ${own}`, twin: null }
  if (op === null || credential === main) return null
  const other = evidence.of(op, main)
  if (other === undefined || evidence.ofCredential(credential) === undefined) return null
  return { kind: 'worked', words: `a sound call of ${main} was accepted in ${other}`, twin: null }
}

/** A call of a reading operation that any sound target accepts; null where that takes something to read first. */
async function ordinaryRead(session: Session, op: EndpointId): Promise<Attempt['plan'] | null> {
  const { method, path } = endpointOf(op)
  if (op === 'availability' || op === 'pricing') {
    return { method, path, query: [['domain', (await session.desk.fixtures.listed()).domain]] }
  }
  if (op === 'domains.detail') {
    const { domain } = await session.desk.fixtures.listed()
    return { method, path: path.replace('{name}', encodeURIComponent(wellFormed(domain))), query: [] }
  }
  if (op === 'domains.search') return { method, path, query: [['q', 'solar']] }
  if (op === 'brokerage.eligibility')
    return { method, path, query: [['domain', (await session.desk.fixtures.listed()).domain]] }
  return path.includes('{') ? null : { method, path, query: [] }
}

/** A judgement in the light of its control. A failed control means that nothing was proved, either way. */
export function underControl(judgement: Judgement, control: Control): Judgement & { twin?: string; awaited?: Awaited } {
  if (judgement.certain || judgement.verdict === 'not_run' || judgement.verdict === 'inconclusive') return judgement
  if (control.kind === 'worked') return { ...judgement, twin: control.words }
  if (control.kind === 'pending') return { ...judgement, awaited: control.awaited }
  const note = 'the same call without its fault was not accepted either, so this refusal proves nothing'
  return { ...judgement, verdict: 'inconclusive', note, twin: control.words }
}

/** Who the twin of a step calls as: whoever should have been able to. */
export function twinCredential(session: Session, as: unknown, own: TargetCredential): TargetCredential {
  const lacksSomething = typeof as === 'object' || as === 'no_affiliate' || as === 'not_merchant'
  return lacksSomething ? session.desk.cast.main : own
}
