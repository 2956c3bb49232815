import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { TestSandbox } from './sandbox.ts'

export interface Burst {
  /** Resolves when so many calls were answered. */
  has(count: number): Promise<void>
  /** Resolves with the number of all calls when the last was answered. */
  done: Promise<number>
}

interface Load {
  /** Orders to record first. */
  orders?: number
  perSecond?: number
  seconds?: number
}

const PROGRAM = fileURLToPath(new URL('call-burst.mjs', import.meta.url))

/** Calls of the partner `main` from a process of its own. */
export function startBurst({ url, credentials }: TestSandbox, load: Load): Burst {
  const main = credentials.find(({ name }) => name === 'main')
  const wanted = { url, keyId: main?.key_id, secret: main?.secret, ...load }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(wanted)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  let answered = 0
  const looks = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answered = Number(text.trim().split('\n').at(-1))
    for (const look of [...looks]) look()
  })
  const done = new Promise<number>((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve(answered) : reject(new Error(`the burst ended with ${code}`))))
  })
  const has = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (answered < count) return
        looks.delete(look)
        resolve()
      }
      looks.add(look)
      look()
      done.then(look, reject)
    })
  return { has, done }
}
