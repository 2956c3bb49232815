import { expect, test } from 'vitest'
import { staleOutputs } from '../../src/build/stale-outputs.ts'

test('outputs of sources that are gone are stale; those of bundlers are left alone', () => {
  const sources = ['index.ts', 'sandbox', 'sandbox/page.tsx', 'sandbox/old.test.ts']
  const kept = ['index.js', 'index.js.map', 'index.d.ts', 'sandbox', 'sandbox/page.js', 'sandbox/page.d.ts']
  const others = ['bundle/main.js', 'console/assets/index-1.js', 'docs/docs.js', 'scenarios.json', '.tsbuildinfo']
  const stale = ['gone.js', 'gone.d.ts', 'sandbox/gone.js.map', 'gone/part.d.ts', 'sandbox/old.d.ts']
  expect(staleOutputs([...kept, ...others, ...stale], sources)).toEqual(stale)
})
