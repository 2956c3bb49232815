// Races all contests, prints the table, and keeps the ratios for hold.mjs and the table for README.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { race, tableOf, two } from './race.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const README = new URL('README.md', import.meta.url)
const BLOCK = /(<!-- measured -->\n).*(<!-- end -->)/s

const rows = await race(ROUNDS)
const table = tableOf(rows)
console.log(table)
const ratios = Object.fromEntries(rows.map(({ name, ratio }) => [name, Number(two(ratio))]))
writeFileSync(new URL('ratios.json', import.meta.url), `${JSON.stringify(ratios, null, 2)}\n`)
writeFileSync(
  README,
  readFileSync(README, 'utf8').replace(BLOCK, (_, begin, end) => `${begin}${table}\n${end}`),
)
