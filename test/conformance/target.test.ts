import { describe, expect, it } from 'vitest'
import { parseTarget, targetFromFlags } from '../../src/conformance/target/load-target.ts'
import type { Target } from '../../src/conformance/target/target.ts'

const VALID = `url: https://staging.example.test
mode: write
credentials:
  - { name: main, key_id: pk_test_1, secret: "\${env:SECRET}", scopes: [search, buy] }
`

function problemOf(text: string): string {
  const { problems } = parseTarget(text, 'target.yaml', { SECRET: 'sk_test_1' })
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n')
}

function loaded(text: string): Target {
  const { target } = parseTarget(text, 'target.yaml', { SECRET: 'sk_test_1' })
  if (!target) throw new Error(problemOf(text))
  return target
}

describe('target files', () => {
  it('take secrets from the environment', () => {
    expect(loaded(VALID).credentials[0]).toMatchObject({ name: 'main', secret: 'sk_test_1', scopes: ['search', 'buy'] })
  })

  it('say which variable is missing, and where', () => {
    const { problems } = parseTarget(VALID, 'target.yaml', {})
    expect(problems).toEqual([{ file: 'target.yaml', line: 4, column: 46, message: 'the environment has no SECRET' }])
  })

  it('have modest limits across a network, and on loopback keep below the rate limit of a sandbox', () => {
    expect(loaded(VALID).budget).toEqual({ orders: 20, quotes: 20, requests: 2_000, perSecond: 20 })
    const loopback = VALID.replace('https://staging.example.test', 'http://127.0.0.1:1')
    expect(loaded(loopback).budget).toMatchObject({ perSecond: null, inTenSeconds: 900 })
  })

  it('read where they do not say otherwise', () => {
    expect(loaded(VALID.replace('mode: write\n', '')).mode).toBe('read')
  })

  it('only read with a live key', () => {
    expect(loaded(VALID.replace('pk_test_1', 'pk_live_1')).mode).toBe('read')
  })

  it('name the role that was probably meant', () => {
    const of = (role: string) => problemOf(`${VALID}dialect: { roles: { ${role}: /x } }\n`)
    expect(of('listing.prise')).toBe('5:21 unknown key "listing.prise" in "roles"; did you mean "listing.price"?')
    expect(of('orders.list:order.next')).toContain('; did you mean "orders.list:orders.next"?')
    expect(of('nothing.like.it')).toBe('5:21 unknown key "nothing.like.it" in "roles"')
  })

  it('refuse an address of the receiver with anything but the port to fill in', () => {
    const of = (address: string) => problemOf(`${VALID}receiver: { public_url: "${address}" }\n`)
    expect(of('https://ci.example.test:${port}/hook')).toBe('')
    expect(of('https://ci.example.test:${prt}')).toBe(
      '5:25 "https://ci.example.test:${prt}" is not an address; ${port} is the port that was bound',
    )
    expect(of('https://')).toMatch(/^5:25 "https:\/\/" is not an address/)
  })

  it('say where quotes are missing', () => {
    const text = VALID.replace('"${env:SECRET}"', '${env:SECRET}')
    expect(problemOf(text)).toBe('4:46 within { } or [ ], a value with ${...} needs quotes: "${...}"')
    expect(problemOf('url: ${env:URL}\nfixtures: { sellable: [${env:NAME}] }\n')).toMatch(/^2:24 within /)
  })

  it('refuse a role nobody knows, a path in the address, a missing main', () => {
    expect(problemOf(`${VALID}dialect: { roles: { eror.code: /x } }\n`)).toMatch(/^5:\d+ /)
    expect(problemOf(VALID.replace('.test\n', '.test/api\n'))).toBe(
      '1:6 the address must be scheme, host and port only; the API root is added',
    )
    expect(problemOf(VALID.replace('name: main', 'name: other'))).toBe('4:3 one credential must be called main')
  })

  it('refuse a secret in the place of a key id, and do not show it', () => {
    const says = 'begins with sk_'
    expect(problemOf(VALID.replace('pk_test_1', 'sk_test_hidden'))).toMatch(
      /^4:\d+ "key_id" must be like pk_test_1, and what is there begins with sk_, as a secret does$/,
    )
    expect(problemOf(VALID.replace('pk_test_1', '"${env:SECRET}"'))).toContain(says)
    expect(() => targetFromFlags({ url: 'http://127.0.0.1:1', keyId: 'sk_test_hidden', secret: 's' })).toThrow(says)
  })

  it('have a receiver without being told on this machine, and only by being told elsewhere', () => {
    const here = loaded(VALID.replace('https://staging.example.test', 'http://127.0.0.1:1'))
    expect(here.receiver).toEqual({ listen: '127.0.0.1:0', publicUrl: null })
    expect(loaded(VALID).receiver).toBeNull()
    const told = 'receiver: { listen: "0.0.0.0:9000", public_url: "https://ci.example.test:${port}/hook" }\n'
    expect(loaded(VALID + told).receiver).toEqual({
      listen: '0.0.0.0:9000',
      publicUrl: 'https://ci.example.test:${port}/hook',
    })
    expect(problemOf(`${VALID}receiver: { listen: anywhere }\n`)).toMatch(
      /^5:21 "listen" must be like 127.0.0.1:.*, not "anywhere"$/,
    )
  })
})

describe('flags', () => {
  it('make a target that reads', () => {
    expect(targetFromFlags({ url: 'http://127.0.0.1:1/', keyId: 'pk_test_1', secret: 's' })).toMatchObject({
      url: 'http://127.0.0.1:1',
      mode: 'read',
      operator: null,
    })
  })

  it('refuse what is no address', () => {
    expect(() => targetFromFlags({ url: 'nonsense', keyId: 'pk_test_1', secret: 's' })).toThrow(RangeError)
  })

  it('write with a live key only by a number', () => {
    const flags = { url: 'http://127.0.0.1:1', keyId: 'pk_live_1', secret: 's', mode: 'write' as const }
    expect(targetFromFlags(flags).mode).toBe('read')
    expect(targetFromFlags({ ...flags, liveWrites: 2 })).toMatchObject({ mode: 'write', liveWrites: 2 })
  })
})
