import { useState } from 'preact/hooks'
import { SNAPSHOT, type WorldWithCredentials } from '../../operator-api/rows/worlds.ts'
import { useConsole } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FileField, TextField } from '../kit/field.tsx'
import { type Call, useAct } from '../live/use-act.ts'

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
  const [asks, setAsks] = useState<'restore' | 'reset' | 'delete' | null>(null)
  const fork = async (call: Call) => onMade(await call('worlds.fork', { w: world }, {}))
  const snapshot = async () => saveAs(`${world}.sqlite`, await client.file('snapshots.save', { w: world }))
  const close = () => setAsks(null)
  return (
    <div class="buttons">
      <Button isBusy={isBusy} onClick={() => act(fork, `Forked ${world}`)}>
        Fork
      </Button>
      <Button isBusy={isBusy} onClick={() => act(snapshot, `Snapshot of ${world} saved`)}>
        Snapshot
      </Button>
      <Button isBusy={isBusy} onClick={() => setAsks('restore')}>
        Restore
      </Button>
      <Button isBusy={isBusy} onClick={() => setAsks('reset')}>
        Reset
      </Button>
      <Button isBusy={isBusy} kind="danger" onClick={() => setAsks('delete')}>
        Delete
      </Button>
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

function RestoreDialog({ world, onClose, onDone }: AskProps) {
  const { client } = useConsole()
  const { act } = useAct()
  const restore = (file: File) => {
    const content = new Blob([file], { type: SNAPSHOT.type })
    act(() => client.send('snapshots.restore', { w: world }, content), `Restored ${world}`, onDone)
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
  const reset = () => act((call) => call('worlds.reset', { w: world }), `Reset ${world}`, onDone)
  return (
    <Dialog title={`Reset ${world}?`} onClose={onClose}>
      <p>All orders, events, deliveries and calls are removed. Credentials and settings stay.</p>
      <YesOrNo yes="Reset this world" onYes={reset} onClose={onClose} />
    </Dialog>
  )
}

function DeleteDialog({ world, onClose, onDone }: AskProps) {
  const { act } = useAct()
  const [typed, setTyped] = useState('')
  const remove = () => act((call) => call('worlds.delete', { w: world }), `Deleted ${world}`, onDone)
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

interface YesOrNoProps {
  yes: string
  whyNot?: string | undefined
  onYes: () => void
  onClose: () => void
}

function YesOrNo({ yes, whyNot, onYes, onClose }: YesOrNoProps) {
  return (
    <div class="buttons">
      <Button
        kind="danger"
        disabledBecause={whyNot}
        onClick={() => {
          onYes()
          onClose()
        }}
      >
        {yes}
      </Button>
      <Button onClick={onClose}>Keep it</Button>
    </div>
  )
}
