import { HEADERS } from '../../contract/headers.ts'
import type { ShownOperation } from './docs-operation.tsx'

/** Pasted again it is a retry, as with any key of a partner's own. */
const IDEMPOTENCY_KEY = 'docs-1'

/**
 * A command line that signs an operation's example and sends it.
 *
 * @example commandOf('GET', 'http://127.0.0.1:4600/api/partner/v1/pricing', operation)
 */
export function commandOf(verb: string, address: string, operation: ShownOperation): string {
  const { parameters = [], requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  const pieces = [
    `npx partner-sandbox sign ${verb} ${quoted(withParameters(address, parameters))}`,
    `--key-id "$PARTNER_KEY_ID"`,
    ...(example === undefined ? [] : [`--body ${quoted(JSON.stringify(example))}`]),
    ...(parameters.some(({ name }) => name === HEADERS.idempotencyKey) ? [`--idempotency-key ${IDEMPOTENCY_KEY}`] : []),
    '--curl | sh',
  ]
  return pieces.join(' \\\n  ')
}

function withParameters(address: string, parameters: NonNullable<ShownOperation['parameters']>): string {
  let filled = address
  const query: string[] = []
  for (const { name, in: place, required, example } of parameters) {
    if (place === 'path') filled = filled.replace(`{${name}}`, String(example))
    if (place === 'query' && required) query.push(`${name}=${encodeURIComponent(String(example))}`)
  }
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

/** For a shell: nothing inside single quotes means anything but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
