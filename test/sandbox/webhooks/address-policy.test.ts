import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { createAddressPolicy } from '../../../src/sandbox/webhooks/address-policy.ts'

const OPERATOR_PORT = 4601

function policyOf(hosts: string) {
  const policy = createAddressPolicy(hosts)
  policy.operatorPort = OPERATOR_PORT
  return policy
}

function allows(hosts: string, url: string): boolean {
  return policyOf(hosts).refusalOfUrl(new URL(url)) === null
}

function allowsAddress(hosts: string, address: string, name: string | null = 'a.test', port = 80): boolean {
  return policyOf(hosts).refusal({ address, port, name }) === null
}

const LOOPBACK = [
  ...['127.0.0.1', '127.9.9.9', '127.1', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '127.0.0.1.'],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '１２７.0.0.1',
    'localhost',
    'a.localhost',
  ],
]

test.each(LOOPBACK)('%s is the loopback, which is allowed unless somebody says otherwise', (host) => {
  expect(allows('loopback', `http://${host}/hook`)).toBe(true)
  expect(allows('private', `http://${host}/hook`)).toBe(false)
})

const ELSEWHERE = [
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '1.1.1.1', '192.0.2.1', '198.18.0.1'],
  ...['0', '0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1', '0xa.1', '167772161', '012.0.0.1'],
  ...['[::]', '[fe80::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[2606:4700::1111]', '[::ffff:10.0.0.1]'],
  // Ways of IPv6 to an IPv4 loopback: 6to4, NAT64, Teredo, IPv4-compatible.
  ...['[2002:7f00:1::]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2001:0:7f00:1::]', '[::127.0.0.1]'],
]

test.each(ELSEWHERE)('%s is not the loopback, in whatever notation', (host) => {
  expect(allows('loopback', `http://${host}/hook`)).toBe(false)
})

test('private, any, addresses, networks and names open what they say and nothing else', () => {
  const cases: [hosts: string, address: string, allowed: boolean][] = [
    ['private', '10.1.2.3', true],
    ['private', '192.168.7.7', true],
    ['private', 'fc00::7', true],
    ['private', '8.8.8.8', false],
    ['private', '169.254.169.254', false],
    ['private', 'fd00:ec2::254', false],
    ['any', '127.0.0.1', true],
    ['any', '10.0.0.1', true],
    ['any', '8.8.8.8', true],
    ['any', '2606:4700::1111', true],
    ['any', '64:ff9b::8.8.8.8', true],
    ['any', '2002:0808:0808::1', true],
    ['any', '64:ff9b::10.0.0.1', false],
    ['any', '2002:a9fe:a9fe::1', false],
    ['any', '169.254.169.254', false],
    ['any', '::ffff:169.254.169.254', false],
    ['any', 'fd00:ec2::254', false],
    ['any', '0.0.0.0', false],
    ['any', '::', false],
    ['any', '255.255.255.255', false],
    ['any', '224.0.0.1', false],
    ['any', 'fe80::1%lo', false],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['10.1.0.0/16', '::ffff:10.1.0.1', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['169.254.0.0/16', '169.254.169.254', true],
    ['2001:db8::/32', '2001:db8::1', true],
    ['0.0.0.0/0', '0.0.0.0', false],
    ['loopback, Private ', '10.0.0.1', true],
    ['loopback,private', '127.0.0.1', true],
  ]
  for (const [hosts, address, allowed] of cases) {
    expect([hosts, address, allowsAddress(hosts, address)]).toEqual([hosts, address, allowed])
  }
})

test('a listed name may stand for any ordinary address; another name for none', () => {
  expect(allowsAddress('hooks.example.test', '203.0.114.7', 'hooks.example.test')).toBe(true)
  expect(allowsAddress('hooks.example.test', '203.0.114.7', 'HOOKS.example.test.')).toBe(true)
  expect(allowsAddress('hooks.example.test', '10.0.0.1', 'hooks.example.test')).toBe(true)
  expect(allowsAddress('hooks.example.test', '169.254.169.254', 'hooks.example.test')).toBe(false)
  expect(allowsAddress('hooks.example.test', '203.0.114.7', 'evil.example.test')).toBe(false)
  expect(allowsAddress('hooks.example.test', '203.0.114.7', null)).toBe(false)
})

test('our own operator port takes no webhook under any of its addresses, whatever is allowed', () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', ...own.map(({ address: a }) => a)]) {
    expect([address, allowsAddress('any,0.0.0.0/0,::/0', address, null, OPERATOR_PORT)]).toEqual([address, false])
    expect(allowsAddress('any,0.0.0.0/0,::/0', address, null, OPERATOR_PORT + 1)).toBe(true)
  }
  expect(allows('any', `http://localhost:${OPERATOR_PORT}/v1`)).toBe(false)
  expect(allows('any', `http://8.8.8.8:${OPERATOR_PORT}/v1`)).toBe(true)
})

test.each(['', 'loopback,', 'hooks example', '10.0.0.0/99', '1.2.3', 'http://a.test', '*', 'a..b'])(
  'a list with the item %j is refused',
  (hosts) => {
    expect(() => createAddressPolicy(hosts)).toThrow('is not one of loopback, private, public, any')
  },
)
