import { createSecretFinder, redactedValue } from '../contract/redact.ts'

/** Members of answers whose value is a secret: of credentials, webhook endpoints and the operator port. */
const SECRET_MEMBER = /^(?:secret|token|operator_token)$/
/** The secret of a credential, wherever a text has it. */
const SECRET_KEY = /\bsk_[a-z]+_\w+/g
const HIDDEN = '[secret: hidden]'

/**
 * Takes secrets out of answers: of the members that hold one, and that value out of every later text.
 *
 * @example hideSecrets()({ secret: 'sk_sandbox_1' }) // { secret: '[secret: hidden]' }
 */
export function hideSecrets(): <Value>(value: Value) => Value {
  const finder = createSecretFinder()
  const clean = (text: string) => finder.replaced(text.replace(SECRET_KEY, HIDDEN), HIDDEN)
  return <Value>(value: Value) => {
    for (const secret of secretsIn(value)) finder.add(secret)
    return redactedValue(value, clean) as Value
  }
}

/** Every secret that an answer has as a member. */
export function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (SECRET_MEMBER.test(name) ? [member] : []) : secretsIn(member),
  )
}
