import { expect, test } from 'vitest'
import { operatorOpenApi } from '../../src/operator/openapi.ts'
import { OPERATION_IDS, operationOf } from '../../src/operator-api/operations.ts'
import { packageVersion } from '../../src/package-files.ts'
import { sandboxOfFile } from '../support/sandbox.ts'

const shared = sandboxOfFile()

type Members = Record<string, unknown>

interface Documented {
  operationId: string
  summary: string
  parameters?: { name: string; in: string; description: string; schema: Members }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Members }> }
  responses: Record<string, { content?: Record<string, object> }>
}

const document = operatorOpenApi({ version: packageVersion() })
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Documented>).map(([method, operation]) => ({ path, method, ...operation })),
)
const of = (id: string) => documented.find(({ operationId }) => operationId === id) as Documented

test('the operator port serves its own document, with addresses relative to it', async () => {
  const { status, json } = await shared.operate('GET', '/v1/openapi.json')
  expect([status, json.openapi, json.servers]).toEqual([
    200,
    '3.1.1',
    [{ url: '/', description: 'The operator port.' }],
  ])
  expect(json.paths).toEqual(JSON.parse(JSON.stringify(document.paths)))
})

test('every operation is documented once, with its verb, its path and its parameters', () => {
  expect(documented.map(({ operationId }) => operationId).sort()).toEqual([...OPERATION_IDS].sort())
  for (const { path, method, operationId, parameters = [] } of documented) {
    const row = operationOf(operationId as never)
    expect([method.toUpperCase(), path]).toEqual([row.method, row.path])
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names)
    for (const { name, description } of parameters) expect(description, `${operationId} ${name}`).not.toBe('')
  }
})

test('bodies have the schemas that validate them, without formats that only the sandbox knows', () => {
  const { requestBody } = of('domains.create')
  expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json', 'text/csv'])
  const reset = of('worlds.seed').requestBody
  expect(reset?.required).toBe(false)
  expect(reset?.content['application/json']?.schema).toMatchObject({
    properties: { orders: { type: 'integer', minimum: 1, maximum: 100_000 } },
    additionalProperties: false,
  })
  expect(of('rateLimit.set').requestBody?.required).toBe(true)
  expect(JSON.stringify(document)).not.toMatch(/"format":"(?:plain|instant|domain|country)"/)
})

test('every JSON answer has a schema, which is closed but where any JSON may stand', () => {
  const answers = OPERATION_IDS.map((id) => [id, of(id).responses['2XX']?.content?.['application/json']] as const)
  const described = answers.filter(([, schema]) => schema).map(([id]) => id)
  expect(described).toEqual(OPERATION_IDS.filter((id) => operationOf(id).returns))
  const open = [...Object.entries(document.components.schemas), ...answers].flatMap(([name, schema]) =>
    openPlaces(schema).map((place) => [name, ...place].join('.')),
  )
  expect(open).toEqual([
    'AuditReport.differences',
    'OpenApi',
    'OpenApi.paths',
    'WholeRequest.answer.headers',
    'WrittenAct.body',
  ])
})

/** Where a schema says nothing of a value, or of further members; by the names of members on the way. */
function openPlaces(schema: unknown, names: readonly string[] = []): string[][] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Object.keys(schema).length === 0) return [[...names]]
  const { properties = {}, additionalProperties, ...others } = schema as Members
  return [
    ...(additionalProperties === true ? [[...names]] : openPlaces(additionalProperties, names)),
    ...Object.entries(properties as Members).flatMap(([name, member]) => openPlaces(member, [...names, name])),
    ...Object.values(others).flatMap((part) => openPlaces(part, names)),
  ]
}

test('numbers are integers but shares of one and milliseconds', () => {
  const fractions = [...JSON.stringify(document.components.schemas).matchAll(/"(\w+)":{[^{}]*"type":"number"/g)]
  expect([...new Set(fractions.map(([, name]) => name))].sort()).toEqual(['probability', 'took_ms'])
})

test('an answer that is not JSON has its type, and one that is empty has none', () => {
  const typesOf = (id: string) => Object.keys(of(id).responses['2XX']?.content ?? {})
  expect(typesOf('snapshots.save')).toEqual(['application/vnd.sqlite3'])
  expect(typesOf('stream.follow')).toEqual(['text/event-stream'])
  expect(typesOf('coverage.show')).toEqual(['application/json', 'text/html'])
  expect(typesOf('worlds.delete')).toEqual([])
})
