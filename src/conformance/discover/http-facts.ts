import { environmentOf } from '../../contract/ids.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { canBeProbed } from '../context/credentials.ts'
import { createClient } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { probe } from '../context/target-clock.ts'
import { isAccepted } from '../http/answer.ts'
import type { RedactedExchange } from '../result/result.ts'
import type { CredentialFacts, HttpFacts } from './discovery.ts'

/** What the answers so far say about the target's HTTP. */
export function httpFacts(log: readonly RedactedExchange[]): HttpFacts {
  const answered = log.filter(({ status }) => status !== null)
  const offset = offsetIn(answered)
  const names = new Set(answered.flatMap(({ responseHeaders }) => responseHeaders.map(([name]) => name.toLowerCase())))
  return {
    date: names.has('date'),
    clockOffsetSeconds: offset,
    keepsConnections: answered.length > 0 && answered.every((one) => !/close/i.test(header(one, 'connection') ?? '')),
    contentType: answered.map((one) => header(one, 'content-type')).find((type) => type !== undefined) ?? null,
    rateLimitHeaders: [...names].filter((name) => /rate-?limit|retry-after/.test(name)).sort(),
  }
}

function header({ responseHeaders }: RedactedExchange, wanted: string): string | undefined {
  return responseHeaders.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

/** Whole seconds: the header has no more, and the way took its time. */
function offsetIn(answered: readonly RedactedExchange[]): number | null {
  for (const one of answered) {
    const at = Date.parse(header(one, 'date') ?? '')
    const between = Date.parse(one.sentAt) + one.tookMs / 2
    if (!Number.isNaN(at)) return Math.round((at + 500 - between) / 1_000) + 0 // no minus zero
  }
  return null
}

/** What each credential of the target file may do, as far as reads show it. */
export async function credentialFacts(services: Services): Promise<CredentialFacts[]> {
  const facts: CredentialFacts[] = []
  for (const credential of services.run.target.credentials) {
    const client = createClient(services.run, 'discover', `k_${credential.name}_`)
    const answer = await probe(client, credential)
    const taken = isAccepted(answer) || answer?.status === 403
    const held = taken ? await services.credentials.scopesOf({ ...credential, scopes: null }) : []
    facts.push({
      name: credential.name,
      environment: environmentOf(credential.keyId) ?? 'unknown',
      taken,
      holds: held.filter(canBeProbed),
      lacks: taken ? SCOPES.filter((scope) => canBeProbed(scope) && !held.includes(scope)) : [],
      untold: SCOPES.filter((scope) => !taken || !canBeProbed(scope)),
    })
  }
  return facts
}
