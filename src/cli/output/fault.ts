import type { Row } from './records.ts'

/**
 * What a fault or a magic name did to a call, and which of the two it was.
 *
 * @example mishapText({ mishap: 'drop', fault: null }) // 'drop by magic name'
 */
export function mishapText({ mishap, fault }: Row): string | null {
  if (typeof mishap !== 'string') return null
  return `${mishap} by ${typeof fault === 'string' ? fault : 'magic name'}`
}
