/** What a credential may be granted (document: Scopes). */
export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const

export type Scope = (typeof SCOPES)[number]

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value)
}
