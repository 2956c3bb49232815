/**
 * Refuses a race in which one of the two does less: their answers to the same calls must have the same members in the same
 * order, and the same length on average.
 *
 * @param {string[]} own bodies of the sandbox
 * @param {string[]} rival
 * @param {number} tolerance how much longer the answers of one may be, as a share
 * @throws Error that says what differs
 */
export function refuseOtherAnswers(name, own, rival, tolerance) {
  const [left, right] = [own, rival].map((bodies) => bodies.map(shapeOf).reduce(fuller))
  if (left !== right) throw new Error(`${name}: the sandbox answers ${left}, the rival ${right}`)
  const [ownBytes, rivalBytes] = [own, rival].map((bodies) => Buffer.byteLength(bodies.join('')) / bodies.length)
  if (Math.abs(ownBytes / rivalBytes - 1) > tolerance)
    throw new Error(`${name}: the sandbox answers ${ownBytes} bytes on average, the rival ${rivalBytes}`)
}

function shapeOf(body) {
  return JSON.stringify(membersOf(JSON.parse(body)))
}

/** Names of members, down to those of the first thing in a list; of values nothing, because null stands for any. */
function membersOf(value) {
  if (Array.isArray(value)) return value.slice(0, 1).map(membersOf)
  if (value === null || typeof value !== 'object') return 0
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, membersOf(inner)]))
}

/** An empty list shows no members, so that of many answers the one with most is compared. */
function fuller(one, other) {
  return other.length > one.length ? other : one
}
