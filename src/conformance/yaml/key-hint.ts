/** Keys that belong elsewhere in a body, with what takes their place there. */
const IN_BODIES: Readonly<Record<string, string>> = {
  same_as: 'to send what another step sent, use bytes_of (the same bytes) or like (the same fields, built again)',
}

/**
 * Where a key that nothing knows would belong, for keys that are often put in the wrong place; empty for any other.
 *
 * @example keyHint(['steps', 0, 'expect'], 'order.public_id') // '; what an answer holds goes under roles: ...'
 */
export function keyHint(path: readonly (string | number)[], name: string): string {
  const key = path.findLast((part) => typeof part === 'string')
  const hint = key === 'expect' ? roleHint(name) : key === 'body' ? IN_BODIES[name] : undefined
  return hint === undefined ? '' : `; ${hint}`
}

/** Only names of roles have a dot. */
function roleHint(name: string): string | undefined {
  return name.includes('.') ? `what an answer holds goes under roles: expect: { roles: { ${name}: ... } }` : undefined
}
