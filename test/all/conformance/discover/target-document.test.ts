import { describe, expect, it } from 'vitest'
import type { Discovery, Finding } from '../../../../src/conformance/discover/discovery.ts'
import { firstTargetText, withDiscovery } from '../../../../src/conformance/discover/target-document.ts'
import { parseTarget } from '../../../../src/conformance/target/load-target.ts'

const FINDING: Finding = {
  path: ['dialect', 'roles', 'listing.floor'],
  ...{
    state: 'found',
    value: '/floor',
    confidence: 'confirmed',
    candidates: [],
    note: null,
    requirements: [],
    optional: false,
  },
  evidence: [{ exchange: 're1', request: 'GET /pricing?domain=a.test', shows: '/floor = 5' }],
}

function discovery(
  findings: Partial<Finding>[],
  pins: Partial<NonNullable<Discovery['pins']>> | null = null,
): Discovery {
  return {
    findings: findings.map((finding) => ({ ...FINDING, ...finding })),
    pins: pins && { observed: {}, unsteady: [], drift: [], ...pins },
  } as Discovery
}

const QUIET = { update: false, pin: false, updatePins: false }
const FIRST = firstTargetText({ url: 'http://a.test', keyId: 'pk_test_1', secretEnv: 'MY_SECRET' })
const OWN = `# mine
url: http://a.test   # the address
dialect:
  roles:
    listing.floor: /my/floor  # I know
credentials: [{ name: main, key_id: pk_test_1, secret: "\${env:MY_SECRET}" }]
pins:
  AUTH-17: 401
`

describe('a first target file', () => {
  it('is readable, reads only, and names no secret', () => {
    const { target } = parseTarget(FIRST, 't.yaml', { MY_SECRET: 'sk_test_1' })
    expect(target).toMatchObject({ url: 'http://a.test', mode: 'read', credentials: [{ secret: 'sk_test_1' }] })
    expect(FIRST).toContain('secret: "${env:MY_SECRET}"')
  })

  it('gets each value with the answer that showed it', () => {
    const { text, changes } = withDiscovery(
      FIRST,
      discovery([{}, { path: ['dialect', 'params', 'orders.cursor'], value: 'after' }]),
      QUIET,
    )
    expect(text).toContain('listing.floor: /floor # GET /pricing?domain=a.test: /floor = 5 (confirmed)\n')
    expect(changes.map(({ what }) => what)).toEqual(['added', 'added'])
    const { target } = parseTarget(text, 't.yaml', { MY_SECRET: 'x' })
    expect(target?.dialect).toMatchObject({
      roles: { 'listing.floor': '/floor' },
      params: { 'orders.cursor': 'after' },
    })
  })

  it('keeps a hostile answer inside its comment', () => {
    const evidence = [
      { exchange: 'e', request: 'GET /x', shows: 'a = "\n\u001b[31mpins: {}\u2028url: http://evil.test"' },
    ]
    const { text } = withDiscovery(FIRST, discovery([{ evidence, value: 'x\n# y: "' }]), QUIET)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text).not.toMatch(/[\u001b\u2028]/)
    const { target } = parseTarget(text, 't.yaml', { MY_SECRET: 'x' })
    expect(target).toBeNull()
    expect(withDiscovery(FIRST, discovery([{ evidence }]), QUIET).text).toContain('\nurl: "http://a.test"\n')
  })

  it('is not told what valid answers may lack, nor what is uncertain', () => {
    const unsure = [
      { optional: true },
      { state: 'needs-dialect' as const, value: null },
      { state: 'not-seen' as const, value: null },
    ]
    expect(withDiscovery(FIRST, discovery(unsure), QUIET)).toEqual({ text: FIRST, changes: [] })
  })
})

describe("a person's target file", () => {
  it('keeps what the person wrote, order and comments included', () => {
    const { text, changes } = withDiscovery(
      OWN,
      discovery([{ state: 'differs' }, { path: ['dialect', 'statuses', 'held'], value: 'PARKED' }]),
      QUIET,
    )
    expect(text).toContain('# mine\nurl: http://a.test # the address\ndialect:')
    expect(text).toContain('listing.floor: /my/floor # I know\n')
    expect(text).toContain('held: PARKED')
    expect(text.indexOf('dialect:')).toBeLessThan(text.indexOf('credentials:'))
    expect(changes).toEqual([
      { path: FINDING.path, what: 'kept', from: '/my/floor', to: '/floor' },
      { path: ['dialect', 'statuses', 'held'], what: 'added', from: null, to: 'PARKED' },
    ])
  })

  it('is changed there only when it is to be updated', () => {
    const { text, changes } = withDiscovery(OWN, discovery([{ state: 'differs' }]), { ...QUIET, update: true })
    expect(text).toContain('listing.floor: /floor # GET /pricing')
    expect(changes).toMatchObject([{ what: 'changed', from: '/my/floor', to: '/floor' }])
  })

  it('stays byte for byte where nothing is new', () => {
    expect(withDiscovery(OWN, discovery([{ state: 'differs' }]), QUIET).text).toBe(OWN)
  })

  it('may have a key with nothing behind it', () => {
    const { text } = withDiscovery('url: http://a.test\ndialect:\npins:\n', discovery([{}], { observed: { X: 1 } }), {
      ...QUIET,
      pin: true,
    })
    expect(text).toMatch(/listing\.floor: \/floor/)
    expect(text).toMatch(/pins:\n {2}X: 1/)
  })
})

describe('pins', () => {
  const observed = { 'AUTH-17': 409, 'AUTH-18/x': 'accepted' }

  it('are written where there are none, and changed only by asking for it', () => {
    const write = (how: object) => withDiscovery(OWN, discovery([], { observed }), { ...QUIET, ...how }).text
    expect(write({})).toBe(OWN)
    expect(write({ pin: true })).toMatch(/AUTH-17: 401\n {2}AUTH-18\/x: accepted\n/)
    expect(write({ updatePins: true })).toMatch(/AUTH-17: 409\n$/)
    expect(write({ pin: true, updatePins: true })).toMatch(/AUTH-17: 409\n {2}AUTH-18\/x: accepted\n/)
  })
})
