import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, onTestFinished } from 'vitest'
import { repoRoot } from '../house/repo.ts'

export const PROGRAM = join(repoRoot, 'bin/partner-sandbox.js')
const MOST_BYTES = 46_000

export interface Answer {
  isError: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  json: any
}

interface Agent {
  client: Client
  calls(): number
  characters(): number
  call(name: string, args?: object): Promise<Answer>
}

/** A client that starts the server as its configuration says, and counts what it reads. */
export async function agent(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Agent> {
  const started = await startAgent(args, env)
  onTestFinished(() => started.client.close())
  return started
}

/** One with a sandbox of its own for all tests of a file, where it does not matter what else happens in it. */
export function sharedAgent(): () => Promise<Agent> {
  let started: Promise<Agent> | undefined
  afterAll(async () => void (await (await started)?.client.close()))
  return () => (started ??= startAgent([], {}))
}

async function startAgent(args: readonly string[], env: Record<string, string>): Promise<Agent> {
  const client = new Client({ name: 'an-agent', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  })
  await client.connect(transport)
  const { tools } = await client.listTools()
  let calls = 0
  let characters = JSON.stringify(tools).length + (client.getInstructions() ?? '').length
  return {
    client,
    calls: () => calls,
    characters: () => characters,
    async call(name, given = {}) {
      const result = await client.callTool({ name, arguments: { ...given } })
      const [content] = result.content
      const text = content?.type === 'text' ? content.text : ''
      calls++
      characters += JSON.stringify(given).length + text.length
      // The protocol carries an answer twice: as text, and as structured content.
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MOST_BYTES)
      if (!result.isError) expect(result.structuredContent).toEqual(JSON.parse(text))
      return { isError: result.isError === true, text, json: result.structuredContent }
    },
  }
}
