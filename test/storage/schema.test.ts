import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SCHEMA, SCHEMA_VERSION } from '../../src/storage/schema.ts'

/**
 * The statements of each schema version, as a digest. A changed statement needs a new SCHEMA_VERSION in src/storage/schema.ts and a
 * new line here, since a sandbox opens every file that carries its own version.
 */
const DIGESTS: Readonly<Record<number, string>> = {
  7: '0a260c8e47dbdbf2',
}

test('the statements of the schema are those of its version; other statements need a new SCHEMA_VERSION and a line here', () => {
  expect(`${SCHEMA_VERSION}: ${digestOf(SCHEMA)}`).toBe(`${SCHEMA_VERSION}: ${DIGESTS[SCHEMA_VERSION]}`)
})

test('a comment or white space does not change the digest, a column does', () => {
  expect(digestOf(SCHEMA.replace(/^ *--.*$/gm, '').replace(/\n/g, '\n  '))).toBe(digestOf(SCHEMA))
  expect(digestOf(SCHEMA.replace('note TEXT', 'note TEXT NOT NULL'))).not.toBe(digestOf(SCHEMA))
})

function digestOf(schema: string): string {
  const statements = schema.replace(/^ *--.*$/gm, '').replace(/\s+/g, ' ')
  return createHash('sha256').update(statements).digest('hex').slice(0, 16)
}
