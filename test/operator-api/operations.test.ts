import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { methodsOf } from '../../src/library/methods.ts'
import { camelCase } from '../../src/operator-api/camel-case.ts'
import { createOperatorClient } from '../../src/operator-api/client.ts'
import type { CommandRow, Flag } from '../../src/operator-api/command-row.ts'
import { OPERATION_IDS, type OperationId, operationOf } from '../../src/operator-api/operations.ts'
import { validated, validatedQuery } from '../../src/sandbox/wire/validation.ts'
import { cli } from '../cli/run.ts'
import { listening } from '../support/listening.ts'

it('no two operations have the same verb and path', () => {
  const routes = OPERATION_IDS.map((id) => `${operationOf(id).method} ${operationOf(id).path}`)
  expect(new Set(routes).size).toBe(routes.length)
})

const COMMANDS = OPERATION_IDS.flatMap((id) => operationOf(id).commands.map((row) => [row.usage, id, row] as const))

it.each(COMMANDS)('%s asks for %s with its arguments alone', async (usage, id, row) => {
  const { words, given } = argumentsOf(usage, id, row)
  expect(await askedBy(id, words)).toEqual([wanted(id, given)])
})

const WITH_FLAGS = COMMANDS.filter(([, , row]) => row.flags)

it.each(WITH_FLAGS)('%s asks for %s with the value of each flag', async (usage, id, row) => {
  const { words, given } = argumentsOf(usage, id, row)
  for (const [member, flag] of Object.entries<Flag>(row.flags ?? {})) {
    const [written, , read] = flag
    const value = Array.isArray(read) ? read[0] : sampleOf(memberOf(schemaOf(id), member))
    words.push(written.split(' ')[0] ?? '', ...(written.includes('<') ? [String(value)] : []))
    Object.assign(given, nested(given, member.split('.'), value))
  }
  expect(await askedBy(id, words)).toEqual([wanted(id, given)])
})

const METHODS = OPERATION_IDS.filter((id) => operationOf(id).path.includes('{w}') && !operationOf(id).takes)

it.each(METHODS)('the library asks for %s with all that it takes', async (id) => {
  const [resource = '', name = ''] = id.split('.')
  const ids = parametersOf(id).map((parameter) => ID_OF[parameter] ?? ID)
  const input = schemaOf(id).properties ? sampleOf(schemaOf(id)) : {}
  const { url, asked } = await recorder(id)
  const client = createOperatorClient({ url })
  const methods = methodsOf(client, WORLD, resource) as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >
  await methods[name]?.(...ids, camelCased(input))
  client.close()
  expect(asked).toEqual([wanted(id, input as Members)])
})

const WORLD = 'ci'
const ID = 'id-1'
const ID_OF: Readonly<Record<string, string>> = { name: 'shop.test' }

type Members = Record<string, unknown>

interface Json {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
}

/** What reached a server: the target without its query, and what the operator reads of query or body. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly input: unknown
}

/** A server that answers everything and reads it as the operator does. */
async function recorder(id: OperationId): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const { query, body } = operationOf(id)
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://operator.test')
    const text = Buffer.concat(await request.toArray()).toString()
    try {
      const input = query
        ? validatedQuery(query, [...searchParams])
        : body
          ? validated(body, JSON.parse(text), 'body')
          : {}
      asked.push({ method: request.method ?? '', path: pathname, input })
      response.end('{}')
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ detail: String(error) }))
    }
  })
  return { url: await listening(server), asked }
}

async function askedBy(id: OperationId, words: readonly string[]): Promise<Asked[]> {
  const { url, asked } = await recorder(id)
  const { code, err } = await cli([...words, '--sandbox', url])
  expect([code, err]).toEqual([0, ''])
  return asked
}

function wanted(id: OperationId, input: Members): Asked {
  const { method, path } = operationOf(id)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'w' ? WORLD : (ID_OF[name] ?? ID)))
  return { method, path: filled, input }
}

/** A command with a word for each of its arguments, and the members that these and the row itself set. */
function argumentsOf(usage: string, id: OperationId, row: CommandRow): { words: string[]; given: Members } {
  const [group = '', verb, ...places] = usage.split(' ')
  const names = row.args ?? parametersOf(id)
  const words = [group, ...(verb ? [verb] : [])]
  const given: Members = { ...row.sends }
  for (const [n] of places.entries()) {
    const name = names[n] ?? ''
    const isMember = name !== 'w' && !operationOf(id).path.includes(`{${name}}`)
    if (isMember) given[name] = ID
    words.push(name === 'w' ? WORLD : isMember ? ID : (ID_OF[name] ?? ID))
  }
  const isOfWorld = operationOf(id).path.includes('{w}') && !names.includes('w')
  return { words: isOfWorld ? [...words, '--world', WORLD] : words, given }
}

/** The ids in a path besides the world. */
function parametersOf(id: OperationId): string[] {
  return [...operationOf(id).path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (name === 'w' ? [] : [name]))
}

function schemaOf(id: OperationId): Json {
  const { query, body } = operationOf(id)
  return (query ?? body)?.json ?? {}
}

function memberOf(schema: Json, member: string): Json {
  return member.split('.').reduce<Json>((within, name) => within.properties?.[name] ?? {}, schema)
}

const OF_FORMAT: Readonly<Record<string, string>> = {
  domain: 'shop.test',
  email: 'ada@example.test',
  country: 'SE',
  instant: '2026-01-31T12:00:00.000Z',
}

/** A value that a schema allows. */
function sampleOf(schema: Json): unknown {
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return sampleOf(choice)
  if (schema.enum) return schema.enum[0]
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, sampleOf(inner)]))
  if (schema.type === 'array') return [sampleOf(schema.items ?? {})]
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.pattern?.startsWith('^ord_')) return 'ord_1'
  return OF_FORMAT[schema.format ?? ''] ?? 'word'.slice(0, schema.maxLength)
}

function nested(into: Members, [name = '', ...rest]: readonly string[], value: unknown): Members {
  if (rest.length === 0) return { ...into, [name]: value }
  return { ...into, [name]: nested((into[name] ?? {}) as Members, rest, value) }
}

/** As code writes it. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), camelCased(inner)]))
}
