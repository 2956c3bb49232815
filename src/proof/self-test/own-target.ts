import { targetFromFlags } from '../../conformance/target/load-target.ts'
import { dialectOf } from '../../conformance/target/own-sandbox.ts'
import type { Target, TargetCredential } from '../../conformance/target/target.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { isScope, SCOPES, type Scope } from '../../contract/scopes.ts'
import type { RunningServer } from '../../server.ts'

type Handed = RunningServer['credentials'][number]

/** More than all scenarios together can use: orders in our own sandbox cost nothing, and most scenarios have worlds of their own. */
const OWN_BUDGET = {
  orders: 10_000,
  quotes: 10_000,
  requests: Number.POSITIVE_INFINITY,
  perSecond: null,
  inTenSeconds: Number.POSITIVE_INFINITY,
}

/** A sandbox with a defect holds much back forever: what is missing after this time does not come. */
export const OWN_PATIENCE = { events: 2_000, deliveries: 2_000, reports: 500, refunds: 500 }

/** A target with everything that our own sandbox offers. */
export function ownTarget(server: RunningServer): Target {
  const main = server.credentials.find(({ name }) => name === 'main')
  if (!main) throw new Error('the sandbox has no credential called main')
  const target = targetFromFlags({
    url: server.url,
    keyId: main.key_id,
    secret: main.secret,
    mode: 'operator',
    budget: OWN_BUDGET,
    ...(server.operator ? { operatorUrl: server.operator.url, world: server.world } : {}),
    ...(server.operator?.token ? { operatorToken: server.operator.token } : {}),
  })
  // A revoked credential is refused by design, so it does not count as a capability.
  return {
    ...target,
    dialect: { ...target.dialect, ...dialectOf({ gaps: server.gaps, credentials: [] }) },
    credentials: server.credentials.filter(({ name }) => name !== 'revoked').map(credentialOf),
  }
}

/**
 * The same with keys that the operator makes: for the scopes of each endpoint one that has all others, and the main key of a second
 * world, which is another environment at the same address (CRED-02).
 *
 * @param target of a sandbox with an operator port.
 */
export async function withMoreKeys(target: Target): Promise<Target> {
  const operator = target.operator as NonNullable<Target['operator']>
  const sets = new Map(
    Object.values(ENDPOINTS).map(({ scopes }): [string, readonly Scope[]] => [scopes.join('-'), scopes]),
  )
  const made = await Promise.all(
    [...sets].map(([name, lacked]) => {
      const scopes = SCOPES.filter((scope) => !lacked.includes(scope))
      return create<Handed>(operator, `/${operator.world}/credentials`, { name: `all-but-${name}`, scopes })
    }),
  )
  const { credentials } = await create<{ credentials: Handed[] }>(operator, '', { name: ANOTHER, inventory: 0 })
  const main = credentials.find(({ name }) => name === 'main') as Handed
  const another = { ...credentialOf(main), name: ANOTHER, environment: ANOTHER }
  return { ...target, credentials: [...target.credentials, ...made.map(credentialOf), another] }
}

const ANOTHER = 'another'

/** Has the operator make something in or beside a world. */
async function create<Made>(
  { url, token }: NonNullable<Target['operator']>,
  path: string,
  body: object,
): Promise<Made> {
  const answer = await fetch(`${url}/v1/worlds${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the operator answers ${answer.status} to POST ${path}: ${text}`)
  return JSON.parse(text) as Made
}

function credentialOf(handed: Handed): TargetCredential {
  return {
    name: handed.name,
    keyId: handed.key_id,
    secret: handed.secret,
    scopes: handed.scopes.filter(isScope),
    partner: handed.partner_id,
    affiliate: handed.affiliate,
    merchantOfRecord: handed.merchant_of_record,
  }
}
