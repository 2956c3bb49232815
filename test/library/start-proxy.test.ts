import { expect, it } from 'vitest'
import { startProxy } from '../../src/index.ts'

const RIGHT = { target: 'http://127.0.0.1:1', keyId: 'pk_sandbox_1', secret: 'sk_sandbox_1' }

it.each([
  [
    { ...RIGHT, target: undefined, url: 'http://127.0.0.1:1' },
    /^startProxy: target is required; unknown option "url"; there are target, keyId, secret, port, /,
  ],
  [
    { ...RIGHT, target: 'http://127.0.0.1:1/api' },
    'startProxy: target: must be an address without a path, such as http://127.0.0.1:1',
  ],
  [{ ...RIGHT, target: 'nowhere' }, 'startProxy: target: must be an http or https URL, not "nowhere"'],
  [{ ...RIGHT, secret: 5 }, 'startProxy: secret must be a text that is not empty'],
  [{ ...RIGHT, port: '80' }, 'startProxy: port must be a port, from 0 to 65535'],
  [
    { ...RIGHT, keyId: 'pk_live_1' },
    'startProxy: live: pk_live_1 is a live key; pass live: true if its calls may go through the proxy',
  ],
])('a proxy is not started with %j', async (options, message) => {
  const error = await startProxy(options as never).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(TypeError)
  expect(error.message).toMatch(message)
})
