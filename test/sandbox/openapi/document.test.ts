import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { DEFAULT_GAPS, GAPS } from '../../../src/contract/choices.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../../src/contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint, SHAPES } from '../../../src/contract/endpoints.ts'
import { ERROR_CODES, ERRORS } from '../../../src/contract/errors.ts'
import { EVENT_TYPES } from '../../../src/contract/event-types.ts'
import { ROUTES } from '../../../src/sandbox/all-routes.ts'
import { openApiDocument } from '../../../src/sandbox/openapi/document.ts'
import { deliveryExample } from '../../../src/sandbox/openapi/webhooks.ts'
import { validated } from '../../../src/sandbox/wire/validation.ts'
import { expectDocumented, expectDocumentedDelivery } from '../../support/documented.ts'
import { registry } from '../../support/referee.ts'
import { startSandbox } from '../../support/sandbox.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is judged member by member
type Any = any

const document = openApiDocument() as Any

function operation(id: EndpointId): Any {
  const { path, method } = ENDPOINTS[id]
  return document.paths[path][method.toLowerCase()]
}

/** Every value of a key, wherever it stands. */
function everywhere(key: string, value: unknown = document): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, key) ? [(value as Any)[key]] : []
  return [...own, ...Object.values(value).flatMap((inner) => everywhere(key, inner))]
}

describe('the OpenAPI document', () => {
  it.each(ENDPOINT_IDS)('has %s with its scopes, its section and what it takes and gives', (id) => {
    const endpoint: Endpoint = ENDPOINTS[id]
    const found = operation(id)
    expect(found).toMatchObject({ operationId: id, tags: [endpoint.section], 'x-scopes': { anyOf: endpoint.scopes } })
    expect(found['requestBody'] !== undefined).toBe(endpoint.method !== 'GET')
    const names = (found.parameters ?? []).map((one: Any) => one.name ?? one.$ref.split('/').at(-1))
    const query = Object.keys((ROUTES[id].query?.json['properties'] as object | undefined) ?? {})
    const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(names).toEqual([...path, ...query, ...(endpoint.idempotencyKey ? ['IdempotencyKey'] : [])])
  })

  it('demands all four headers of every call at once', () => {
    expect(document.security).toEqual([{ keyId: [], timestamp: [], nonce: [], signature: [] }])
  })

  it('has nothing else', () => {
    const operations = Object.values(document.paths).flatMap((path: Any) => Object.values(path)) as Any[]
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...ENDPOINT_IDS].sort())
  })

  it('names every shape that its table lists, and points at nothing that is not there', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([...Object.keys(SHAPES), 'OrderEventDelivery', 'CaseEventDelivery', 'Error']),
    )
    for (const ref of new Set(everywhere('$ref') as string[])) {
      const target = ref.split('/').slice(1)
      expect(
        target.reduce((value: Any, name) => value?.[name], document),
        ref,
      ).toBeTypeOf('object')
    }
  })

  it('says nothing beside a reference, where many tools would pass over it', () => {
    const accompanied: unknown[] = []
    JSON.stringify(document, (_key, value) => {
      if (value?.$ref !== undefined && Object.keys(value).length > 1) accompanied.push(value)
      return value
    })
    expect(accompanied).toEqual([])
  })

  it('lists the fields that the table of shapes calls the document’s only where they are there', () => {
    for (const [name, { documented }] of Object.entries(SHAPES)) {
      expect(Object.keys(document.components.schemas[name].properties), name).toEqual(
        expect.arrayContaining([...documented]),
      )
    }
  })

  it('uses no format that only our validator knows', () => {
    const formats = new Set(everywhere('format').filter((value) => typeof value === 'string'))
    expect([...formats].sort()).toEqual(['date', 'date-time', 'email', 'hostname', 'idn-hostname', 'uri'])
  })

  it('names requirements that the registry has', () => {
    const named = everywhere('x-requirements').flat() as string[]
    expect(named.length).toBeGreaterThan(100)
    expect([...new Set(named)].filter((id) => !registry.requirements.has(id))).toEqual([])
  })

  it('has every code of the error table among the refusals of some operation', () => {
    const codes = Object.values(document.components.responses).flatMap(
      (one: Any) => one.content['application/json'].schema.allOf[1].properties.code.enum,
    )
    expect([...new Set(codes)].sort()).toEqual([...ERROR_CODES].sort())
  })

  it('has one webhook for each type of event', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES])
  })

  it('has the same whenever it is made, so that a changed line is a changed contract', () => {
    expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(document))
  })
})

describe('the examples', () => {
  it.each(ENDPOINT_IDS)('of %s are what the sandbox would accept and give', (id) => {
    const { path, method } = ENDPOINTS[id]
    const { body, answer }: Endpoint['example'] = ENDPOINTS[id].example
    const { body: accepted } = ROUTES[id]
    if (accepted) expect(validated(accepted, body, 'body')).toBe(body)
    else expect(body).toBeUndefined()
    const [status] = Object.keys(operation(id).responses)
    const target = path.replace(/\{\w+\}/, 'x')
    const headers = { 'x-request-id': 'req_1' }
    expectDocumented({ method, target, status: Number(status), headers, text: JSON.stringify(answer) })
  })

  it.each(EVENT_TYPES)('of %s is what a delivery carries', (type) => {
    expectDocumentedDelivery(Buffer.from(JSON.stringify(deliveryExample(type))))
  })

  it('of bodies fit the document’s own schemas too', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    for (const id of ENDPOINT_IDS) {
      const { body }: Endpoint['example'] = ENDPOINTS[id].example
      if (body === undefined) continue
      const schema = operation(id).requestBody.content['application/json'].schema
      const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
      expect(ajv.validate(whole, body), `${id}: ${ajv.errorsText()}`).toBe(true)
    }
  })
})

describe('a fresh sandbox accepts', () => {
  /** An example cannot name an order or a case, since a fresh sandbox has none. */
  const needsAnother = (id: EndpointId) => {
    const { inScenario }: Endpoint = ENDPOINTS[id]
    return Boolean(inScenario?.after)
  }

  it.each(ENDPOINT_IDS.filter((id) => !needsAnother(id)))('the example of %s', async (id) => {
    const sandbox = await startSandbox()
    const { method, path } = ENDPOINTS[id]
    const parameters = (operation(id).parameters ?? []).filter((one: Any) => one.example !== undefined)
    const query = parameters.filter((one: Any) => one.in === 'query').map((one: Any) => `${one.name}=${one.example}`)
    const filled = parameters.reduce((text: string, one: Any) => text.replace(`{${one.name}}`, one.example), path)
    const { body }: Endpoint['example'] = ENDPOINTS[id].example
    const target = [filled, ...query].join('?')
    const { status } = await sandbox.call({ method, path: target, key: 'k', ...(body !== undefined && { body }) })
    expect([200, 201]).toContain(status)
  })
})

describe('an open point', () => {
  const statuses = [
    'missing-headers-status',
    'timestamp-status',
    'replay-status',
    'missing-idempotency-key-status',
  ] as const

  it.each(statuses)('%s is marked with its legal values, and every one of them can be documented', (id) => {
    const [code] = Object.entries(ERRORS).find(([, row]) => 'gap' in row && row.gap === id) as [string, unknown]
    for (const value of GAPS[id].values) {
      const made = openApiDocument({ gaps: { ...DEFAULT_GAPS, [id]: value } }) as Any
      const { $ref } = made.paths['/api/partner/v1/orders'].post.responses[value]
      const response = made.components.responses[$ref.split('/').at(-1)]
      expect(response.content['application/json'].schema.allOf[1].properties.code.enum).toContain(code)
      expect(response['x-gap']).toContainEqual({ code, id, values: GAPS[id].values, chosen: value })
    }
  })

  it('of creations moves the accepted answer', () => {
    const made = openApiDocument({ gaps: { ...DEFAULT_GAPS, 'created-status': 200 } }) as Any
    const { responses } = made.paths['/api/partner/v1/quotes'].post
    expect(Object.keys(responses)[0]).toBe('200')
    expect(responses['200']['x-gap']).toEqual([{ id: 'created-status', values: [201, 200], chosen: 200 }])
  })

  it('is behind every field, parameter and value the API document does not name', () => {
    const { Order } = document.components.schemas
    expect(Order.properties.public_id['x-gap']).toBeUndefined()
    expect(Order.properties.status['x-gap']).toEqual({
      id: 'value',
      values: ['MANUAL_REVIEW', 'REFUNDED', 'CANCELLED'],
    })
    expect(Order.properties.commission_cents['x-gap']).toEqual({ id: 'field' })
    const marked = operation('transactions.list').parameters.filter((one: Any) => one['x-gap'])
    expect(marked.map(({ name }: Any) => name)).toEqual(['cursor', 'limit'])
  })

  it('is in the dictionary with its question, its values and the choice', () => {
    expect(Object.keys(document['x-gaps'])).toEqual(['field', 'value', ...Object.keys(GAPS)])
    for (const { id } of everywhere('x-gap').flat() as Any[]) expect(document['x-gaps'][id], id).toBeDefined()
  })
})

describe('/openapi.json', () => {
  it('is the document with the address and the choices of the sandbox, for anybody', async () => {
    const gaps = { 'replay-status': 403, 'error-layout': 'nested' } as const
    const sandbox = await startSandbox({ gaps })
    const answer = await fetch(`${sandbox.url}/openapi.json`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const expected = openApiDocument({ publicUrl: sandbox.url, gaps: { ...DEFAULT_GAPS, ...gaps } })
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(expected)))
  })

  it('is true of a sandbox with other choices', async () => {
    const sandbox = await startSandbox({
      gaps: {
        'replay-status': 409,
        'error-layout': 'nested',
        'created-status': 200,
        'missing-idempotency-key-status': 428,
      },
    })
    expect((await sandbox.sell()).status).toBe(200)
    const twice = { path: '/orders', nonce: 'used-twice' }
    expect([(await sandbox.call(twice)).status, (await sandbox.call(twice)).status]).toEqual([200, 409])
    expect((await sandbox.call({ path: '/orders', body: {} })).status).toBe(428)
  })
})
