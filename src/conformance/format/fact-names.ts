/** What `page.` leads to in scenarios. */
export const PAGE_FACTS = ['sells', 'forms', 'title', 'text', 'url', 'location', 'content_type'] as const

export type PageFact = (typeof PAGE_FACTS)[number]

export function isPageFact(name: string): name is `page.${PageFact}` {
  return name.startsWith('page.') && (PAGE_FACTS as readonly string[]).includes(name.slice('page.'.length))
}

/** What `delivery.` leads to in scenarios. */
export interface DeliveryFacts {
  readonly method: string
  /** What was after the question mark of the address; empty where there was none. */
  readonly query: string
  readonly at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature?: string
  readonly signed: boolean
  readonly attempt: number
  readonly attempts: number
  readonly answered?: number
  readonly given_up: boolean
  readonly given_up_after_ms?: number
  readonly counted_as_failed: boolean
  readonly in_history?: boolean
}

/** Names of these facts, for the linter. */
export const DELIVERY_FACTS = [
  'method',
  'query',
  'at',
  'headers',
  'body',
  'signature',
  'signed',
  'attempt',
  'attempts',
  'answered',
  'given_up',
  'given_up_after_ms',
  'counted_as_failed',
  'in_history',
] as const satisfies readonly (keyof DeliveryFacts)[]
