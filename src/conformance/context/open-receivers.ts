import { referencesIn } from '../format/expressions.ts'
import type { Scenario, Template } from '../format/scenario.ts'
import { callOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { atPath, parseJson } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import type { Hook } from '../webhooks/delivery.ts'
import type { CallExchange, Run } from './run.ts'

/** What `${receiver.NAME}` may be, beside the names of hooks: facts of the hook main. */
const FACTS = ['url', 'secret']

/** The hooks that a scenario names; none if it does not use the receiver. */
export function hookNames(scenario: Scenario): string[] {
  const steps = [...scenario.steps, ...(scenario.cleanup ?? [])]
  const names = new Set<string>()
  for (const [first, second] of referencesIn([steps, scenario.vars ?? {}] as unknown as Template)) {
    if (first === 'receiver') names.add(FACTS.includes(String(second)) ? 'main' : String(second))
  }
  for (const { hook, receive, quiet } of steps) {
    if (hook) names.add(hook.name ?? 'main')
    if (receive) names.add(receive.hook ?? 'main')
    if (quiet?.hook !== undefined) names.add(quiet.hook)
  }
  // What a webhooks.put registers if it names no URL.
  if (names.size > 0 && steps.some((step) => callOf(step)?.op === 'webhooks.put')) names.add('main')
  return [...names]
}

/** @throws Open (not_run) if the run has no receiver. */
export async function openHooks(run: Run, scenario: Scenario): Promise<Map<string, Hook>> {
  const hooks = new Map<string, Hook>()
  for (const name of hookNames(scenario)) hooks.set(name, await openHook(run, name))
  return hooks
}

async function openHook({ receiver, redactor }: Run, name: string): Promise<Hook> {
  if (!receiver) throw Open.notRun('needs-receiver', NO_RECEIVER)
  const hook = await receiver.openHook(name).catch((error: NodeJS.ErrnoException) => {
    throw Open.notRun('needs-receiver', `the receiver cannot listen on its address (${error.code})`)
  })
  redactor.add(hook.secret)
  return hook
}

export const NO_RECEIVER =
  'no receiver is configured, so the target cannot deliver to this run; add receiver to the target file'

/** Keeps in mind under which secret one of our hooks has been registered. */
export function noteRegistration({ receiver, redactor, wall }: Run, exchange: CallExchange): void {
  if (exchange.call.op !== 'webhooks.put' || !isAccepted(exchange.answer)) return
  const body = parseJson(exchange.call.body ?? new Uint8Array())
  const [url, secret] = [atPath(body, 'url'), atPath(body, 'secret')]
  if (typeof url !== 'string' || typeof secret !== 'string') return
  redactor.add(secret)
  receiver?.hookAt(url)?.register({ secret, sentAtMs: exchange.sentAtMs, acceptedAtMs: wall.nowMs() })
}
