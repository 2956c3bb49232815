import { type Campaign, targetNowMs } from '../context/run-context.ts'
import { endpointOf } from '../format/step-names.ts'
import { createTraffic, isMute, type Traffic } from '../http/throttle.ts'
import { signPlan } from '../signing/sign-plan.ts'

/** Calls under way at most: away from loopback a target is shared with others. */
const CALLS_AT_ONCE = { loopback: 64, elsewhere: 4 } as const

const FIRST_PAUSE_MS = { loopback: 50, elsewhere: 500 } as const

/** The traffic of a run, or of one of its side worlds, whose limits are its own. */
export function openTraffic(campaign: Omit<Campaign, 'traffic'>, mostAtOnce?: number): Traffic {
  const { wall, signal, halt, pause } = campaign
  const place = campaign.loopback ? 'loopback' : 'elsewhere'
  return createTraffic({
    ...{ wall, signal, pause },
    mostAtOnce: mostAtOnce ?? CALLS_AT_ONCE[place],
    firstPauseMs: FIRST_PAUSE_MS[place],
    targetNowMs: () => targetNowMs(campaign),
    isAlive: () => isAlive(campaign),
    onGivenUp: halt.stop,
  })
}

/** One sound read, beside all turns; whatever it is answered will do. */
async function isAlive(campaign: Omit<Campaign, 'traffic'>): Promise<boolean> {
  const main = campaign.target.credentials.find(({ name }) => name === 'main')
  if (!main) return false
  const { method, path } = endpointOf('availability')
  const at = { timestampSeconds: Math.floor(targetNowMs(campaign) / 1_000), nonce: campaign.uuid() }
  const { wire } = signPlan({ method, path, query: [['domain', 'probe.example']] }, main, at)
  return !isMute(await campaign.sender.send(wire, campaign.signal ? { signal: campaign.signal } : {}))
}
