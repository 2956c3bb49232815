import { describe, expect, it } from 'vitest'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { API_ROOT } from '../../src/contract/endpoints/endpoint.ts'
import { ENDPOINTS, type Endpoint } from '../../src/contract/endpoints.ts'
import { ROUTES } from '../../src/sandbox/all-routes.ts'

function membersOf(schema: { json: Readonly<Record<string, unknown>> } | undefined): string[] {
  return Object.keys((schema?.json['properties'] as object | undefined) ?? {})
}

describe.each(ENDPOINT_IDS)('the row of %s', (id) => {
  const row: Endpoint = ENDPOINTS[id]
  const { query, body, answer } = ROUTES[id]

  it('names no query parameter that its schema does not take', () => {
    expect(membersOf(query)).toEqual(expect.arrayContaining([...row.documentedQuery]))
  })

  it('says where a call names its domain or order: in the path, the query or the body', () => {
    const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const places = [...inPath, ...membersOf(row.effect === 'read' ? query : body)]
    if (row.subject) expect(places).toContain(row.subject.name)
  })

  it('finds the handles of what it makes in its answer', () => {
    const fields = row.creates?.handles.map(({ field }) => field) ?? []
    expect(membersOf(answer)).toEqual(expect.arrayContaining(fields))
  })

  it('has a body if it writes, and hints at a call of this very endpoint', () => {
    expect(body !== undefined).toBe(row.effect === 'write')
    expect(row.bodies.length > 0).toBe(row.effect === 'write')
    if ('read' in row.hint) {
      const path = `${API_ROOT}${row.hint.read}`.replace(/\?.*/, '')
      expect(path).toMatch(new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
    }
  })
})
