// Judges every foreign server with the built product, in quiet and in noise, then every broken variant, and prints what came.
//   node test/foreign-servers/sweep.mjs [--valid] [--broken] [--small] [--on ABCDEFGHIJK] [--only word] [--from variant] [--times 2] [--jobs 2] [--seed 1] [--each 1] [--pairs]
// With --pairs, two runs buy at the same time with the same credentials. With --each 8, it judges each eighth of them, beginning with the first.
// Ends with 1 on a false alarm: a correct server with a fail, a harness error or an exit code other than 0 or 2 (A in quiet: 0).
import { parseArgs } from 'node:util'
import { judge, sayCheck } from './judge.mjs'
import { NOISE } from './noise.mjs'
import { DEFECTS } from './stranger/defects.mjs'
import { VARIANTS } from './variants.mjs'

/** K is a program of its own, with mistakes of its own. */
const BROKEN = [...VARIANTS, ...DEFECTS]

const flag = { type: 'boolean' }
const text = { type: 'string' }
const { values } = parseArgs({
  options: {
    valid: flag,
    broken: flag,
    small: flag,
    on: text,
    only: text,
    from: text,
    times: text,
    jobs: text,
    seed: text,
    each: text,
    pairs: flag,
  },
})
const seed = Number(values.seed ?? 1)
const both = !values.valid && !values.broken
const letters = [...(values.on ?? 'ABCDEFGHIJK')]
const say = (line) => process.stdout.write(`${line}\n`)
const wanted = (name) => values.only === undefined || name.includes(values.only)

/** What the small sweep looks at: where the three differ most, and what noise has upset before. */
const FEW = {
  A: ['EVT-01', 'ORD-08', 'TXN-02', 'RPT-05'],
  B: ['ORD-08', 'TXN-01', 'SET-01', 'LINK-01'],
  C: ['EVT-01', 'REF-01', 'CHK-01', 'LINK-01', 'NONCE-02', 'STATE-06'],
  D: ['PAY-01'],
  E: ['TXN-01', 'TXN-02', 'CHK-03'],
  F: ['ORD-08', 'RPT-03', 'QUOTE-03'],
  G: ['EVT-01', 'HOOK-05', 'ORD-08'],
  H: ['TIME-01', 'HOOK-05', 'ORD-08'],
  I: ['RPT-03', 'ORD-08', 'LINK-02'],
  J: ['TIME-01', 'IDEM-02', 'HOOK-02'],
  K: ['INV-06', 'ORD-08', 'RPT-03'],
}
const FEW_NOISES = {
  A: ['idle connections closed'],
  B: ['503 at 1 s'],
  C: ['reset after'],
  D: ['quiet'],
  E: ['quiet'],
  F: ['slow'],
  G: ['quiet'],
  H: ['quiet'],
  I: ['quiet'],
  J: ['quiet'],
  K: ['quiet'],
}
/** D and E differ from A in lists only, which noise does not change. */
const TRIED_IN_FULL = ['A', 'B', 'C', 'F', 'G', 'H', 'I', 'J', 'K']
const FEW_VARIANTS = [
  'any_verb',
  'nonces_forgotten',
  'lower_price_taken',
  'after_id_skips_one',
  'gmv_counts_twice',
  'foreign_orders_visible',
]

async function judgeValid(personality, noise, dialect) {
  const args = values.small ? ['--requirement', ...FEW[personality]] : []
  const results = await judge(personality, {
    noise: NOISE[noise],
    seed,
    times: Number(values.times ?? 2),
    together: values.pairs ? 2 : 1,
    dialect,
    args,
  })
  return results.map((result, n) => {
    const exact = personality === 'A' && noise === 'quiet' && dialect && !values.small && !values.pairs
    const alarms = [...result.fails, ...result.harness]
    const good = alarms.length === 0 && (exact ? result.exit === 0 : [0, 2].includes(result.exit)) && result.passed > 0
    const row = `${personality} ${noise}${dialect ? '' : ', no dialect'}, run ${n + 1}`
    say(
      `${good ? 'quiet      ' : 'FALSE ALARM'}  ${row.padEnd(42)} exit ${result.exit}  ${result.passed} passed, ${result.unproved.length} unproved  ${result.upset ?? ''}  ${result.seconds.toFixed(0)} s`,
    )
    for (const check of alarms) say(`               ${check.verdict} ${sayCheck(check)}`)
    if (result.unproved.length > MANY_UNPROVED && !values.small)
      say(`               most of them: ${commonest(result.unproved.map(({ note }) => note))}`)
    if (!good && alarms.length === 0)
      say(
        `               ${result.told.trim().split('\n').at(-1)}${
          exact
            ? result.unproved
                .slice(0, 20)
                .map((check) => `\n               ${check.verdict} ${sayCheck(check)}`)
                .join('')
            : ''
        }`,
      )
    return good ? 'quiet' : 'alarm'
  })
}

/** More than this comes of something that ended the run early. */
const MANY_UNPROVED = 600

function commonest(texts) {
  const counts = new Map()
  for (const one of texts) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0][0]
}

/** What a variant of A and of B lets be seen, one of I and of J does, too, as far as J tells it. */
const placesOf = ({ name, on }) => (on.startsWith('AB') ? `${on}I${UNSEEN_ON_J.includes(name) ? '' : 'J'}` : on)

/** J takes no parameter twice, and tells no reference of an order. */
const UNSEEN_ON_J = ['five_of_each_q', 'payment_refs_of_digits_as_numbers']

async function judgeBroken({ name, requirements }, personality) {
  const [result] = await judge(personality, { defect: name, seed, args: ['--requirement', ...requirements] })
  const right = result.fails.some((check) => requirements.includes(check.requirement))
  const found = result.exit === 1 && right ? 'found' : result.fails.length > 0 ? 'wrong area' : 'MISSED'
  say(
    `${found.padEnd(11)}  ${personality} ${name.padEnd(40)} ${requirements.join(' ').padEnd(30)} exit ${result.exit}  ${result.seconds.toFixed(0)} s`,
  )
  if (found === 'wrong area') for (const check of result.fails.slice(0, 3)) say(`               ${sayCheck(check)}`)
  for (const check of result.harness.slice(0, 3)) say(`               harness_error ${sayCheck(check)}`)
  return found
}

const work = []
if (both || values.valid) {
  for (const letter of letters) {
    const noises =
      values.small || !TRIED_IN_FULL.includes(letter) ? FEW_NOISES[letter] : ['quiet', ...Object.keys(NOISE)]
    for (const noise of noises.filter(
      (name) => wanted(name) && (!['busy', 'late lists'].includes(name) || letter !== 'K'),
    ))
      work.push(() => judgeValid(letter, noise, true))
    if (!values.small && TRIED_IN_FULL.includes(letter) && wanted('dialect'))
      work.push(() => judgeValid(letter, 'quiet', false))
  }
}
if (both || values.broken) {
  const start = Math.max(
    0,
    BROKEN.findIndex((variant) => variant.name === values.from),
  )
  const few = (variant) => !values.small || FEW_VARIANTS.includes(variant.name)
  for (const [n, variant] of BROKEN.slice(start)
    .filter((each) => few(each) && wanted(each.name))
    .entries()) {
    const where = letters.filter((letter) => placesOf(variant).includes(letter))
    // Each variant is tried on one personality in turn, unless one is named.
    if (where.length > 0)
      work.push(async () => [await judgeBroken(variant, where[values.small ? 0 : n % where.length])])
  }
}

const sample = work.filter((_, n) => n % Number(values.each ?? 1) === 0)
const outcomes = []
const lanes = Array.from({ length: Number(values.jobs ?? 2) }, async () => {
  for (let next = sample.shift(); next !== undefined; next = sample.shift()) outcomes.push(...(await next()))
})
await Promise.all(lanes)
const count = (what) => outcomes.filter((each) => each === what).length
say([...new Set(outcomes)].map((what) => `${count(what)} ${what}`).join(', '))
const wrong = values.small ? ['alarm', 'MISSED', 'wrong area'] : ['alarm']
process.exitCode = outcomes.some((each) => wrong.includes(each)) ? 1 : 0
