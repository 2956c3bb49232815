import { isDeepStrictEqual } from 'node:util'
import type { EndpointId } from '../../contract/endpoints.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import type { CredentialChoice } from '../format/scenario.ts'
import { Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import { isElsewhere, type Target, type TargetCredential, whereTold } from '../target/target.ts'
import { createCaller, type Run } from './run.ts'
import { converse } from './send-call.ts'

/**
 * One harmless read for each scope, to find out what a credential with unknown scopes can do. A scope without a read may be
 * held: its first call decides.
 */
const PROBES: Partial<Record<Scope, { op: EndpointId; query: readonly (readonly [string, string])[] }>> = {
  search: { op: 'availability', query: [['domain', 'probe.example']] },
  buy: { op: 'settlements.list', query: [] },
  broker: { op: 'brokerage.eligibility', query: [['domain', 'probe.example']] },
  refer: { op: 'links.list', query: [] },
  report: { op: 'transactions.list', query: [] },
  webhook: { op: 'events.list', query: [] },
}

export function createCredentials(run: Run): Run['credentials'] {
  // Those of another environment have an inventory and orders of their own: they replace no other credential here.
  const credentials = run.target.credentials.filter((credential) => !isElsewhere(run.target, credential))
  const main = credentials.find(({ name }) => name === 'main')
  if (!main) throw new RangeError('the target has no credential called main')
  const probed = new Map<string, Promise<readonly Scope[]>>()
  const scopesOf = (credential: TargetCredential): Promise<readonly Scope[]> => {
    if (credential.scopes !== null) return Promise.resolve(credential.scopes)
    const known = probed.get(credential.name) ?? probeScopes(run, credential)
    probed.set(credential.name, known)
    return known
  }
  const samePartner = credentials.filter(({ partner }) => partner === main.partner)
  return {
    main,
    scopesOf,
    called(name) {
      const known = credentials.find((credential) => credential.name === name)
      if (known) return known
      // A likely mistake: the target looks up the secret by partner, not by key id. Without a second key, another partner's will do.
      if (name === 'another_key') return samePartner.find((each) => each !== main) ?? this.pick('other_partner')
      if (isOther(name)) return this.pick(name)
      throw Open.notRun('needs-partner', lacking(run.target, `called ${name}`, { name, partner: main.partner }))
    },
    pick(choice = 'main', anyPartner = false) {
      if (choice === 'main') return main
      if (typeof choice === 'string') {
        const { fits, reason = 'needs-partner', which, row } = OTHERS[choice]
        const all = choice === 'other_environment' ? run.target.credentials : credentials
        const other = widestOf(all.filter((one) => fits(one, main, run.target)))
        if (other) return other
        throw Open.notRun(reason, lacking(run.target, which, row))
      }
      const found = byScope(samePartner, choice) ?? (anyPartner ? byScope(credentials, choice) : undefined)
      if (found) return found
      const whose = anyPartner ? '' : 'of the main partner '
      // Whether there are keys without scopes is up to the target.
      const reason = 'only' in choice && choice.only === 'none' ? 'open-point' : 'needs-scope'
      throw Open.notRun(reason, lacking(run.target, `${whose}${scopeWords(choice)}`, keyFor(choice, main)))
    },
  }
}

/** A credential beside main that a scenario may ask for by a word. */
interface OtherKey {
  fits(credential: TargetCredential, main: TargetCredential, target: Target): boolean
  /** Why a scenario is not run for want of one; needs-partner where absent. */
  readonly reason?: 'needs-environment'
  readonly which: string
  readonly row: KeyToAdd
}

/** A line of `credentials` in a target file, without the key and its secret. */
interface KeyToAdd {
  readonly name: string
  readonly [key: string]: unknown
}

const OTHERS: Readonly<Record<Exclude<CredentialChoice, object | 'main'>, OtherKey>> = {
  other_partner: {
    fits: ({ partner }, main) => partner !== main.partner,
    which: 'of a second partner',
    row: { name: 'other', partner: 'other' },
  },
  other_environment: {
    fits: (credential, _main, target) => isElsewhere(target, credential),
    reason: 'needs-environment',
    which: 'of another environment',
    // With all that scenarios ask of it: what is missing is said once.
    row: { name: 'elsewhere', environment: 'ENVIRONMENT', scopes: SCOPES.filter((scope) => scope !== 'embed') },
  },
  no_affiliate: {
    fits: ({ affiliate }) => affiliate === false,
    which: 'that is not linked to an affiliate account',
    row: { name: 'unlinked', partner: 'unlinked', affiliate: false },
  },
  not_merchant: {
    fits: ({ merchantOfRecord }) => merchantOfRecord === false,
    which: 'that is not merchant of record',
    row: { name: 'not_merchant', partner: 'not_merchant', merchant_of_record: false },
  },
}

function isOther(name: string): name is keyof typeof OTHERS {
  return Object.hasOwn(OTHERS, name)
}

/** Whether a read can show that a credential holds this scope. */
export function canBeProbed(scope: Scope): boolean {
  return PROBES[scope] !== undefined
}

async function probeScopes(run: Run, credential: TargetCredential): Promise<readonly Scope[]> {
  const caller = createCaller(run, 'discovery', `d_${credential.name}_`)
  const held = await Promise.all(
    SCOPES.map(async (scope) => {
      const probe = PROBES[scope]
      if (!probe) return true
      const { answer } = await converse(caller, callTo(probe.op, credential, probe.query))
      return answer !== null && answer.status !== 403
    }),
  )
  return SCOPES.filter((_, index) => held[index])
}

/**
 * The one with the most scopes: it should be able to do everything that main can. A link to an affiliate account and being merchant of
 * record count as a scope each.
 */
function widestOf(credentials: readonly TargetCredential[]): TargetCredential | undefined {
  const mayDo = ({ scopes, affiliate, merchantOfRecord }: TargetCredential) =>
    (scopes ?? SCOPES).length - [affiliate, merchantOfRecord].filter((flag) => flag === false).length
  return [...credentials].sort((a, b) => mayDo(b) - mayDo(a))[0]
}

/** The fewest scopes that will do: the same few keys then serve for many scenarios. */
function keyFor(choice: Exclude<CredentialChoice, string>, { partner }: TargetCredential): KeyToAdd {
  const lacked = 'only' in choice ? [] : lackedBy(choice)
  const scope = 'only' in choice ? choice.only : (SCOPES.find((one) => !lacked.includes(one)) ?? 'none')
  return { name: scope === 'none' ? 'no_scope' : `only_${scope}`, partner, scopes: scope === 'none' ? [] : [scope] }
}

function lacking(target: Target, which: string, { name, ...more }: KeyToAdd): string {
  const secret = `\${env:${name.toUpperCase()}_SECRET}`
  const row = { name, ...more, key_id: 'KEY_ID', secret }
  return noteWith(`${whereTold(target)} no credential ${which}`, { credentials: [row] })
}

/** The credential that holds just these scopes, or lacks those; undefined if there is none. */
function byScope(
  credentials: readonly TargetCredential[],
  choice: Exclude<CredentialChoice, string>,
): TargetCredential | undefined {
  const declared = credentials.filter(({ scopes }) => scopes !== null)
  if ('only' in choice) {
    const wanted = choice.only === 'none' ? [] : [choice.only]
    return declared.find(({ scopes }) => isDeepStrictEqual(scopes, wanted))
  }
  const lacked = lackedBy(choice)
  // Of those that lack it the widest, so that nothing but the lacking scope can be the reason.
  return widestOf(
    declared.filter(({ scopes }) => lacked.every((scope) => !scopes?.includes(scope)) && scopes?.length !== 0),
  )
}

function lackedBy({ without }: { without: Scope | Scope[] }): Scope[] {
  return typeof without === 'string' ? [without] : without
}

function scopeWords(choice: Exclude<CredentialChoice, string>): string {
  if (!('only' in choice)) return `without ${lackedBy(choice).join(' and ')}`
  return choice.only === 'none'
    ? 'with no scope at all, and the target may have none'
    : `with only the scope ${choice.only}`
}
