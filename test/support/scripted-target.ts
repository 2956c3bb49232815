import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Target } from '../../src/conformance/target/target.ts'
import { listening } from './listening.ts'
import { targetOf } from './referee.ts'

/** Answers a request; the first is number 1. */
export type Answering = (request: IncomingMessage, response: ServerResponse, ordinal: number) => unknown

/** What a target file would say of a server at this address, with further keys of its own. */
export function targetAt(url: string, more: Record<string, unknown> = {}): Target {
  return targetOf({ url, keyId: 'pk_test_1', secret: 'sk_test_1' }, more)
}

/** A target whose every answer a test writes, open until the test ends. */
export async function scriptedTarget(answers: Answering, more: Record<string, unknown> = {}): Promise<Target> {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    answers(request, response, ++requests)
  })
  return targetAt(await listening(server), more)
}

export function answerJson(response: ServerResponse, status: number, json: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
}
