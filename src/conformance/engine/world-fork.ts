import { closeSenders, senderTo } from '../context/open-clients.ts'
import { type Campaign, newLearnt } from '../context/run-context.ts'
import type { Desk } from '../context/scenario-run.ts'
import { answerOf, isAccepted } from '../http/answer.ts'
import { isObject } from '../http/json-body.ts'
import { isElsewhere, type Target, type TargetCredential } from '../target/target.ts'
import { createDesk } from './open-run.ts'
import { openTraffic } from './open-throttle.ts'

/** A desk in a copy of the target's world: what happens there disturbs nobody. */
export interface SideDesk {
  readonly desk: Desk
  close(): Promise<void>
}

/**
 * Copies the target's world as it stands; null where the operator makes no copy. Only for a sandbox that was started for
 * this run: its worlds are nobody else's, and all of them are broken, or sound, and decide open points alike.
 */
export async function openSideDesk(main: Desk, lane: string): Promise<SideDesk | null> {
  const { campaign } = main
  const target = await forked(campaign, campaign.target)
  if (!target) return null
  const desk = deskIn(main, target, lane)
  return { desk, close: () => closed(desk.campaign) }
}

/**
 * What the target accepts anywhere is evidence everywhere, and so are the bodies and units it takes and how fast its history is;
 * what a world holds, and what time it is there, is its own. What is created there goes with it, so it is not listed among what the
 * run leaves behind.
 */
function deskIn({ campaign: shared, bodies }: Desk, target: Target, lane: string): Desk {
  const { clockOffsetMs, priceUnit, amountUnit, unitAt, agreed, historyLagMs, historyGrowsAt } = shared.learnt
  const learnt = {
    ...newLearnt(target),
    ...{ clockOffsetMs, priceUnit, amountUnit, unitAt, agreed, historyLagMs, historyGrowsAt },
  }
  const campaign = { ...shared, target, lane, learnt, created: [] }
  return createDesk({ ...campaign, traffic: openTraffic(campaign) }, bodies.found)
}

async function closed(campaign: Campaign): Promise<void> {
  await ask(campaign, campaign.target, 'DELETE', '')
  closeSenders(campaign)
}

/** The same target in a copy of its world; null where the operator makes none. */
async function forked(campaign: Campaign, target: Target): Promise<Target | null> {
  const answer = await ask(campaign, target, 'POST', '/fork')
  if (!target.operator || !isAccepted(answer) || !isObject(answer.json)) return null
  const { world, credentials } = answer.json
  const keys = new Map((credentials as HandedKey[]).map((handed) => [handed.name, handed]))
  const own = target.credentials.flatMap((known) =>
    isElsewhere(target, known) ? [known] : renewed(known, keys.get(known.name)),
  )
  if (own.length < target.credentials.length) return null
  for (const { secret } of own) campaign.redactor.add(secret)
  return { ...target, credentials: own, operator: { ...target.operator, world: String(world) } }
}

interface HandedKey {
  name: string
  key_id: string
  secret: string
}

function renewed(known: TargetCredential, handed: HandedKey | undefined): TargetCredential[] {
  return handed ? [{ ...known, keyId: handed.key_id, secret: handed.secret }] : []
}

const TIMEOUT_MS = 60_000

/** Its answers hold secrets and prove nothing, so they are no part of the transcript. */
async function ask(campaign: Campaign, { operator }: Target, method: string, path: string) {
  if (!operator?.url) return null
  const body = method === 'POST' ? Buffer.from('{}') : new Uint8Array()
  const headers: [string, string][] = method === 'POST' ? [['content-type', 'application/json']] : []
  if (operator.token) headers.push(['authorization', `Bearer ${operator.token}`])
  const target = `/v1/worlds/${encodeURIComponent(operator.world)}${path}`
  const sender = senderTo(campaign, operator.url)
  return answerOf(await sender.send({ method, target, headers, body }, { timeoutMs: TIMEOUT_MS, fresh: true }), null)
}
