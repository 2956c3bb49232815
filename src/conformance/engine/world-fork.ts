import { atSandbox, sendToOperator } from '../context/operator.ts'
import { nothingLearned, type Run } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { answerOf, isAccepted } from '../http/answer.ts'
import { isObject } from '../http/json-body.ts'
import { isElsewhere, type Target, type TargetCredential } from '../target/target.ts'
import { createServices, openThrottle } from './open-run.ts'

/** Services in a copy of the target's world: what happens there disturbs no other scenario. */
export interface WorldFork {
  readonly services: Services
  close(): Promise<void>
}

/**
 * A copy of the target's world as it stands. Only for a sandbox that was started for this run: no other run uses its worlds, and all of
 * them are broken, or sound, and fill open points alike.
 *
 * @param lane begins the ids of exchanges in the copy.
 * @throws Error if the operator makes no copy.
 */
export async function openWorldFork(main: Services, lane: string): Promise<WorldFork> {
  const target = await forked(main.run)
  return {
    services: servicesIn(main, target, lane),
    close: async () => void (await ask(main.run, target, 'DELETE', '')),
  }
}

/**
 * What the target accepts anywhere is evidence everywhere, and so are the bodies and units it takes and how fast its history is;
 * what a world holds, and what time it is there, is its own. What is created there goes with it, so it is not listed among what the
 * run leaves behind.
 */
function servicesIn({ run: shared, bodies }: Services, target: Target, lane: string): Services {
  const { clockOffsetMs, priceUnit, amountUnit, unitAt, agreed, historyLagMs, historyGrowsAt } = shared.learned
  const learned = {
    ...nothingLearned(target),
    ...{ clockOffsetMs, priceUnit, amountUnit, unitAt, agreed, historyLagMs, historyGrowsAt },
  }
  const run = { ...shared, target, lane, learned, created: [], unusedHook: null }
  return createServices({ ...run, throttle: openThrottle(run) }, bodies.found)
}

/** The same target in a copy of its world. */
async function forked(run: Run): Promise<Target> {
  const { target } = run
  const answer = await ask(run, target, 'POST', '/fork')
  if (!target.operator || !isAccepted(answer) || !isObject(answer.json)) throw new Error(NO_COPY)
  const { world, credentials } = answer.json
  const keys = new Map((credentials as HandedKey[]).map((handed) => [handed.name, handed]))
  const own = target.credentials.flatMap((known) =>
    isElsewhere(target, known) ? [known] : renewed(known, keys.get(known.name)),
  )
  if (own.length < target.credentials.length) throw new Error(NO_COPY)
  for (const { secret } of own) run.redactor.add(secret)
  return { ...target, credentials: own, operator: { ...target.operator, world: String(world) } }
}

const NO_COPY = 'the sandbox of this run makes no copy of its world'

interface HandedKey {
  name: string
  key_id: string
  secret: string
}

function renewed(known: TargetCredential, handed: HandedKey | undefined): TargetCredential[] {
  return handed ? [{ ...known, keyId: handed.key_id, secret: handed.secret }] : []
}

/** Its answers hold secrets and prove nothing, so the transcript leaves them out. */
async function ask(run: Run, target: Target, method: string, path: string) {
  if (!target.operator?.url) return null
  const json = method === 'POST' ? {} : undefined
  const { outcome } = await sendToOperator(run, atSandbox(target, method, path, json))
  return answerOf(outcome, null)
}
