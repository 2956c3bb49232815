import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import {
  addressOf,
  headersOf,
  isRecord,
  type OperatorAddress,
  OperatorRefusal,
  unreachable,
} from './operator-client.ts'
import { CliError } from './session.ts'

/** A snapshot as it travels and lies on a disk. */
export const SNAPSHOT_TYPE = 'application/vnd.sqlite3'

const PARTIAL = '.part'

/**
 * Saves an answer of the operator API as a file that only its owner may read. The file gets its name once all of it is
 * there; one of that name is replaced.
 *
 * @returns its size in bytes.
 * @throws OperatorRefusal for any answer but 2xx; CliError where nobody answers, or the file cannot be written.
 */
export async function saveOperatorFile(at: OperatorAddress, path: string, file: string): Promise<number> {
  const incoming = await opened(at, path)
  if (incoming.statusCode !== 200) throw await refusalOf(incoming)
  const partial = file + PARTIAL
  const saved = createWriteStream(partial, { mode: 0o600 })
  try {
    await pipeline(incoming, saved)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw new CliError(`cannot write ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`)
  }
  return saved.bytesWritten
}

function opened(at: OperatorAddress, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const url = addressOf(at.url)
    const outgoing = request({
      ...{ host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || 80, method: 'GET', path },
      headers: headersOf(url, at.token, undefined),
    })
    outgoing.on('error', (error) => reject(unreachable(at.url, error)))
    outgoing.on('response', resolve)
    outgoing.end()
  })
}

async function refusalOf(incoming: IncomingMessage): Promise<OperatorRefusal> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return new OperatorRefusal(incoming.statusCode ?? 0, parsed(Buffer.concat(chunks).toString('utf8')))
}

function parsed(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text)
    return isRecord(answer) ? answer : {}
  } catch {
    return {}
  }
}
