import { asked } from '../api/command-line.ts'
import { useSignal } from '../browser/signal.ts'
import { useWorld } from '../console-context.ts'
import { CopyCommand } from '../kit/copy.tsx'
import { ScrollBox } from '../kit/facts.tsx'
import { Icon } from '../kit/icon.tsx'
import { instantText, spanText } from '../kit/time.tsx'
import { happenedWords } from '../kit/words.ts'
import { IdLink } from '../router/link.tsx'

/** All that happened during the last jump of the clock, as a list to click through. */
export function ReceiptPanel() {
  const { world, receipt } = useWorld()
  const shown = useSignal(receipt)
  if (shown === null) return null
  const { how, from, to, stopped, happened, truncated } = shown
  return (
    <section class="receipt panel" aria-label="Receipt">
      <header>
        <h2>
          {stopped ? 'Stopped' : 'Advanced'} {spanText(Date.parse(to) - Date.parse(from)) || '0 s'}
          <span class="soft">
            {' '}
            {instantText(from)} → {instantText(to)}
          </span>
        </h2>
        <CopyCommand of={[asked('clock.advance', { w: world }, how)]} name="Copy as command: the jump" />
        <button type="button" class="close" aria-label="Close receipt" onClick={() => receipt.set(null)}>
          <Icon name="close" />
        </button>
      </header>
      {happened.length === 0 && <p class="soft">Nothing fell due.</p>}
      {happened.length > 0 && (
        <ScrollBox name="What happened">
          <ol>
            {happened.map(({ at, kind, id, summary }, index) => (
              <li key={`${index} ${id}`}>
                <span class="soft">{instantText(at)}</span>
                <span>{happenedWords(kind)}</span>
                <span>{summary}</span>
                <IdLink id={id} class="mono" />
              </li>
            ))}
          </ol>
        </ScrollBox>
      )}
      {truncated && <p class="soft">More happened than is listed.</p>}
    </section>
  )
}
