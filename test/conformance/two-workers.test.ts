import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { type Altering, plain, startProxy, type ValidAnswer } from '../../src/proof/self-test/correct-proxy.ts'
import { ownTarget } from '../../src/proof/self-test/own-target.ts'
import { startServer } from '../../src/server.ts'
import { checksThat, judge, registry } from '../support/referee.ts'

const IDS = ['replay/copies-on-new-connections', 'idempotency/repeated-on-new-connections']
const { scenarios } = loadScenarios(
  IDS.map((id) => `scenarios/${id}.yaml`),
  registry,
)

/** Judges a correct server whose connections go to two workers in turn, and whose answers `alter` spoils. */
async function judgeBehind(alter: Altering) {
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null })
  onTestFinished(() => server.close())
  const proxy = await startProxy(server.url, alter)
  onTestFinished(() => proxy.close())
  return judge({ ...ownTarget(server), url: proxy.url }, scenarios)
}

/** Which of two workers a connection belongs to. */
function workers(): (request: IncomingMessage) => number {
  const known = new Map<Socket, number>()
  return ({ socket }) => {
    if (!known.has(socket)) known.set(socket, known.size % 2)
    return known.get(socket) as number
  }
}

/** Each worker knows what came to it; what came to the other alone is answered by `otherwise`. */
function forgettingOthers(header: string, otherwise: (first: ValidAnswer) => ValidAnswer): Altering {
  const workerOf = workers()
  const known = new Set<string>()
  const first = new Map<string, ValidAnswer>()
  return (request, response, answer) => {
    const value = request.headers[header]
    if (value === undefined) return false
    const here = `${workerOf(request)} ${value}`
    const earlier = first.get(String(value))
    const news = !known.has(here)
    known.add(here)
    if (!earlier) first.set(String(value), answer)
    if (!earlier || !news) return false
    plain(response, otherwise(earlier))
    return true
  }
}

const sold = (answer: ValidAnswer): ValidAnswer => ({
  ...answer,
  status: 409,
  body: Buffer.from(JSON.stringify({ code: 'conflict', message: 'the domain has been sold' })),
})

it('a nonce that only one of two workers knows is found', async () => {
  const result = await judgeBehind(forgettingOthers('x-partner-nonce', (answer) => answer))
  expect(checksThat(result, 'fail')).toEqual(['replay/copies-on-new-connections second NONCE-01'])
})

it('an Idempotency-Key that only one of two workers knows is found', async () => {
  const result = await judgeBehind(forgettingOthers('idempotency-key', sold))
  expect(checksThat(result, 'fail')).toEqual(['idempotency/repeated-on-new-connections second IDEM-02'])
})
