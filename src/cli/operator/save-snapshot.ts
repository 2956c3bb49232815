import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { OperatorClient } from '../../operator-api/client.ts'
import { unwritable, writingTo } from '../output-file.ts'

const PARTIAL = '.part'

/**
 * Saves a world as a file that only its owner may read. The file gets its name once all of it is
 * there; one of that name is replaced.
 *
 * @returns its size in bytes.
 * @throws SandboxRefusal for any answer but 2xx; CliError if the file cannot be written.
 */
export async function saveSnapshot(client: OperatorClient, world: string, file: string): Promise<number> {
  const incoming = await client.open('snapshots.save', { w: world })
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
