// Fails if a ratio has fallen in every round by more than a third below the one in ratios.json. The best round counts,
// because other work on the machine can disturb all others: at a load of 20 on two cores the medians fell by up to 40 percent.
import { readFileSync } from 'node:fs'
import { race, tableOf, two } from './race.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
/** So much of it must be left. */
const LEAST = 2 / 3

const ratios = JSON.parse(readFileSync(new URL('ratios.json', import.meta.url), 'utf8'))
const rows = await race(ROUNDS)
console.log(tableOf(rows))
const fallen = rows.filter(
  ({ name, spread: [, best] }) => !(best >= (ratios[name] ?? Number.POSITIVE_INFINITY) * LEAST),
)
for (const { name, spread } of fallen)
  console.error(`${name}: ${two(spread[1])} of the rival at best, was ${ratios[name] ?? 'not measured'}`)
process.exitCode = fallen.length > 0 ? 1 : 0
