import type { Session } from '../operator/session.ts'

/**
 * A line on the terminal while a large inventory is made, from the second second on.
 */
export function generationProgress(session: Session): { show(done: number, of: number): void; finish(): void } {
  const startedMs = session.wall.monotonicMs()
  let shown = false
  return {
    show(done, of) {
      if (!session.errIsTerminal || session.wall.monotonicMs() - startedMs < 1_000) return
      shown = true
      session.err(`\r\u001b[Kmaking the inventory: ${done} of ${of}`)
    },
    finish() {
      if (shown) session.err('\r\u001b[K')
    },
  }
}
