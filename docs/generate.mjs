// Writes the pages and the schemas for editors that are made from data: npm run build && node docs/generate.mjs. A test fails where one is behind its data.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { operatorPage } from './operator-page.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Every open row of the registry under its heading of the document: what is left open, what our sandbox does, and what it
 * may be told to do instead.
 *
 * @param gaps the table of open points (contract/gaps.ts).
 */
export function gapsPage(gaps) {
  const { requirements, conflicts, unobservable } = parse(readFileSync(at('../fixtures/requirements.yaml'), 'utf8'))
  const open = Object.entries(requirements).filter(([, row]) => row.level === 'open')
  const lines = [
    '# Gaps and choices',
    '',
    'What the API document leaves open, and what this sandbox does there. Another service may do otherwise: the runner reports',
    'what it sees at these points and never fails them. Made from `fixtures/requirements.yaml` and `src/contract/gaps.ts` by',
    '`node docs/generate.mjs`.',
    '',
    'A second table under a heading lists what a sandbox may be told to do instead, the usual value first: a world is made with',
    'the values of a file (`serve --gaps FILE`), or with some that a seed draws (`serve --vary SEED`). A client that works with',
    'every one of them relies on nothing but the document.',
  ]
  for (const section of new Set(open.map(([, row]) => row.section))) {
    lines.push('', `## ${section}`, '', '| id | open point | this sandbox |', '|---|---|---|')
    for (const [id, row] of open) {
      if (row.section === section) lines.push(`| ${id} | ${cell(row.text)} | ${cell(row.sandbox)} |`)
    }
    lines.push(...choiceLines(gaps, open.filter(([, row]) => row.section === section).map(([id]) => id)))
  }
  lines.push('', '## Where the document pulls apart', '')
  lines.push('A target that answers one of these codes instead of the expected one is `tolerated`.', '')
  for (const row of conflicts) lines.push(`- ${row.requirement}: ${row.tolerates.join(', ')}. ${row.why}`)
  lines.push('', '## What no black box can see', '')
  for (const row of unobservable) lines.push(`- ${row.requirement}: ${row.why}`)
  return `${lines.join('\n')}\n`
}

/** The choices that belong to some rows, as a table; nothing where there is none. */
function choiceLines(gaps, rows) {
  const chosen = Object.entries(gaps).filter(([, { requirement }]) => rows.includes(requirement))
  if (chosen.length === 0) return []
  const lines = chosen.map(([id, gap]) => {
    const instead = gap.values.filter((value) => value !== gap.default)
    const values = [`**${gap.default}**`, ...instead].join(' · ')
    const note = gap.chosenBy ? `Chosen by ${gap.chosenBy}.` : gap.fixed ? `Fixed: ${gap.fixed}` : ''
    return `| ${gap.requirement} | \`${id}\` | ${cell(gap.question)} | ${cell(values)} | ${cell(`${gap.reason} ${note}`)} |`
  })
  return ['', '| row | choice | question | values | why |', '|---|---|---|---|---|', ...lines]
}

/** docs/magic-domains.md with its tables made anew, from the same lines as GET /v1/magic of the operator port. */
export function magicPage() {
  const { magic, buyers } = parse(readFileSync(at('../fixtures/inventory.yaml'), 'utf8'))
  const page = readFileSync(at('magic-domains.md'), 'utf8')
  const withDomains = replaceTable(page, 'domains', magic, (kind) => `${kind}-N.test`)
  return replaceTable(withDomains, 'buyers', buyers, (tag) => `+${tag}`)
}

function replaceTable(page, name, entries, pattern) {
  const rows = Object.entries(entries).map(
    ([key, { acts, on, does }]) => `| \`${pattern(key)}\` | ${acts} | ${cell(on)} | ${cell(does)} |`,
  )
  const table = ['| name | acts | on | what it does |', '|---|---|---|---|', ...rows].join('\n')
  const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`]
  const [before, rest] = page.split(start)
  return `${before}${start}${table}${end}${rest.split(end)[1]}`
}

/** The routes of the server that `npm run build` has made. */
async function builtServer() {
  const [{ OPERATIONS }, { standardSchema }, { flattenSchema }] = await Promise.all([
    import('../dist/operator-api/operations.js'),
    import('../dist/sandbox/openapi/standard-schema.js'),
    import('../dist/sandbox/openapi/flatten-schema.js'),
  ])
  return { routes: Object.values(OPERATIONS), standardSchema, flattenSchema }
}

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').trim()

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { GAPS } = await import('../dist/contract/gaps.js')
  writeFileSync(at('gaps-and-choices.md'), gapsPage(GAPS))
  writeFileSync(at('magic-domains.md'), magicPage())
  writeFileSync(at('operator-api.md'), operatorPage(await builtServer()))
  const [{ SCENARIO_SCHEMA }, { TARGET_SCHEMA }] = await Promise.all([
    import('../dist/conformance/format/scenario-schema.js'),
    import('../dist/conformance/target/target-schema.js'),
  ])
  for (const [name, { json }] of Object.entries({ scenario: SCENARIO_SCHEMA, target: TARGET_SCHEMA }))
    writeFileSync(at(`../scenarios/${name}.schema.json`), `${JSON.stringify(json, null, 2)}\n`)
}
