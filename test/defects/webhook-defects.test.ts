import { advanceBy, register, SECRET, settled, signatureOf } from '../support/hooks.ts'
import { answers, type Received, startReceiver } from '../support/receiver.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

type Look = Probe['look']

const hook = () => startReceiver(undefined, { anything: true })

/** What a look sees of the first delivery of a recorded order. */
const delivered =
  (look: (received: Received) => unknown): Look =>
  async (sandbox) => {
    const { url, has } = await hook()
    await register(sandbox, url)
    await sandbox.sell()
    return look((await has(1))[0] as Received)
  }

/** What a look sees of two attempts of one event, between which its order goes on. */
const twice =
  (look: (attempts: Received[]) => unknown): Look =>
  async (sandbox) => {
    const receiver = await startReceiver((response, _, n) => void response.writeHead(n === 1 ? 500 : 200).end(), {
      anything: true,
    })
    await register(sandbox, receiver.url)
    const { public_id } = (await sandbox.sell()).json
    await receiver.has(1)
    await settled(sandbox)
    await sandbox.operate('POST', `/v1/worlds/default/orders/${public_id}/start-transfer`, {})
    await receiver.has(2)
    await advanceBy(sandbox, '1d')
    const told = receiver.received.filter(({ json }) => json.type?.toLowerCase() === 'order.recorded')
    return look(told)
  }

const registered =
  (look: (answer: Awaited<ReturnType<typeof register>>) => unknown): Look =>
  async (sandbox) => {
    await register(sandbox, 'http://127.0.0.1:9/first', { secret: 'the-first-secret' })
    return look(await register(sandbox, 'http://127.0.0.1:9/second', { secret: 'the-second-secret' }))
  }

/** How often each of two urls was told of an order, and under which secret, after the one was replaced by the other. */
const replaced: Look = async (sandbox) => {
  const [former, latter] = [await hook(), await hook()]
  await register(sandbox, former.url, { secret: 'the-first-secret' })
  await register(sandbox, latter.url, { secret: 'the-second-secret' })
  await sandbox.sell()
  await settled(sandbox)
  return [former, latter].map(({ received }) => received.map(secretOf).join())
}

/** Under which secret the same url is told before and after a new one. */
const secretChanged: Look = async (sandbox) => {
  const { url, has } = await hook()
  await register(sandbox, url, { secret: 'the-first-secret' })
  await sandbox.sell()
  await has(1)
  await register(sandbox, url, { secret: 'the-second-secret' })
  await sandbox.sell()
  return (await has(2)).map(secretOf)
}

function secretOf({ body, headers }: Received): string {
  const secrets = ['the-first-secret', 'the-second-secret']
  const found = secrets.find((secret) => signatureOf(body, secret) === headers['x-partner-signature'])
  return found?.replace(/^the-|-secret$/g, '') ?? 'neither'
}

/** How many events the history has after a delivery was answered like this. */
const remembered =
  (status: number): Look =>
  async (sandbox) => {
    const { url, has } = await startReceiver(answers(status), { anything: true })
    await register(sandbox, url)
    await sandbox.sell()
    await has(1)
    await settled(sandbox)
    return (await sandbox.call({ path: '/events' })).json.events.length
  }

const unregistered: Look = async (sandbox) => {
  await sandbox.sell()
  return (await sandbox.call({ path: '/events' })).json.events.length
}

const toldOfOthers: Look = async (sandbox) => {
  const { url, received } = await hook()
  await register(sandbox, url)
  await sandbox.sell({ as: 'other-partner' })
  await settled(sandbox)
  return received.length
}

const put: Look = async (sandbox) => outcome(await register(sandbox, 'http://127.0.0.1:9/hook'))

const signature = delivered(({ body, headers }) => headers['x-partner-signature'] === signatureOf(body, SECRET))
const header = (name: string) => delivered(({ headers }) => headers[name] ?? null)
const form = delivered(({ headers }) => String(headers['x-partner-signature']).replace(/[0-9a-f]{2,}/, 'hex'))
const members = delivered(({ json }) => Object.keys(json).join())
const ENVELOPE = 'id,type,created_at,partner_id,data'

showDefects([
  { defect: 'delivery-signed-with-prefix', look: form, sound: 'hex', broken: 'v1=hex' },
  ...[
    'in-upper-case',
    'in-base64',
    'cut-short',
    'with-api-secret',
    'with-key-id',
    'with-hashed-secret',
    'as-plain-hash',
  ]
    .concat('with-sha512', 'over-the-data', 'over-time-and-body', 'over-a-line-too-many')
    .map((how) => ({ defect: `delivery-signed-${how}`, look: signature, sound: true, broken: false })),
  { defect: 'delivery-written-anew-after-signing', look: signature, sound: true, broken: false },
  { defect: 'delivery-signature-in-another-header', look: signature, sound: true, broken: false },
  { defect: 'delivery-is-put', look: delivered(({ method }) => method), sound: 'POST', broken: 'PUT' },
  { defect: 'delivery-is-get', look: delivered(({ method }) => method), sound: 'POST', broken: 'GET' },
  { defect: 'delivery-is-sent-as-text', look: header('content-type'), sound: 'application/json', broken: 'text/plain' },
  {
    defect: 'delivery-without-partner-id',
    look: members,
    sound: ENVELOPE,
    broken: ENVELOPE.replace(',partner_id', ''),
  },
  { defect: 'delivery-is-wrapped', look: members, sound: ENVELOPE, broken: 'event' },
  {
    defect: 'delivery-time-in-seconds',
    look: delivered(({ json }) => typeof json.created_at),
    sound: 'string',
    broken: 'number',
  },
  {
    defect: 'delivery-has-a-new-id-each-time',
    look: twice((attempts) => new Set(attempts.map(({ json }) => json.id)).size),
    sound: 1,
    broken: 2,
  },
  {
    defect: 'delivery-is-dated-by-its-attempt',
    look: twice((attempts) => new Set(attempts.map(({ json }) => json.created_at)).size),
    sound: 1,
    broken: 2,
  },
  {
    defect: 'delivery-shows-the-order-as-it-is-now',
    look: twice((attempts) => attempts.map(({ json }) => json.data.order.status)),
    sound: ['EXTERNALLY_PAID', 'EXTERNALLY_PAID'],
    broken: ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'],
  },
  { defect: 'registration-is-201', look: registered(({ status }) => status), sound: 200, broken: 201 },
  {
    defect: 'registration-shows-the-secret',
    look: registered(({ text }) => text.includes('the-second-secret')),
    sound: false,
    broken: true,
  },
  {
    defect: 'registration-shows-the-former-secret',
    look: registered(({ text }) => text.includes('the-first-secret')),
    sound: false,
    broken: true,
  },
  { defect: 'registration-cannot-be-replaced', look: registered(outcome), sound: '200', broken: '409 conflict' },
  {
    defect: 'registration-shows-the-former-url',
    look: registered(({ json }) => json.url.split('/').at(-1)),
    sound: 'second',
    broken: 'first',
  },
  { defect: 'webhook-path-not-served', look: put, sound: '200', broken: '404 not_found' },
  { defect: 'put-path-signed-with-version', look: put, sound: '200', broken: '401 invalid_signature' },
  { defect: 'put-signed-as-post', look: put, sound: '200', broken: '401 invalid_signature' },
  { defect: 'put-signed-without-its-body', look: put, sound: '200', broken: '401 invalid_signature' },
  { defect: 'replaced-url-is-still-used', look: replaced, sound: ['', 'second'], broken: ['second', ''] },
  { defect: 'replaced-secret-is-still-used', look: replaced, sound: ['', 'second'], broken: ['', 'first'] },
  { defect: 'replaced-url-is-told-too', look: replaced, sound: ['', 'second'], broken: ['second', 'second'] },
  { defect: 'secret-is-cached-by-url', look: secretChanged, sound: ['first', 'second'], broken: ['first', 'first'] },
  { defect: 'failed-delivery-loses-the-event', look: remembered(500), sound: 1, broken: 0 },
  { defect: 'history-waits-for-delivery', look: remembered(500), sound: 1, broken: 0 },
  { defect: 'history-is-for-the-undelivered', look: remembered(200), sound: 1, broken: 0 },
  { defect: 'history-needs-a-webhook', look: unregistered, sound: 1, broken: 0 },
  { defect: 'webhooks-tell-everyone', look: toldOfOthers, sound: 0, broken: 1 },
])
