import { useState } from 'preact/hooks'
import { useConsole, useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/facts.tsx'
import { TextField } from '../../kit/field.tsx'
import { FileField } from '../../kit/file-field.tsx'
import { centsIn } from '../../kit/money.ts'
import { type Call, useAct } from '../../live/use-act.ts'

/** Adds one domain, or all of a CSV file. */
export function AddListing({ reload }: { reload: () => void }) {
  const { client } = useConsole()
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const [domain, setDomain] = useState('')
  const [price, setPrice] = useState('')
  const cents = centsIn(price)
  const whyNot =
    domain.trim() === '' ? 'Give the name of a domain.' : cents === null ? 'Give a price such as 1200.' : undefined
  const add = (call: Call) => call('domains.create', { w: world }, { domain: domain.trim(), price_cents: cents ?? 0 })
  const addAll = (file: File) => {
    const csv = new Blob([file], { type: 'text/csv' })
    act(() => client.send('domains.create', { w: world }, csv), `Added the domains of ${file.name}`, reload)
  }
  return (
    <Panel title="Add domains">
      <div class="filters">
        <TextField label="Domain" value={domain} onInput={setDomain} placeholder="my-shop.test" />
        <TextField label="Price" value={price} onInput={setPrice} placeholder="1200.00" />
        <Button
          kind="main"
          isBusy={isBusy}
          disabledBecause={whyNot}
          onClick={() => act(add, `Added ${domain.trim()}`, reload)}
        >
          Add domain
        </Button>
        <FileField label="CSV file" accept=".csv,text/csv" onFile={addAll} />
      </div>
      <p class="soft">
        The first line of a CSV file names its columns: <code>domain,price_cents</code>, and if you like{' '}
        <code>floor_price_cents,currency,listed,live_site,topics</code>.
      </p>
    </Panel>
  )
}
