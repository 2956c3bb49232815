import { randomBytes } from 'node:crypto'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { Exchange } from '../http/exchange.ts'
import { createSender } from '../http/send.ts'
import type { RunPlan } from '../result/result.ts'
import { isSelected, receiverScenarios } from './all-scenarios.ts'
import { createLanes, DEADLINE_MS, type Workshop } from './bench.ts'
import { EFFECTS_REQUIREMENTS } from './effects-scenarios.ts'
import { createEventMaker } from './event-maker.ts'
import { createEffectsProbe } from './probe-effects.ts'
import type { ReceiverOptions, ReceiverRun } from './receiver-run.ts'
import type { ReceiverScenario } from './scenario.ts'

/** What a run leaves open where nobody says how events were dealt with. */
const UNSEEN =
  'What a receiver does with an event after its answer cannot be seen from outside; --effects-url makes it visible.'
const DEFAULT_TIMEOUT_MS = 10_000

/** What a run starts with; nothing has been sent yet. */
export function openRun(options: ReceiverOptions): ReceiverRun {
  const { wall } = options
  const exchanges: Exchange[] = []
  const scenarios = receiverScenarios(options)
  return {
    options,
    ...{ runId: randomBytes(5).toString('hex'), registry: registryOf(options), scenarios, exchanges },
    plan: planOf(scenarios.filter((scenario) => isSelected(scenario, options))),
    startedAtMs: wall.nowMs(),
    startedMs: wall.monotonicMs(),
    shop: openShop(options, exchanges),
  }
}

function openShop(options: ReceiverOptions, exchanges: Exchange[]): Workshop {
  const { wall, secret, headers = [], ownEvents = [], timeoutMs = DEFAULT_TIMEOUT_MS, insecure = false } = options
  const { origin, pathname, search } = new URL(options.url)
  const extraHeaders = headers.map(({ name, value }) => [name, value] as const)
  const effects = options.effectsUrl === undefined ? null : new URL(options.effectsUrl)
  const settings = { wall, timeoutMs, insecure }
  return {
    sender: createSender({ origin, ...settings }),
    ...{ wall, secret, origin, extraHeaders, timeoutMs, ownEvents },
    target: pathname + search,
    maker: createEventMaker(wall, new Map([...ownEvents].reverse().map(({ type, data }) => [type, data]))),
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    signal: options.signal,
    effects:
      effects &&
      createEffectsProbe(
        createSender({ origin: effects.origin, ...settings }),
        effects.pathname + effects.search,
        decodeURIComponent(effects.hash.slice(1)),
        // Meant for the gateway before the receiver, and for nobody else.
        effects.origin === origin ? extraHeaders : [],
      ),
    ...{ sent: [], created: [], observations: [] },
    lanes: createLanes(1),
    onExchange: (exchange) => exchanges.push(exchange),
  }
}

/** Without a count of the partner's own some rows cannot be seen, and the verdict is about the others. */
function registryOf({ registry, effectsUrl }: ReceiverOptions): RequirementRegistry {
  if (effectsUrl !== undefined) return registry
  return {
    ...registry,
    unobservable: new Map([...registry.unobservable, ...EFFECTS_REQUIREMENTS.map((id) => [id, UNSEEN] as const)]),
  }
}

function planOf(scenarios: readonly ReceiverScenario[]): RunPlan {
  const requestsAtMost = scenarios.reduce((sum, { deliveriesAtMost }) => sum + deliveriesAtMost, 0)
  // What the events tell of is made up: nothing is made at the receiver.
  const besides = {
    ordersAtMost: 0,
    quotesAtMost: 0,
    webhooksAtMost: 0,
    longestWaitMs: 0,
    questionsAtMost: 0,
  }
  return { scenarios: scenarios.length, requestsAtMost, ...besides }
}
