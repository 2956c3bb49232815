import { expect, it } from 'vitest'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'

it('every row of an endpoint has its name in the list of names, which is in the order of the rows', () => {
  expect(Object.keys(ENDPOINTS)).toEqual(ENDPOINT_IDS)
})
