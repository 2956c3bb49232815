import { createInterface } from 'node:readline'

/**
 * Asks the person at the terminal for one line; null where the input ends, or the signal aborts.
 *
 * @example await askLine('done? ', signal)
 */
export function askLine(question: string, signal?: AbortSignal): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // The terminal hands Ctrl-C to whoever reads a line; the run has to hear of it.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const close = () => lines.close()
  signal?.addEventListener('abort', close)
  return new Promise<string | null>((resolve) => {
    lines.once('close', () => resolve(null))
    if (signal?.aborted) return close()
    lines.question(question, resolve)
  }).finally(() => {
    signal?.removeEventListener('abort', close)
    close()
  })
}
