// Writes the pages that are made from data: npm run build && node docs/generate.mjs. A test fails where a page is behind its data.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { operatorPage } from './operator-page.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Every open row of the registry under its heading of the document: what is left open, and what our sandbox does. */
export function gapsPage() {
  const { requirements, conflicts, unobservable } = parse(readFileSync(at('../fixtures/requirements.yaml'), 'utf8'))
  const open = Object.entries(requirements).filter(([, row]) => row.level === 'open')
  const lines = [
    '# Gaps and choices',
    '',
    'What the API document leaves open, and what this sandbox does there. Another service may do otherwise: the runner reports',
    'what it sees at these points and never fails them. Made from `fixtures/requirements.yaml` by `node docs/generate.mjs`.',
  ]
  for (const section of new Set(open.map(([, row]) => row.section))) {
    lines.push('', `## ${section}`, '', '| id | open point | this sandbox |', '|---|---|---|')
    for (const [id, row] of open) {
      if (row.section === section) lines.push(`| ${id} | ${cell(row.text)} | ${cell(row.sandbox)} |`)
    }
  }
  lines.push('', '## Where the document pulls apart', '')
  lines.push('A target that answers one of these codes instead of the expected one is `tolerated`.', '')
  for (const row of conflicts) lines.push(`- ${row.requirement}: ${row.tolerates.join(', ')}. ${row.why}`)
  lines.push('', '## What no black box can see', '')
  for (const row of unobservable) lines.push(`- ${row.requirement}: ${row.why}`)
  return `${lines.join('\n')}\n`
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
  const [{ OPERATOR_ROUTES }, { standardSchema }, { flattenSchema }] = await Promise.all([
    import('../dist/operator/operator-routes.js'),
    import('../dist/sandbox/openapi/standard-schema.js'),
    import('../dist/sandbox/openapi/flatten-schema.js'),
  ])
  return { routes: OPERATOR_ROUTES, standardSchema, flattenSchema }
}

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').trim()

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(at('gaps-and-choices.md'), gapsPage())
  writeFileSync(at('magic-domains.md'), magicPage())
  writeFileSync(at('operator-api.md'), operatorPage(await builtServer()))
}
