// Starts the stranger as a process of its own, and writes its target file: keys, operator and fixtures, and what `discover` finds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./server.mjs', import.meta.url))

export async function startStranger({ defect } = {}) {
  const args = [PROGRAM, '0', ...(defect === undefined ? [] : ['--defect', defect])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  return {
    ...JSON.parse(line),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const DIALECT = {
  roles: {
    'search.items': '/data',
    'search.domain': '/name',
    'domains.detail:listing.domain': '/data/name',
    'availability:listing.domain': '/data/domain',
    'pricing:listing.domain': '/data/domain',
    'domains.detail:listing.price': { at: '/data/price', unit: 'units' },
    'availability:listing.price': { at: '/data/price', unit: 'units' },
    'pricing:listing.price': { at: '/data/buy_now_price', unit: 'units' },
    'domains.detail:listing.available': '/data/availability',
    'availability:listing.available': '/data/available',
    'listing.metadata': '/data/metadata',
    'listing.floor': { at: '/data/floor_price', unit: 'units' },
    'orders.items': '/data',
    'cases.items': '/data',
    'eligibility.eligible': '/data/eligible',
  },
}

const VIOLINS = ['blueviolin', 'quietviolin', 'royalviolin']

function actions(url) {
  const post = (what, json) => ({
    request: `POST ${url}/backoffice/${what}`,
    headers: { authorization: 'Bearer backoffice' },
    ...(json && { json }),
  })
  const order = { order: '${public_id}' }
  return {
    advance_clock: post('travel', { seconds: '${seconds}' }),
    skew_clock: post('skew', { seconds: '${seconds}' }),
    rate_limit: post('rate', { requests: '${requests}', seconds: '${per_seconds}' }),
    fail_next: post('fail', { count: '${count}' }),
    hold: post('hold', order),
    clear: post('release', order),
    start_transfer: post('push', order),
    complete_transfer: post('deliver', order),
    settle: post('settle'),
    payout: post('settle'),
    refund: post('refund', order),
    cancel: post('cancel', order),
    set_price: post('price', { domain: '${domain}', cents: '${price_cents}' }),
    close_deal: post('deal', { case: '${case_id}', cents: '${price_cents}' }),
    close_no_deal: post('no_deal', { case: '${case_id}' }),
  }
}

/** `address` is where the runner reaches the server: its own, or that of a proxy in front of it. */
export function targetOfStranger({ url, credentials }, { address = url, dialect = true } = {}) {
  return {
    url: address,
    mode: 'operator',
    credentials: credentials.map((key) => ({
      ...key,
      ...(key.name === 'main' && { affiliate: true, merchant_of_record: true }),
      ...(key.name === 'plain' && { affiliate: false, merchant_of_record: false }),
    })),
    fixtures: {
      live_site: ['inuse-shop.com', 'busy-portal.net'],
      topic: {
        query: 'stradivari',
        finds: VIOLINS.flatMap((name) => ['com', 'net', 'io'].map((end) => `${name}.${end}`)),
      },
    },
    operator: { actions: actions(url) },
    ...(dialect && { dialect: DIALECT }),
  }
}
