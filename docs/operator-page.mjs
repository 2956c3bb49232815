const INTRO = `# Operator API

What an operator of the sandbox can do over HTTP: everything that the commands of \`partner-sandbox\` do is a call of this API.
It is on a port of its own (\`serve --operator-port\`, usually 4601). Made from the routes of the server by
\`npm run build && node docs/generate.mjs\`.

    curl -sS 'http://127.0.0.1:4601/v1/worlds/default/orders?limit=5'
    curl -sS -X POST -H 'Content-Type: application/json' -d '{"by": "10m"}' http://127.0.0.1:4601/v1/worlds/default/clock/advance

- \`{w}\` is the name of a world; the first one is \`default\`. Other braces are ids of that world.
- POST, PUT and PATCH need \`Content-Type: application/json\`, also without a body. No body at all is an empty object.
- Off loopback, and with \`serve --operator-token\`, send \`Authorization: Bearer TOKEN\`. Pages of other origins are refused (403).
  A token of your own has at least 16 characters off loopback.
- No answer shows a secret that was sent to the sandbox, wherever it was pasted: it reads \`[redacted]\`. Only the 201 that makes a
  secret shows it. A webhook secret or token of fewer than 8 characters is not looked for.
- 507: the disk is full, or the files of the data folder cannot be used; \`detail\` says which.
- Each of the two ports takes 1,900 connections at a time; one more is closed without an answer. A request that has not arrived
  whole after 30 seconds is answered 408.
- Fields and parameters that are not listed here are refused by name; nothing is converted.
- A refusal is \`application/problem+json\` with a \`detail\` in a sentence. Every 400 has the \`code\` \`validation_error\`. What is not there is a
  404. What the state does not allow is a 409, with the state and the steps or actions it does allow.
- A list is read on with \`cursor\`, the \`next_cursor\` of the page before; that is null at the end.
- Amounts are whole cents, instants ISO 8601 in UTC, durations like \`90s\`, \`10m30s\` or \`PT1H\`. They are of the world's time.
`

/**
 * docs/operator-api.md: every route with its path, what it takes and what it answers.
 *
 * @param server the server's own routes, and how its reference puts schemas into words.
 */
export function operatorPage({ routes, standardSchema, flattenSchema }) {
  const linesOf = ({ json }) => flattenSchema(standardSchema(json, 'request'), noReferences)
  const sections = groupedBy(routes, headingOf)
  const parts = [...sections].map(([heading, members]) =>
    [`## ${heading}\n`, ...members.map((route) => routeText(route, linesOf))].join('\n'),
  )
  return [INTRO, ...parts].join('\n')
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
  if (noun !== 'worlds') return 'The sandbox'
  if (world === undefined || inWorld === undefined || inWorld === 'reset') return 'Worlds'
  const words = inWorld.replaceAll('-', ' ')
  return words[0].toUpperCase() + words.slice(1)
}

function routeText({ method, path, summary, query, body }, linesOf) {
  const fields = [
    ...(query ? linesOf(query).map((line) => fieldText('query', line)) : []),
    ...(body ? linesOf(body).map((line) => fieldText('body', line)) : []),
  ]
  return [`### \`${method} ${path}\`\n`, `${summary}\n`, ...(fields.length > 0 ? [`${fields.join('\n')}\n`] : [])].join('\n')
}

function fieldText(place, { path, type, required, description }) {
  const need = required ? ', required' : ''
  return `- ${place} \`${path}\`${need}: ${type}${description ? `. ${description.replace(/\.$/, '')}` : ''}`
}
