import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoRoot } from '../../house/repo.ts'

test('the schemas of the answers of the operator API are those of the types of its rows', async () => {
  const url = new URL('../../../docs/answer-schemas.mjs', import.meta.url).href
  const { answerSchemasText } = (await import(url)) as { answerSchemasText(): string }
  const current = readFileSync(join(repoRoot, 'fixtures/operator-answers.json'), 'utf8')
  expect(current, 'run npm run build && node docs/generate.mjs').toBe(answerSchemasText())
})
