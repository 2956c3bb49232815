/** A world as a target of the runner. */
interface NewTarget {
  readonly apiUrl: string
  readonly operatorUrl: string
  readonly operatorToken: string | undefined
  readonly world: string
  readonly credentials: readonly Record<string, unknown>[]
}

/** More than the scenarios need; a sandbox has no scruples about what is recorded in it. */
const BUDGET = { orders: 10_000, quotes: 10_000, requests: 1_000_000 }

/** A target file for `conform --target`. */
export function targetText({ apiUrl, operatorUrl, operatorToken, world, credentials }: NewTarget): string {
  const operator = { url: operatorUrl, ...(operatorToken === undefined ? {} : { token: operatorToken }), world }
  return [
    '# Made by "world create"; it holds secrets.',
    `url: ${JSON.stringify(apiUrl)}`,
    'mode: operator',
    `budget: ${JSON.stringify(BUDGET)}`,
    `operator: ${JSON.stringify(operator)}`,
    'credentials:',
    // A revoked credential is refused by design: to the runner it would be one that does not work.
    ...credentials.filter(({ name }) => name !== 'revoked').map((row) => `  - ${JSON.stringify(entryOf(row))}`),
    '',
  ].join('\n')
}

function entryOf({ name, key_id, secret, scopes, partner_id, affiliate, merchant_of_record }: Record<string, unknown>) {
  return { name, key_id, secret, scopes, partner: partner_id, affiliate, merchant_of_record }
}
