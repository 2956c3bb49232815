import { commandOf, start, wire } from './contestants.mjs'
import { load, median } from './load.mjs'

const RUNS = Number(process.env.RUNS ?? 9)

/** From the start of the process to the first answered call, in milliseconds. */
async function firstAnswer(command) {
  const startedMs = performance.now()
  const server = await start(command)
  await load(server.url, [wire({ key: server.key, target: '/api/partner/v1/availability?domain=stalls-1.test' })], {
    connections: 1,
    expect: 200,
  })
  const tookMs = performance.now() - startedMs
  await server.stop()
  return tookMs
}

const own = []
const bare = []
for (let run = 0; run <= RUNS; run++) {
  const pair = [await firstAnswer(commandOf.bare()), await firstAnswer(commandOf.sandbox())]
  if (run === 0) continue
  bare.push(pair[0])
  own.push(pair[1])
}
const ratio = median(own.map((tookMs, i) => tookMs / bare[i]))
console.log('start to the first answered signed call')
console.log(`  bare Fastify  ${median(bare).toFixed(0).padStart(5)} ms`)
console.log(`  sandbox       ${median(own).toFixed(0).padStart(5)} ms   ${ratio.toFixed(2)} times bare Fastify`)
