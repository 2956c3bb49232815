// Fails if a ratio has twice fallen by more than a third below the one in ratios.json.
import { readFileSync } from 'node:fs'
import { race, tableOf, two } from './race.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
/** So much of it must be left. */
const LEAST = 2 / 3

const ratios = JSON.parse(readFileSync(new URL('ratios.json', import.meta.url), 'utf8'))
const first = fallenIn(await race(ROUNDS))
// Other work on the machine disturbs a race for minutes: what has fallen must fall a second time.
const fallen =
  first.length === 0 ? [] : fallenIn(await race(ROUNDS)).filter(({ name }) => first.some((row) => row.name === name))
for (const { name, ratio } of fallen)
  console.error(`${name}: ${two(ratio)} of the rival, was ${ratios[name] ?? 'not measured'}`)
process.exitCode = fallen.length > 0 ? 1 : 0

function fallenIn(rows) {
  console.log(tableOf(rows))
  return rows.filter(({ name, ratio }) => !(ratio >= (ratios[name] ?? Number.POSITIVE_INFINITY) * LEAST))
}
