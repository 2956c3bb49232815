import { bodySha256 } from '../../contract/signature.ts'
import type { Answer } from '../http/exchange.ts'
import type { Run } from './run.ts'

// What rules about the whole run see of its answers. A target with a long past says megabytes.

/** Of all bodies together so much is kept. */
export const MOST_BYTES_KEPT = 24 * 1024 * 1024

/** The part of it that long bodies leave to short ones. */
const BYTES_FOR_SHORT = 8 * 1024 * 1024
const SHORT_BYTES = 8 * 1024

/**
 * An answer with its body, or with the same one of an earlier answer; without any where there is no room left.
 *
 * @param isWrite few calls change anything, and rules are about what those were answered.
 */
export function keptAnswer(memory: Run['memory'], answer: Answer | null, isWrite: boolean): Answer | null {
  if (answer === null) return null
  const { length } = answer.body
  const key = `${answer.op} ${bodySha256(answer.body)}`
  const same = memory.bodies.get(key)
  if (same) return { ...answer, body: same.body, json: same.json }
  const isShort = length <= SHORT_BYTES
  const leftBytes = memory.leftBytes - length
  if (leftBytes < (isShort ? 0 : BYTES_FOR_SHORT) && !(isWrite && isShort))
    return { ...answer, body: new Uint8Array(), json: undefined, leftOutBytes: length }
  memory.leftBytes = leftBytes
  memory.bodies.set(key, answer)
  return answer
}
