// Saves a snapshot of every world of every shard, while they run:
//   node examples/scale-out/backup.mjs FOLDER [OPERATOR-ADDRESS...]
// FOLDER/a then is a data folder of shard a: start it with `serve --shard a --data FOLDER/a`.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, ...given] = process.argv.slice(2)
const operators = given.length > 0 ? given : ['http://127.0.0.1:4611', 'http://127.0.0.1:4621']
const token = process.env.PARTNER_SANDBOX_OPERATOR_TOKEN
const headers = token ? { authorization: `Bearer ${token}` } : {}

async function ask(address) {
  const answer = await fetch(address, { headers })
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Complete before it has its name, and readable by its owner only: it has the secrets of the world. */
function save(world, bytes) {
  const shard = join(folder, world.split('.', 1)[0])
  mkdirSync(shard, { recursive: true, mode: 0o700 })
  const file = join(shard, `${world}.sqlite`)
  writeFileSync(`${file}.part`, bytes, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
  console.log(file)
}

if (!folder) throw new Error('usage: node backup.mjs FOLDER [OPERATOR-ADDRESS...]')
for (const operator of operators) {
  const { worlds } = await (await ask(`${operator}/v1/worlds`)).json()
  for (const { world } of worlds) {
    const snapshot = await ask(`${operator}/v1/worlds/${encodeURIComponent(world)}/snapshot`)
    save(world, Buffer.from(await snapshot.arrayBuffer()))
  }
}
