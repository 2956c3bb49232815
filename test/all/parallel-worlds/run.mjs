// So many test files against one sandbox, so many rounds, all at once or by so many workers:
//   node test/all/parallel-worlds/run.mjs 64 100
//   node test/all/parallel-worlds/run.mjs 64 100 8
// Ends with 1 at the first round that is not green. Needs the built package.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'

const [files = 64, rounds = 1, workers = files] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'parallel-worlds-'))
const shared = fileURLToPath(new URL('file.ts', import.meta.url))
for (let n = 0; n < files; n++) {
  const text = `import { testFile } from ${JSON.stringify(shared)}\ntestFile(${n})\n`
  writeFileSync(join(folder, `world-${n}.test.ts`), text)
}

try {
  for (let round = 1; round <= rounds; round++) {
    const startedMs = Date.now()
    const vitest = await startVitest('test', [], {
      ...{ root: folder, config: false, watch: false, include: ['*.test.ts'], reporters: ['dot'] },
      globalSetup: [fileURLToPath(new URL('../../../dist/vitest-global-setup.js', import.meta.url))],
      ...{ pool: 'threads', isolate: false, maxWorkers: workers, fileParallelism: true, hookTimeout: 120_000 },
    })
    const modules = vitest.state.getTestModules()
    const green = modules.filter((module) => module.ok()).length
    await vitest.close()
    console.log(`round ${round}: ${green} of ${files} files green in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
    if (green !== files || modules.length !== files) {
      process.exitCode = 1
      break
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
