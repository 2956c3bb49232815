import { expect, it } from 'vitest'
import { whyNotOpen } from '../../../src/conformance/pages/page-address.ts'

const ELSEWHERE = { targetUrl: 'https://api.example.test', operatorUrl: null }
const HERE = { targetUrl: 'http://127.0.0.1:4600', operatorUrl: 'http://127.0.0.1:4601' }

const why = (url: string, of: { targetUrl: string; operatorUrl: string | null }) => whyNotOpen(new URL(url), of)

it.each([
  ...['http://127.0.0.1/', 'http://localhost./', 'http://a.localhost/', 'http://2130706433/', 'http://0x7f.1/'],
  ...['http://0.0.0.0/', 'http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/', 'http://10.1.2.3/'],
  ...['http://192.168.0.1/', 'http://172.31.0.1/', 'http://100.64.0.1/', 'http://[fd00::1]/', 'http://[fe80::1]/'],
  ...['http://169.254.169.254/latest', 'http://metadata.google.internal/', 'http://[::ffff:169.254.169.254]/'],
])('a target elsewhere does not get %s opened', (url) => {
  expect(why(url, ELSEWHERE)).toMatch(/^the target gives out/)
})

it('a page may be at another host of the world', () => {
  expect(why('https://pay.example.test/session', ELSEWHERE)).toBeNull()
  expect(why('http://8.8.8.8/', ELSEWHERE)).toBeNull()
})

it('a target on this machine has its pages here, but neither at the operator nor at link-local addresses', () => {
  expect(why('http://localhost:9000/pay', HERE)).toBeNull()
  expect(why('http://127.0.0.1:4601/', HERE)).toBe("the target gives out the operator's address for a page")
  expect(why('http://169.254.169.254/', HERE)).toMatch(/link-local/)
})
