import crypto, { createHash, randomUUID } from 'node:crypto'
import { Agent, type RequestOptions, request } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll } from 'vitest'
import { RULES } from '../../src/contract/rules.ts'
import { createOperatorApp } from '../../src/operator/app.ts'
import { NO_DEFECT_HOOKS } from '../../src/sandbox/app/defect-hooks.ts'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { createPartnerApp } from '../../src/sandbox/app/server.ts'
import { randomKeys } from '../../src/sandbox/kernel/credentials.ts'
import { createOutbound } from '../../src/sandbox/webhooks/address-policy.ts'
import { snapshotOf } from '../../src/sandbox/worlds/snapshots.ts'
import type { WorldOptions } from '../../src/sandbox/worlds/world-options.ts'
import { Worlds } from '../../src/sandbox/worlds/worlds.ts'
import { signWith } from './signer.ts'
import { castMember, type SetWall, setWall, TEST_NOW_MS } from './world.ts'

/** What came back, and by which surface. */
export interface Told {
  readonly by: 'call' | 'operate' | 'visit'
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A sandbox whose database or disk a test breaks: both surfaces over real HTTP, and a machine clock that stands. */
export interface Breakable {
  readonly worlds: Worlds
  /** Null for worlds in memory. */
  readonly dataDir: string | null
  readonly wall: SetWall
  /** The world that everything is done to; a new one after each {@link Breakable.begin}. */
  world(): Environment
  /** Whether webhooks are sent, or only put in the outbox. */
  sends: boolean
  /** A signed call to what follows the root of the partner API. */
  call(method: string, path: string, body?: object, key?: string): Promise<Told>
  /** A request to what follows the address of the world, or to a path that starts with /v1. */
  operate(method: string, path: string, body?: object | Uint8Array | string, type?: string): Promise<Told>
  /** A visit of a page; a form makes it a POST. */
  visit(target: string, form?: Record<string, string>): Promise<Told>
  /** Whatever is drawn at random from now on is the same for the same purpose, so that two tries can be compared. */
  draw(purpose: string): void
  /** A copy of the world as it stands. */
  copy(): Buffer
  /** Puts this in the place of every world but the default one; null for none, options for a new one. */
  begin(from: Buffer | Partial<WorldOptions>): Promise<void>
}

export const NAME = 'w'
const TINY: WorldOptions = { seed: 'broken', inventory: 2, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null }

/** @param dataDir null for worlds in memory. */
export async function startBreakable(dataDir: string | null): Promise<Breakable> {
  drawAlike()
  const wall = setWall()
  const outbound = createOutbound({ isOpen: false })
  const on = {
    get sends() {
      return outbound.isOpen
    },
    set sends(isOpen: boolean) {
      outbound.isOpen = isOpen
    },
  }
  const worlds = openTiny(dataDir, wall, outbound)
  const operatorOptions = {
    host: '127.0.0.1',
    token: null,
    apiUrl: () => 'http://127.0.0.1',
    version: '0',
    command: (words: string) => words,
  }
  const newWorldDefaults = { seed: TINY.seed, inventory: 2, rateLimit: null, gaps: {} }
  const partner = createPartnerApp(worlds, wall)
  const operator = createOperatorApp({
    consoleFolder: '',
    worlds,
    wall,
    ...operatorOptions,
    newWorldDefaults,
  })
  const partnerPort = await portOf(partner)
  const operatorPort = await portOf(operator)
  const agent = new Agent({ keepAlive: true })
  afterAll(async () => {
    agent.destroy()
    await Promise.all([partner.close(), operator.close()])
    worlds.close()
  })
  const world = () => worlds.find(NAME) as Environment
  const jsonHeaders = (body: unknown): Record<string, string> =>
    body === undefined ? {} : { 'content-type': 'application/json' }

  return Object.assign(on, {
    worlds,
    dataDir,
    wall,
    world,
    call(method: string, path: string, body?: object, key?: string) {
      const bytes = body === undefined ? '' : JSON.stringify(body)
      const target = path === '/webhooks' ? '/api/partner/webhooks' : `/api/partner/v1${path}`
      const timestamp = String(Math.floor(wall.nowMs() / 1_000))
      const signed = signWith(castMember(world(), 'main'), {
        method,
        target,
        body: bytes,
        timestamp,
        nonce: randomUUID(),
      })
      const headers = { ...signed.headers, ...jsonHeaders(body), ...(key !== undefined && { 'idempotency-key': key }) }
      return exchange('call', { agent, port: partnerPort, method, path: target, headers }, bytes)
    },
    operate(method: string, path: string, body?: object | Uint8Array | string, type?: string) {
      const target = path.startsWith('/v1') ? path : `/v1/worlds/${NAME}${path}`
      const bytes =
        body === undefined || body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)
      const headers = type === undefined ? jsonHeaders(method === 'POST' ? '' : body) : { 'content-type': type }
      return exchange('operate', { agent, port: operatorPort, method, path: target, headers }, bytes ?? '')
    },
    visit(target: string, form?: Record<string, string>) {
      const method = form === undefined ? 'GET' : 'POST'
      const headers = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const body = form === undefined ? '' : new URLSearchParams(form).toString()
      return exchange('visit', { agent, port: partnerPort, method, path: target, headers }, body)
    },
    draw,
    copy: () => snapshotOf(world()),
    async begin(from: Buffer | Partial<WorldOptions>) {
      on.sends = false
      draw('a world')
      for (const { name } of worlds.list()) if (name !== worlds.main.name) worlds.delete(name)
      wall.setMs(TEST_NOW_MS)
      if (Buffer.isBuffer(from)) await worlds.import(from, NAME)
      else await worlds.create(NAME, { ...TINY, ...from }, randomKeys)
      await hasRung(world())
    },
  })
}

/** @throws what an opening of worlds throws. */
export function openTiny(dataDir: string | null, wall: SetWall, outbound = createOutbound({ isOpen: false })): Worlds {
  return new Worlds({
    dataDir,
    wall,
    rules: RULES,
    hooks: NO_DEFECT_HOOKS,
    publicUrl: () => 'http://127.0.0.1',
    outbound,
    first: { ...TINY, inventory: 0 },
    firstKeys: randomKeys,
  })
}

/** A clock that runs looks for what is due as soon as its world is there, which would come in between later. */
async function hasRung({ clock, scheduler }: Environment): Promise<void> {
  const isDone = () => clock.state.mode === 'frozen' || scheduler.peek()?.atMs !== Number.NEGATIVE_INFINITY
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve))
}

let purpose = ''
let draws = 0

function draw(wanted: string): void {
  purpose = wanted
  draws = 0
}

/** The one source of all that no seed gives away. */
function drawAlike(): void {
  const drawn = (size: number) => createHash('sha512').update(`${purpose} ${++draws}`).digest().subarray(0, size)
  Object.assign(crypto, { randomBytes: drawn })
  syncBuiltinESMExports()
}

async function portOf(app: { listen(on: object): Promise<string> }): Promise<number> {
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

/** Longer than anything here takes, so that what hangs is told. */
const PATIENCE_MS = 20_000

function exchange(
  by: Told['by'],
  options: RequestOptions & { path: string },
  body: string | Uint8Array,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, host: '127.0.0.1', timeout: PATIENCE_MS }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ by, status: incoming.statusCode ?? 0, type: incoming.headers['content-type'] ?? '', text })
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${options.path} hangs`)))
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve({ by, status: 0, type: '', text: '' }) : reject(error),
    )
    outgoing.end(body)
  })
}
