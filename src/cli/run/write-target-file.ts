import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { writingTo } from '../output-file.ts'

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

/**
 * Begins a target file for `conform --target` that only its owner may read. It is begun before its world is made, whose secrets
 * are shown once, and gets its name when all of it is there; a file of that name is replaced.
 */
export function beginTargetFile(file: string): { finish(target: NewTarget): void; discard(): void } {
  const partial = `${file}.part`
  writingTo(file, '--target-file', () => {
    rmSync(partial, { force: true })
    writeFileSync(partial, '', { mode: 0o600 })
  })
  return {
    finish(target) {
      writingTo(file, '--target-file', () => {
        writeFileSync(partial, targetText(target))
        renameSync(partial, file)
      })
    },
    discard: () => rmSync(partial, { force: true }),
  }
}

function targetText({ apiUrl, operatorUrl, operatorToken, world, credentials }: NewTarget): string {
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
