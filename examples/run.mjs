// Compiles the TypeScript examples and runs one: node examples/run.mjs referral
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const [walk = '', ...rest] = process.argv.slice(2)
if (!/^[a-z-]+$/.test(walk) || !existsSync(`${here}typescript/${walk}.ts`)) {
  console.error('usage: npm run example -- partner-collected-sale | hosted-checkout | brokerage | referral | client')
  process.exit(4)
}
const run = (script, ...args) => {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
run(`${here}../node_modules/typescript/bin/tsc`, '-p', `${here}typescript`)
run(`${here}typescript/dist/${walk}.js`, ...rest)
