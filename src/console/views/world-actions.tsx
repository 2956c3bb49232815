import { useState } from 'preact/hooks'
import { SETTING_LIMITS } from '../../contract/limits.ts'
import {
  type ResetWorld,
  type SeededMonth,
  SNAPSHOT,
  type WorldWithCredentials,
} from '../../operator-api/rows/worlds.ts'
import { useConsole } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { Dialog, YesOrNo } from '../kit/dialog.tsx'
import { FileField, TextField } from '../kit/field.tsx'
import { countText } from '../kit/words.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'

interface ActionsProps {
  world: string
  onMade: (world: WorldWithCredentials) => void
  onChanged: () => void
  onGone: () => void
}

/** What can be done with a whole world. What takes something away asks first. */
export function WorldActions({ world, onMade, onChanged, onGone }: ActionsProps) {
  const { client } = useConsole()
  const { isBusy, act } = useAct()
  const isDefault = world === 'default'
  const [asks, setAsks] = useState<'fork' | 'seed' | 'restore' | 'reset' | 'delete' | null>(null)
  const snapshot = async () => saveAs(`${world}.sqlite`, await client.file('snapshots.save', { w: world }))
  const close = () => setAsks(null)
  const asking = (what: typeof asks, name: string, disabledBecause?: string) => (
    <Button kind="quiet" isBusy={isBusy} disabledBecause={disabledBecause} onClick={() => setAsks(what)}>
      {name}
    </Button>
  )
  return (
    <div class="buttons">
      {asking('fork', 'Fork')}
      {asking('seed', 'Seed')}
      <Button kind="quiet" isBusy={isBusy} onClick={() => act(snapshot, `Snapshot of ${world} saved`)}>
        Snapshot
      </Button>
      {asking('restore', 'Restore')}
      {asking('reset', 'Reset')}
      {asking('delete', 'Delete', isDefault ? 'The world default is always there; reset it instead.' : undefined)}
      {asks === 'fork' && <ForkDialog world={world} onClose={close} onMade={onMade} />}
      {asks === 'seed' && <SeedDialog world={world} onClose={close} onDone={onChanged} />}
      {asks === 'restore' && <RestoreDialog world={world} onClose={close} onDone={onChanged} />}
      {asks === 'reset' && <ResetDialog world={world} onClose={close} onDone={onChanged} />}
      {asks === 'delete' && <DeleteDialog world={world} onClose={close} onDone={onGone} />}
    </div>
  )
}

function saveAs(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

interface AskProps {
  world: string
  onClose: () => void
  onDone: () => void
}

interface ForkProps extends Pick<AskProps, 'world' | 'onClose'> {
  onMade: (world: WorldWithCredentials) => void
}

function ForkDialog({ world, onClose, onMade }: ForkProps) {
  const { act } = useAct({ name: 'Name of the copy' })
  const [name, setName] = useState('')
  const wanted = name.trim() === '' ? {} : { name: name.trim() }
  const fork = async (call: CallOperator) => {
    const made = await call('worlds.fork', { w: world }, wanted)
    onMade(made)
    return made
  }
  const submit = () => {
    act(fork, (made) => `${world} forked as ${made.world}`)
    onClose()
  }
  return (
    <Dialog title={`Fork ${world}`} onClose={onClose}>
      <p>
        The copy has the same orders, events and clock, and new keys. Without a name it gets one that starts with{' '}
        {world}.
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField label="Name of the copy (optional)" value={name} onInput={setName} placeholder={`${world}-2`} />
        <Button kind="main" onClick={submit}>
          Fork this world
        </Button>
      </form>
    </Dialog>
  )
}

function SeedDialog({ world, onClose, onDone }: AskProps) {
  const { act } = useAct({ orders: 'Orders' })
  const [typed, setTyped] = useState('200')
  const orders = Number(typed)
  const isPossible = Number.isInteger(orders) && orders >= 1 && orders <= SETTING_LIMITS.seededOrders
  const seed = () => {
    act((call) => call('worlds.seed', { w: world }, { orders }), seededWords, onDone)
    onClose()
  }
  return (
    <Dialog title={`Seed ${world}`} onClose={onClose}>
      <p>The clock moves by 30 days, in which domains are quoted, sold, transferred, refunded, settled and paid out.</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          if (isPossible) seed()
        }}
      >
        <TextField label="Orders" value={typed} onInput={setTyped} />
        <Button
          kind="main"
          disabledBecause={isPossible ? undefined : `Type a number from 1 to ${SETTING_LIMITS.seededOrders}.`}
          onClick={seed}
        >
          Add a month of sales
        </Button>
      </form>
    </Dialog>
  )
}

/** What a month of sales has made. */
function seededWords({ world, made }: SeededMonth): string {
  const { orders, quotes, cases } = made
  return `${world} seeded: ${countText(orders, 'order')}, ${countText(quotes, 'quote')} and ${countText(cases, 'case')}`
}

function RestoreDialog({ world, onClose, onDone }: AskProps) {
  const { client } = useConsole()
  const { act } = useAct()
  const restore = (file: File) => {
    const content = new Blob([file], { type: SNAPSHOT.type })
    act(() => client.send('snapshots.restore', { w: world }, content), `${world} restored from ${file.name}`, onDone)
    onClose()
  }
  return (
    <Dialog title={`Restore ${world}`} onClose={onClose}>
      <p>The world becomes what the snapshot says, history and clock included. Its key ids stay.</p>
      <FileField label="Snapshot file" accept=".sqlite" onFile={restore} />
    </Dialog>
  )
}

function ResetDialog({ world, onClose, onDone }: AskProps) {
  const { act } = useAct()
  const reset = () => act((call) => call('worlds.reset', { w: world }), resetWords, onDone)
  return (
    <Dialog title={`Reset ${world}?`} onClose={onClose}>
      <p>All orders, events, deliveries and calls are removed. Credentials and settings stay.</p>
      <YesOrNo yes="Reset this world" onYes={reset} onClose={onClose} />
    </Dialog>
  )
}

/** What a reset took away. */
function resetWords({ world, removed }: ResetWorld): string {
  const { orders, events, requests } = removed
  return `${world} reset: ${countText(orders, 'order')}, ${countText(events, 'event')} and ${countText(requests, 'call')} removed`
}

function DeleteDialog({ world, onClose, onDone }: AskProps) {
  const { act } = useAct()
  const [typed, setTyped] = useState('')
  const remove = () => act((call) => call('worlds.delete', { w: world }), `${world} deleted`, onDone)
  return (
    <Dialog title={`Delete ${world}?`} onClose={onClose}>
      <p>
        The world and all that it holds is removed for good. Type its name, <strong>{world}</strong>, to go on.
      </p>
      <TextField label="Name of the world" value={typed} onInput={setTyped} />
      <YesOrNo
        yes="Delete this world"
        whyNot={typed === world ? undefined : `Type ${world} first.`}
        onYes={remove}
        onClose={onClose}
      />
    </Dialog>
  )
}
