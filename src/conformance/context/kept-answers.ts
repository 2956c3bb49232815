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
 * An answer with its body, or with the same one of an earlier answer; without any where there is no room left. The latest long ones stay:
 * what a list had on it before the run says little.
 *
 * @param isWrite few calls change anything, and rules are about what those were answered.
 */
export function keptAnswer(memory: Run['memory'], answer: Answer | null, isWrite: boolean): Answer | null {
  if (answer === null) return null
  const { length } = answer.body
  const key = `${answer.op} ${bodySha256(answer.body)}`
  const [same] = memory.bodies.get(key) ?? []
  if (same) return kept(memory, key, { ...answer, body: same.body, json: same.json })
  const isShort = length <= SHORT_BYTES
  const room = isShort ? 0 : BYTES_FOR_SHORT
  if (!isShort) makeRoom(memory, room + length)
  if (memory.leftBytes - length < room && !(isWrite && isShort)) return { ...answer, ...withoutBody(length) }
  memory.leftBytes -= length
  // Who made the call may read the whole answer after this.
  return kept(memory, key, isShort ? answer : { ...answer })
}

function kept({ bodies }: Run['memory'], key: string, answer: Answer): Answer {
  const same = bodies.get(key)
  if (same) same.push(answer)
  else bodies.set(key, [answer])
  return answer
}

/** Gives up the earliest long answers of the operation that has the most of them in bytes, until so many are left. */
function makeRoom(memory: Run['memory'], bytes: number): void {
  while (memory.leftBytes < bytes) {
    const long = [...memory.bodies].filter(([, [first]]) => lengthOf(first) > SHORT_BYTES)
    const held = new Map<Answer['op'], number>()
    for (const [, [first]] of long) if (first) held.set(first.op, (held.get(first.op) ?? 0) + lengthOf(first))
    const most = Math.max(...held.values())
    const [key, answers = []] = long.find(([, [first]]) => first && held.get(first.op) === most) ?? []
    if (key === undefined) return
    const length = lengthOf(answers[0])
    memory.bodies.delete(key)
    memory.leftBytes += length
    for (const answer of answers) Object.assign(answer, withoutBody(length))
  }
}

function lengthOf(answer: Answer | undefined): number {
  return answer?.body.length ?? 0
}

function withoutBody(leftOutBytes: number): Pick<Answer, 'body' | 'json' | 'leftOutBytes'> {
  return { body: new Uint8Array(), json: undefined, leftOutBytes }
}
