import type { WorldSummary } from '../../../operator-api/rows/worlds.ts'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/facts.tsx'
import { stateWords } from '../../kit/state-badge.tsx'
import { Instant } from '../../kit/time.tsx'
import { useAdvance } from '../../shell/clock.tsx'
import { Subject } from '../../shell/receipt.tsx'

/** What is due next, on a line of time; each can be jumped to. */
export function DuePanel({ due }: { due: WorldSummary['due'] }) {
  const { isBusy, advance } = useAdvance()
  return (
    <Panel title="Due next">
      {due.length === 0 && <p class="soft">Nothing is scheduled. Time can pass, and nothing will happen.</p>}
      <ol class="timeline">
        {due.map(({ at, kind, id, count }) => (
          <li key={kind}>
            <div class="due-line">
              <strong>{stateWords(kind.replace('.', '_'))}</strong>
              {count > 1 && <span class="soft">the first of {count}</span>}
              <Button kind="quiet" name={`Jump to ${kind} ${id}`} isBusy={isBusy} onClick={() => advance({ to: at })}>
                Jump to
              </Button>
            </div>
            <Instant at={at} /> <Subject id={id} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}
