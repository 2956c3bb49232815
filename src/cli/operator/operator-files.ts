import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { unwritable, writingTo } from '../output-file.ts'
import { addressOf, headersOf, type OperatorAddress, refusalOf, unreachable } from './operator-client.ts'
import type { CliError } from './session.ts'

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
  if (incoming.statusCode !== 200) throw await refused(at, incoming)
  const partial = file + PARTIAL
  const saved = writingTo(file, null, () => {
    // What lies there may be readable by others, or lead elsewhere.
    rmSync(partial, { force: true })
    return createWriteStream(partial, { flags: 'wx', mode: 0o600 })
  })
  try {
    await pipeline(incoming, saved)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw unwritable(file, null, error)
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

async function refused(at: OperatorAddress, incoming: IncomingMessage): Promise<CliError> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return refusalOf(at, { status: incoming.statusCode ?? 0, headers: incoming.headers, text })
}
