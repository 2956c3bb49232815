import { ID_PREFIXES } from '../../contract/ids.ts'
import { asked } from '../api/command-line.ts'
import { useSignal } from '../browser/signal.ts'
import { useWorld } from '../console-context.ts'
import { CopyCommand } from '../kit/copy.tsx'
import { ScrollBox } from '../kit/facts.tsx'
import { Icon } from '../kit/icon.tsx'
import { instantText, spanText } from '../kit/time.tsx'
import { happenedWords } from '../kit/words.ts'
import { Link, useAddress } from '../router/link.tsx'

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
                <Subject id={id} />
              </li>
            ))}
          </ol>
        </ScrollBox>
      )}
      {truncated && <p class="soft">More happened than is listed.</p>}
    </section>
  )
}

/** Where an id leads, by its prefix. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  [ID_PREFIXES.order]: ['orders'],
  [ID_PREFIXES.event]: ['events'],
  [ID_PREFIXES.delivery]: ['deliveries'],
  [ID_PREFIXES.checkoutSession]: ['checkout'],
  [ID_PREFIXES.brokerageCase]: ['brokerage'],
  [ID_PREFIXES.settlementRun]: ['money', 'settlements'],
  [ID_PREFIXES.payoutRun]: ['money', 'payouts'],
}

/** An id of a world as a link, if a view shows it. */
export function Subject({ id }: { id: string }) {
  const address = useAddress()
  const section = SECTIONS[`${id.split('_')[0]}_`]
  if (section === undefined) return null
  return (
    <Link to={address(...section, id)} class="mono">
      {id}
    </Link>
  )
}
