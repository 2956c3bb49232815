import { Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import type { Hook } from '../webhooks/receiver.ts'
import { domainSource, madeForCopies, priced } from './domain-source.ts'
import { hookAt } from './hooks.ts'
import { createDomainAtSandbox } from './operator.ts'
import { type Caller, createCaller, type Lease, type NewDomain, type Run } from './run.ts'

/** @param inherited what the world, a copy, has from the run that copied it (`forCopies`). */
export function createFixtures(run: Run, inherited: readonly NewDomain[] = []): Run['fixtures'] {
  const caller = createCaller(run, 'fixtures', 'f')
  const { fixtures } = run.target
  const source = domainSource(caller, inherited)
  let listed: Promise<Lease> | undefined
  let liveSite: Promise<string> | undefined
  let topic: Promise<{ query: string; finds: readonly string[] }> | undefined
  let copied: Promise<readonly NewDomain[]> | undefined
  return {
    ...source,
    listed() {
      listed ??= fixtures.listed[0] === undefined ? source.sellable() : priced(caller, fixtures.listed[0])
      // Another scenario may give one back.
      listed.catch(() => {
        listed = undefined
      })
      return listed
    },
    forgetListed() {
      listed = undefined
    },
    unlisted: () => fixtures.unlisted[0] ?? `unlisted-${run.runId}.example`,
    liveSite() {
      liveSite ??= liveSiteOf(caller)
      return liveSite
    },
    topic() {
      topic ??= topicOf(caller)
      return topic
    },
    webhookUrl: async () =>
      fixtures.webhookUrl ??
      (await unusedReceiver(run))?.url ??
      (run.target.operator?.url ? LOOPBACK_HOOK : PUBLIC_HOOK),
    forCopies() {
      copied ??= madeForCopies(caller)
      return copied
    },
  }
}

/** Every sandbox of ours accepts it; no server needs to listen there. */
const LOOPBACK_HOOK = 'http://127.0.0.1:9/conformance'
const PUBLIC_HOOK = 'https://hooks.example.com/conformance'

/**
 * One hook of the run at which nothing is waited for, so that a registration that only has to be accepted leads somewhere.
 *
 * @throws Open (not_run) if the receiver cannot listen on its address.
 */
export async function unusedReceiver(run: Run): Promise<Hook | null> {
  if (!run.receiver) return null
  run.unusedHook ??= hookAt(run.receiver, 'idle')
  return run.unusedHook
}

async function liveSiteOf(caller: Caller): Promise<string> {
  const { target, runId, worldPrefix } = caller.run
  if (target.fixtures.liveSite[0] !== undefined) return target.fixtures.liveSite[0]
  const domain = `live-${runId}${worldPrefix}.test`
  if (await createDomainAtSandbox(caller, { domain, price_cents: 150_000, live_site: true })) return domain
  throw Open.notRun(
    'needs-fixture',
    noteWith('no domain with an active live site is known', { fixtures: { live_site: ['DOMAIN'] } }),
  )
}

/**
 * A topic of several of these, written together, is a word that no other domain is found by, and that is not in the name. A
 * search that looks for the words in it must find the topic too.
 */
const SHORT_WORDS = 'bike boat book farm fish food game gold home lamp moon park road ship silk star'.split(' ')

async function topicOf(caller: Caller): Promise<{ query: string; finds: readonly string[] }> {
  const { target, runId, worldPrefix } = caller.run
  if (target.fixtures.topic) return target.fixtures.topic
  const query = [...runId].map((digit) => SHORT_WORDS[Number.parseInt(digit, 16)]).join('')
  const domain = `about-${runId}${worldPrefix}.test`
  if (await createDomainAtSandbox(caller, { domain, price_cents: 140_000, topics: [query] }))
    return { query, finds: [domain] }
  throw Open.notRun(
    'needs-fixture',
    noteWith('no word that finds domains by meaning is known; finds has to name all of them', {
      fixtures: { topic: { query: 'WORD', finds: ['DOMAIN'] } },
    }),
  )
}
