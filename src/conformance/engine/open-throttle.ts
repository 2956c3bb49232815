import { type Run, targetNowMs } from '../context/run-context.ts'
import { endpointOf } from '../format/step-names.ts'
import { createThrottle, isMute, type Throttle } from '../http/throttle.ts'
import { signPlan } from '../signing/sign-plan.ts'

/** Calls under way at most: away from loopback a target is shared with others. */
const CALLS_AT_ONCE = { loopback: 64, elsewhere: 4 } as const

const FIRST_PAUSE_MS = { loopback: 50, elsewhere: 500 } as const

/** The throttle of a run, or of one of its world forks, whose limits are its own. */
export function openThrottle(run: Omit<Run, 'throttle'>, mostAtOnce?: number): Throttle {
  const { wall, signal, earlyStop, pause } = run
  const place = run.loopback ? 'loopback' : 'elsewhere'
  return createThrottle({
    ...{ wall, signal, pause },
    mostAtOnce: mostAtOnce ?? CALLS_AT_ONCE[place],
    firstPauseMs: FIRST_PAUSE_MS[place],
    targetNowMs: () => targetNowMs(run),
    isAlive: () => isAlive(run),
    onGivenUp: earlyStop.stop,
  })
}

/** One sound read, beside all turns; any answer will do. */
async function isAlive(run: Omit<Run, 'throttle'>): Promise<boolean> {
  const main = run.target.credentials.find(({ name }) => name === 'main')
  if (!main) return false
  const { method, path } = endpointOf('availability')
  const at = { timestampSeconds: Math.floor(targetNowMs(run) / 1_000), nonce: run.uuid() }
  const { wire } = signPlan({ method, path, query: [['domain', 'probe.example']] }, main, at)
  return !isMute(await run.sender.send(wire, run.signal ? { signal: run.signal } : {}))
}
