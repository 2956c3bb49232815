import { get, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import type { TestSandbox } from './sandbox.ts'

/** A server-sent event as it came. */
export interface Heard {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: judged member by member
  data: any
}

export interface Listener {
  heard: Heard[]
  comments: string[]
  /** Resolves with all that was heard once something fits. */
  until(fits: (heard: Heard) => boolean): Promise<Heard>
  /** Resolves when so many of a name have come. */
  has(event: string, count: number): Promise<Heard[]>
  /** Resolves when the stream has come to its end: true where it was a good one. */
  ended: Promise<boolean>
  hangUp(): void
}

/** Listens to a stream as a browser does; resolves when the server has begun it. */
export async function listen(
  { operator }: Pick<TestSandbox, 'operator'>,
  query = '',
  world = 'default',
): Promise<Listener> {
  const response = await begin(`${operator?.url}/v1/worlds/${world}/stream${query}`, operator?.token)
  onTestFinished(() => void response.destroy())
  if (response.statusCode !== 200) throw new Error(`no stream: ${response.statusCode}`)
  const heard: Heard[] = []
  const comments: string[] = []
  const looks = new Set<() => void>()
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) block.startsWith(':') ? comments.push(block) : heard.push(parsed(block))
    for (const look of [...looks]) look()
  })
  const found = <Found>(find: () => Found | undefined) =>
    new Promise<Found>((resolve) => {
      const look = () => {
        const one = find()
        if (one === undefined) return
        looks.delete(look)
        resolve(one)
      }
      looks.add(look)
      look()
    })
  const named = (event: string) => heard.filter((one) => one.event === event)
  return {
    heard,
    comments,
    until: (fits) => found(() => heard.find(fits)),
    has: (event, count) => found(() => (named(event).length >= count ? named(event) : undefined)),
    ended: new Promise((resolve) => {
      response.on('error', () => resolve(false))
      response.on('close', () => resolve(response.complete))
    }),
    hangUp: () => void response.destroy(),
  }
}

function begin(url: string, token?: string | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: token ? { authorization: `Bearer ${token}` } : {} }, resolve).on('error', reject)
  })
}

function parsed(block: string): Heard {
  const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
  return { event, data: JSON.parse(data) }
}
