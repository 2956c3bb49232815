import type { Fault } from '../../../operator-api/rows/faults.ts'

/** @example matchWords(match) // 'orders.create is called by main for a.test' */
export function matchWords({ endpoint, credential, key_id, domain, public_id }: Fault['match']): string {
  const by = credential ?? key_id
  const about = domain ?? public_id
  return `${endpoint ?? 'any endpoint'} is called by ${by ?? 'anyone'}${about === null ? '' : ` for ${about}`}`
}

const DROPS = {
  'before-commit': 'drop the connection before anything is written',
  'after-commit': 'drop the connection after commit',
} as const

/** What it does, as a clause. */
export function effectWords(effect: Fault['effect']): string {
  const { drop, delay_ms: delayMs, garbage, retry_after: retryAfter, retry_after_seconds: seconds } = effect
  if (drop !== undefined) return DROPS[drop]
  if (delayMs !== undefined) return `delay the answer by ${delayMs / 1_000} s`
  if (garbage !== undefined) return `answer garbage${typeof garbage === 'string' ? ` (${garbage})` : ''}`
  const wait = retryAfter ?? seconds
  const refusal = [effect.status, effect.code].filter((part) => part !== undefined).join(' ')
  return `answer ${refusal || 'an error'}${wait === undefined ? '' : `, Retry-After ${wait} s`}`
}

export function timesWords({ times, probability, seed }: Pick<Fault, 'times' | 'probability' | 'seed'>): string {
  const count = times === null ? 'every time' : times === 1 ? 'once' : `${times} times`
  return probability === 1 ? count : `${count}, with ${probability * 100} % chance (seed ${seed ?? 'none'})`
}
