// The tables of pages that are made from data, by the name of their block.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const fixture = (name) => parse(readFileSync(fileURLToPath(new URL(`../fixtures/${name}.yaml`, import.meta.url)), 'utf8'))

/** Text for a cell of a table; Markdown would read a bar as the next cell and an angle bracket as HTML. */
export const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ').trim()

/** Words as code, also where they hold a bar. */
const code = (text) => `\`${String(text).replaceAll('|', '\\|')}\``

export function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

/** What the table says of a mistake whose sentence depends on what was sent. */
const GENERAL_SENTENCES = {
  'secret-of-another': 'another secret was used',
  'method-other': 'another method was signed than the one sent',
  'lines-joined-otherwise': 'the lines were joined by something other than LF',
  'lines-swapped': 'two lines were swapped',
  'lines-reordered': 'the lines were signed in another order',
  'line-missing': 'a line was missing',
}

const mistakes = ({ MISTAKES }) =>
  table(
    ['id', 'what was done'],
    Object.entries(MISTAKES).map(([id, [sentence]]) => [code(id), cell(GENERAL_SENTENCES[id] ?? sentence)]),
  )

const refusals = ({ REFUSALS }) =>
  table(
    ['id', 'what is wrong'],
    Object.entries(REFUSALS).map(([id, sentence]) => [code(id), cell(sentence)]),
  )

function profiles() {
  const rows = Object.entries(fixture('profiles')).map(([name, { title }]) => [code(name), cell(title)])
  return table(['profile', 'about'], [...rows, ['`all`', 'everything that a caller can observe (default)']])
}

const fillsOf = ({ fills }) => fills.map((name) => code(`\${${name}}`)).join(' ')

const operatorActions = ({ OPERATOR_ACTIONS }) =>
  table(
    ['action', 'filled in', 'the action'],
    Object.entries(OPERATOR_ACTIONS).map(([id, row]) => [code(id), fillsOf(row), cell(row.about)]),
  )

/** A value as a scenario writes it on one line. */
function yamlOf(value) {
  if (typeof value !== 'object') return String(value).includes('$') ? `"${value}"` : String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${yamlOf(inner)}`)
    .join(', ')} }`
}

const operatorSteps = ({ scenarioSchema }) =>
  table(
    ['step', 'the action'],
    Object.entries(scenarioSchema.definitions.operator.properties).map(([name, { description, examples }]) => [
      code(`operator: { ${name}: ${yamlOf(examples[0])} }`),
      cell(description),
    ]),
  )

/** Judges by their names: the word alone, or with the values that it takes. */
const namedJudges = ({ NAMED_JUDGES }) =>
  table(
    ['judge', 'of', 'what holds'],
    Object.entries(NAMED_JUDGES).map(([name, { schema, judge }]) => [
      code('const' in schema.json ? `judge: ${name}` : `judge: { ${name}: [...] }`),
      Object.keys(judge)
        .map((subject) => (subject === 'things' ? 'lists and events' : `${subject}s`))
        .join(', '),
      cell(schema.json.description),
    ]),
  )

const operations = ({ ENDPOINTS }) =>
  table(
    ['operation', 'call', 'scopes'],
    Object.entries(ENDPOINTS).map(([id, { method, path, scopes }]) => [
      code(id),
      code(`${method} ${path}`),
      scopes.map(code).join(' or '),
    ]),
  )

/** The roles by the word before their dot; a star marks those whose key the API document names. */
function roles({ ROLES }) {
  const groups = new Map()
  for (const [role, { documented }] of Object.entries(ROLES)) {
    const [group] = role.split('.')
    groups.set(group, [...(groups.get(group) ?? []), `${code(role)}${documented ? '*' : ''}`])
  }
  return [...groups].map(([group, members]) => `- ${group}: ${members.join(' ')}`).join('\n')
}

/** The shape that a part of a schema has where it is of this type. */
const shapeOf = (schema, type) =>
  schema.allOf?.find((one) => one.if?.properties === undefined && one.if?.type === type)?.then ??
  (schema.type === type ? schema : undefined)

const wordsOf = (schema) => schema.enum ?? shapeOf(schema, 'string')?.enum ?? []

function faults({ scenarioSchema }) {
  const rows = Object.entries(scenarioSchema.definitions.fault.properties).map(([key, schema]) => {
    const inner = shapeOf(schema, 'object')?.properties ?? {}
    const values = Object.entries(inner).map(([name, { description = 'one of these' }]) => {
      return `${code(`{ ${name}: ... }`)} ${cell(description).replace(/\.$/, '')}`
    })
    return [code(key), wordsOf(schema).map(code).join(' '), values.join('; '), cell(schema.description)]
  })
  return table(['fault', 'words', 'values', 'what is wrong'], rows)
}

/** More words than this are not listed: they are in the schema. */
const MANY_WORDS = 10

function valueCell(schema) {
  const words = wordsOf(schema)
  if (words.length > 0 && words.length <= MANY_WORDS) return words.map(code).join(' ')
  const [example] = schema.examples ?? []
  return example === undefined ? '' : code(JSON.stringify(example))
}

const descriptionOf = (schema, definitions) => schema.description ?? definitions[schema.$ref?.split('/').at(-1)]?.description ?? ''

function keyTable({ properties = {} }, definitions) {
  const rows = Object.entries(properties).map(([key, schema]) => [
    code(key),
    valueCell(schema),
    cell(descriptionOf(schema, definitions)),
  ])
  return table(['key', 'for example', 'meaning'], rows)
}

/** Every key of a scenario, by the part that it belongs to. Faults have a table of their own. */
function scenarioKeys({ scenarioSchema }) {
  const { step, effects, ...others } = scenarioSchema.definitions
  const { definitions } = scenarioSchema
  const parts = Object.entries({ effects, step, ...others }).filter(([name]) => !['fault', 'credential', 'operator'].includes(name))
  const sections = parts.map(([name, part]) => {
    const shape = shapeOf(part, 'object') ?? part
    return `### ${name}\n\n${cell(part.description ?? '')}\n\n${keyTable(shape, definitions)}`
  })
  return [`### scenario\n\n${keyTable(scenarioSchema, definitions)}`, ...sections].join('\n\n')
}

const magic = (key, pattern) => () =>
  table(
    ['name', 'acts', 'on', 'what it does'],
    Object.entries(fixture('inventory')[key]).map(([name, { acts, on, does }]) => [
      code(pattern(name)),
      acts,
      cell(on),
      cell(does),
    ]),
  )

/** Every open point under its heading of the document: the point, what this sandbox does, and the values to choose from. */
function gaps({ GAPS }) {
  const { requirements, conflicts, unobservable } = fixture('requirements')
  const open = Object.entries(requirements).filter(([, row]) => row.level === 'open')
  const sections = [...new Set(open.map(([, row]) => row.section))].map((section) => {
    const rows = open.filter(([, row]) => row.section === section)
    const points = rows.map(([id, row]) => [id, cell(row.text), cell(row.sandbox)])
    return [`### ${section}`, table(['id', 'open point', 'this sandbox'], points), ...choices(GAPS, rows)].join('\n\n')
  })
  return [
    'A second table below a heading lists the choices: the default first, in bold, then the other legal values.',
    ...sections,
    '## Where the document contradicts itself',
    'A target that answers with one of these codes instead of the expected one is `tolerated`.',
    conflicts.map((row) => `- ${row.requirement}: ${row.tolerates.join(', ')}. ${cell(row.why)}`).join('\n'),
    '## What cannot be observed',
    unobservable.map((row) => `- ${row.requirement}: ${cell(row.why)}`).join('\n'),
  ].join('\n\n')
}

function choices(gaps, rows) {
  const ids = rows.map(([id]) => id)
  const chosen = Object.entries(gaps).filter(([, { requirement }]) => ids.includes(requirement))
  const lines = chosen.map(([id, gap]) => {
    const note = gap.chosenBy ? `Chosen by ${gap.chosenBy}.` : gap.fixed ? `Fixed: ${gap.fixed}` : ''
    const [usual, ...others] = gap.values
    const values = cell([`**${usual}**`, ...others].join(' · '))
    return [gap.requirement, code(id), cell(gap.question), values, cell(`${gap.reason} ${note}`)]
  })
  return lines.length === 0 ? [] : [table(['id', 'choice', 'question', 'values', 'reason'], lines)]
}

/** Every report there is, with the file that `--output` writes. */
function reporters({ REPORTERS }) {
  const lines = Object.entries(REPORTERS).map(([name, { summary, file }]) => [code(name), cell(summary), code(file)])
  return table(['reporter', 'what it is', 'with `--output`'], lines)
}

/** By the name of the block. */
/** Commands that are started again and again with the same settings. */
const CONFIGURED = ['serve', 'proxy', 'mcp', 'conform', 'discover', 'receiver']

function settings({ commands, settingsOf }) {
  const shown = CONFIGURED.map((name) => commands.find((command) => command.name() === name))
  return shown
    .map((command) => {
      const rows = settingsOf(command).map(({ key, variable, meaning }) => [code(key), code(variable), cell(meaning)])
      return `### ${command.name()}\n\n${table(['setting', 'environment', 'meaning'], rows)}`
    })
    .join('\n\n')
}

export const TABLES = {
  settings,
  mistakes,
  refusals,
  profiles,
  'operator-actions': operatorActions,
  'operator-steps': operatorSteps,
  'named-judges': namedJudges,
  operations,
  roles,
  faults,
  'scenario-keys': scenarioKeys,
  domains: magic('magic', (kind) => `${kind}-N.test`),
  buyers: magic('buyers', (tag) => `+${tag}`),
  gaps,
  reporters,
}
