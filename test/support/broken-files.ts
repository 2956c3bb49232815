import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { WaitingFault } from './broken-statements.ts'

type Operation = (...given: unknown[]) => unknown

/** What the storage does with files, as far as an operating system may refuse it. */
const OPERATIONS = [
  'openSync',
  'writeSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'rmSync',
  'mkdirSync',
  'readdirSync',
  'chmodSync',
] as const

const files = fs as unknown as Record<string, Operation>

/**
 * Lets the n-th operation on the files of a folder fail, counting from 1. Of what was to be written the first half is there.
 *
 * @example const fault = failOperation(3, 'ENOSPC', dataDir)
 */
export function failOperation(n: number, code: 'ENOSPC' | 'EIO', folder: string): WaitingFault {
  let left = n
  let struck: string | null = null
  const own = new Set<unknown>()
  const real = Object.fromEntries(OPERATIONS.map((name) => [name, files[name] as Operation]))

  for (const name of OPERATIONS) {
    files[name] = (...given) => {
      const [on] = given
      const isOurs = typeof on === 'string' ? on.startsWith(folder) : own.has(on)
      if (isOurs && --left === 0) {
        struck = `${name} ${typeof on === 'string' ? on.slice(folder.length) : ''}`
        if (name === 'writeSync') writeHalf(given)
        throw Object.assign(new Error(`${code}: a fault of the test`), { code, syscall: name.replace('Sync', '') })
      }
      const result = real[name]?.(...given)
      if (isOurs && name === 'openSync') own.add(result)
      return result
    }
  }
  syncBuiltinESMExports()

  function writeHalf([handle, bytes]: unknown[]): void {
    const whole = bytes as Uint8Array
    real['writeSync']?.(handle, whole.subarray(0, whole.length / 2))
  }

  return {
    struck: () => struck,
    end: () => {
      Object.assign(files, real)
      syncBuiltinESMExports()
    },
  }
}
