// docs/operator-api.md: every command with its flags, and every route of the operator port.
import { cell, table } from './tables.mjs'

const INTRO = `# Reference: commands and operator API

<!-- generated: run npm run build && node docs/generate.mjs -->

    npx partner-sandbox --help
    npx partner-sandbox world create --help
    curl -sS 'http://127.0.0.1:4601/v1/worlds/default/orders?limit=5'

On this page: [Commands](#commands) · [Operator API](#operator-api). [Exit codes](judging-a-target.md#exit-codes) are on another page.
`

const COMMANDS = `## Commands

Commands of a running sandbox also take \`--sandbox URL\`, \`--world NAME\`, \`--operator-token TOKEN\` and \`--json\`
([meaning](getting-started.md#use-commands-from-anywhere)).
`

const OPERATOR_API = `## Operator API

Everything that the commands of \`partner-sandbox\` do is a call of this API. It has its own port (\`serve --operator-port\`, default 4601).

    curl -sS -X POST -H 'Content-Type: application/json' -d '{"by": "10m"}' http://127.0.0.1:4601/v1/worlds/default/clock/advance

- The same as OpenAPI 3.1: \`/v1/openapi.json\` on this port, or [operator-openapi.json](operator-openapi.json), with
  the schema of each answer. \`Answer: Order\` below is the name of one. An answer has exactly the members of its schema.
- \`{w}\` is the name of a world; the first one is \`default\`. Other braces are ids of that world.
- POST, PUT and PATCH need \`Content-Type: application/json\`, also without a body. A missing body is an empty object.
- Outside loopback, and with \`serve --operator-token\`, send \`Authorization: Bearer TOKEN\`. Pages of other origins are refused (403).
- No answer shows a secret that was sent to the sandbox: it reads \`[redacted]\`. Only the 201 that makes a secret shows it. A webhook
  secret or token with fewer than 8 characters is not searched for.
- Unknown fields and parameters are refused by name; values are never converted.
- An error is \`application/problem+json\` with a \`detail\` for people and a \`code\` for programs, such as \`no_order\` or \`world_name_taken\`;
  the schema \`Problem\` of the OpenAPI document lists all codes. Every 400 has \`validation_error\`. What the rules of the partner API refuse
  has the code that a partner would get (\`conflict\`). 404: does not exist. 409: the state does not allow it; the answer has the state and
  the allowed steps or actions. 507: the disk is full, or a file cannot be used.
- To read on in a list, pass \`next_cursor\` of the last page as \`cursor\`. It is null at the end.
- Amounts are whole cents, times ISO 8601 in UTC, durations like \`90s\`, \`10m30s\` or \`PT1H\`, all in the world's time.
`

/**
 * @param data every command, every route, their OpenAPI document, and how the server's own reference puts schemas into words.
 */
export function referencePage({ commands, OPERATIONS, operatorDocument, standardSchema, flattenSchema }) {
  const linesOf = ({ json }) => flattenSchema(standardSchema(json, 'request'), noReferences)
  const answerOf = ({ method, path }) => {
    const { content } = operatorDocument.paths[path][method.toLowerCase()].responses['2XX']
    return content?.['application/json']?.schema.$ref?.split('/').at(-1)
  }
  const sections = [...groupedBy(Object.values(OPERATIONS), headingOf)].map(([heading, members]) =>
    [`### ${heading}\n`, ...members.map((route) => routeText(route, linesOf, answerOf(route)))].join('\n'),
  )
  const overview = table(
    ['command', 'what it does'],
    commands.map((command) => [`[${command.name()}](#${command.name()})`, cell(command.description())]),
  )
  return [INTRO, COMMANDS, `${overview}\n`, ...commands.map(commandText), OPERATOR_API, ...sections].join('\n')
}

/** What every command of a running sandbox takes, and what every command takes. */
const COMMON_FLAGS = new Set(['--sandbox', '--world', '--operator-token', '--json', '--help'])

function commandText(command) {
  const inner = command.commands.filter(({ _hidden: isHidden }) => !isHidden)
  const own = [`### ${command.name()}\n`, usageText(command)]
  const common = (one) => one.options.some(({ long }) => long === '--sandbox')
  return [...own, ...inner.map((one) => `#### ${command.name()} ${one.name()}\n\n${usageText(one, common(one))}`)].join('\n')
}

function usageText(command) {
  const isOperators = command.options.some(({ long }) => long === '--sandbox')
  const options = command.options.filter(({ long, hidden }) => !hidden && !(isOperators && COMMON_FLAGS.has(long)))
  const usage = `    npx partner-sandbox ${pathOf(command)} ${command.usage()}`.trimEnd()
  const rows = options.map((option) => [`\`${option.flags}\``, meaningOf(option)])
  const parts = [`${cell(command.description())}\n`, `${usage}\n`]
  if (rows.length > 0) parts.push(`${table(['option', 'meaning'], rows)}\n`)
  return parts.join('\n')
}

function pathOf(command) {
  const isTop = !command.parent?.parent
  return isTop ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function meaningOf({ description, argChoices, defaultValue, defaultValueDescription, envVar }) {
  const shown = defaultValueDescription ?? (defaultValue === undefined ? undefined : JSON.stringify(defaultValue))
  const notes = [
    argChoices && `one of ${argChoices.map((choice) => `\`${choice}\``).join(' ')}`,
    shown !== undefined && `default: ${shown}`,
    envVar && `variable: \`${envVar}\``,
  ].filter(Boolean)
  return cell([description, ...notes].join('; '))
}

const noReferences = (ref) => {
  throw new Error(`operator schemas have no references, and here is ${ref}`)
}

function groupedBy(routes, nameOf) {
  const groups = new Map()
  for (const route of routes) groups.set(nameOf(route), [...(groups.get(nameOf(route)) ?? []), route])
  return groups
}

/** The noun of a path: what follows the world, or what there is besides worlds. */
function headingOf({ path }) {
  const [, , noun, world, inWorld] = path.split('/')
  if (noun !== 'worlds') return 'Routes of the sandbox'
  if (world === undefined || inWorld === undefined || inWorld === 'reset') return 'Routes of worlds'
  return `Routes of ${inWorld.replaceAll('-', ' ')}`
}

/** @param answer the name of the schema of its answer, if it has one. */
function routeText({ method, path, summary, query, body }, linesOf, answer) {
  const fields = [
    ...(query ? linesOf(query).map((line) => fieldText('query', line)) : []),
    ...(body ? linesOf(body).map((line) => fieldText('body', line)) : []),
  ]
  const says = answer === undefined ? summary : `${summary} Answer: \`${answer}\`.`
  return [`#### \`${method} ${path}\`\n`, `${says}\n`, ...(fields.length > 0 ? [`${fields.join('\n')}\n`] : [])].join('\n')
}

function fieldText(place, { path, type, required, description }) {
  const need = required ? ', required' : ''
  return `- ${place} \`${path}\`${need}: ${type}${description ? `. ${description.replace(/\.$/, '')}` : ''}`
}
