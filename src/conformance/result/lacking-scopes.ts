/** The scopes that a call takes, any one of them, and what takes it; null where a scenario as a whole says so. */
export type NeededScope = readonly [anyOf: string, op: string | null]

/** @example lackingScopes('main', [['report', 'payouts.list']]) // 'the credential main needs the scope report for payouts.list' */
export function lackingScopes(credential: string, needed: readonly NeededScope[]): string {
  const each = needed.map(([anyOf, op]) => `the scope ${anyOf}${op === null ? '' : ` for ${op}`}`)
  return `the credential ${credential} needs ${each.join(' and ')}`
}

/**
 * What several checks note, each once; of a credential all the scopes that any of them misses, so that one round is enough.
 *
 * @example notesTogether(['the credential main needs the scope buy', 'the credential main needs the scope report for payouts.list'])
 *   // ['the credential main needs the scope buy and the scope report']
 */
export function notesTogether(notes: readonly string[]): string[] {
  const others = new Set<string>()
  const lacking = new Map<string, Set<string>>()
  for (const part of notes.flatMap((note) => (LACKING.test(note) ? note.split('; ') : [note]))) {
    const [, credential, needs = ''] = LACKING.exec(part) ?? []
    if (credential === undefined) others.add(part)
    else lacking.set(credential, new Set([...(lacking.get(credential) ?? []), ...scopesIn(needs)]))
  }
  const told = [...lacking].map(([credential, scopes]) => {
    // What another one of them serves, too, is not asked for besides.
    const fewest = [...scopes].filter((one) => !one.split(' or ').some((scope) => scope !== one && scopes.has(scope)))
    return lackingScopes(
      credential,
      fewest.map((scope) => [scope, null]),
    )
  })
  return [...told, ...others]
}

const LACKING = /^the credential (\S+) needs (the scope .+)$/

function scopesIn(needs: string): string[] {
  return needs.split(' and ').map((one) => one.replace(/^the scope /, '').replace(/ for \S+$/, ''))
}
