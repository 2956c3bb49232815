import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { PurchaseStore } from './purchases.ts'
import type { Shop, Wish } from './shop.ts'
import { statusPage } from './status-page.ts'
import { isSigned } from './webhooks.ts'

export interface ShopServerOptions {
  shop: Shop
  purchases: PurchaseStore
  /** Shared with the service; signs its webhooks. */
  webhookSecret: string
  /** Told what went wrong with a webhook after it was answered. */
  onProblem?: (error: Error) => void
}

type Reply = { status: number; json: unknown } | { status: number; html: string }

/** The shop over HTTP: what its customers' pages call, a page about each purchase, and where webhooks come in. */
export function createShopServer(options: ShopServerOptions): Server {
  return createServer((request, response) => {
    void answer(options, request)
      .catch((error: Error) => ({ status: 502, json: { problem: error.message } }))
      .then((reply) => send(response, reply))
  })
}

async function answer(options: ShopServerOptions, request: IncomingMessage): Promise<Reply> {
  const { shop, purchases } = options
  const url = new URL(request.url ?? '/', 'http://shop.test')
  const [, collection, id = '', action] = url.pathname.split('/')
  const asked = `${request.method} /${collection}${id && '/:id'}${action ? `/${action}` : ''}`
  if (asked === 'POST /hooks') return takeWebhook(options, request)
  if (asked === 'GET /search') return { status: 200, json: await shop.search(url.searchParams.get('q') ?? '') }
  if (asked === 'POST /quotes') return { status: 201, json: await shop.quote((await bodyOf<Wish>(request)).domain) }
  if (asked === 'POST /purchases') return { status: 201, json: await shop.buy(await bodyOf<Wish>(request)) }
  const purchase = purchases.find(id)
  if (purchase && asked === 'GET /purchases/:id') return { status: 200, json: purchase }
  if (purchase && asked === 'GET /purchases/:id/page') return { status: 200, html: statusPage(purchase) }
  if (purchase && asked === 'POST /purchases/:id/refund') return { status: 200, json: await shop.refund(id) }
  return { status: 404, json: { problem: 'there is nothing here' } }
}

/** Answers at once and works afterwards: the service waits five seconds and no longer. */
async function takeWebhook(options: ShopServerOptions, request: IncomingMessage): Promise<Reply> {
  const raw = await bytesOf(request)
  const header = request.headers['x-partner-signature']
  if (!isSigned(raw, String(header ?? ''), options.webhookSecret)) return { status: 401, json: {} }
  options.shop.take(JSON.parse(raw.toString('utf8'))).catch((error: Error) => options.onProblem?.(error))
  return { status: 200, json: {} }
}

async function bodyOf<Json>(request: IncomingMessage): Promise<Json> {
  return JSON.parse((await bytesOf(request)).toString('utf8')) as Json
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, reply: Reply): void {
  if ('html' in reply) response.writeHead(reply.status, { 'Content-Type': 'text/html; charset=utf-8' }).end(reply.html)
  else response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply.json))
}
