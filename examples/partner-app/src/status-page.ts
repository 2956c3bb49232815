import type { Purchase } from './purchases.ts'

/** What a customer reads for each status of the service. */
const WORDS: Record<string, string> = {
  placing: 'We are placing your order.',
  EXTERNALLY_PAID: 'Your order is placed; the transfer will start soon.',
  MANUAL_REVIEW: 'Your order is being checked. That may take a day.',
  TRANSFER_IN_PROGRESS: 'The domain is on its way to you.',
  TRANSFER_COMPLETED: 'The domain is yours.',
  SETTLED: 'The domain is yours.',
  REFUNDED: 'Your money is on its way back.',
  CANCELLED: 'Your order was cancelled.',
}

export function statusPage({ domain, status, problem }: Purchase): string {
  const words = WORDS[status] ?? `Your order could not be placed${problem === null ? '' : ` (${problem})`}.`
  return `<!doctype html><html lang="en"><title>${escaped(domain)}</title><h1>${escaped(domain)}</h1><p>${escaped(words)}</p></html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
