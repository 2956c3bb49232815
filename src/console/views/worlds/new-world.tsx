import { useState } from 'preact/hooks'
import type { WorldWithCredentials } from '../../../operator-api/rows/worlds.ts'
import { asked } from '../../api/command-line.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { type Call, useAct } from '../../live/use-act.ts'

/** Creates a world with credentials of its own. */
export function NewWorld({ onMade }: { onMade: (world: WorldWithCredentials) => void }) {
  const { isBusy, act } = useAct()
  const [name, setName] = useState('')
  const [seed, setSeed] = useState('')
  const [isFrozen, setFrozen] = useState(false)
  const wanted = {
    ...(name.trim() && { name: name.trim() }),
    ...(seed.trim() && { seed: seed.trim() }),
    ...(isFrozen && { frozen: true }),
  }
  const create = async (call: Call) => onMade(await call('worlds.create', {}, wanted))
  return (
    <Panel title="New world" actions={<CopyAsCommand of={asked('worlds.create', {}, wanted)} />}>
      <div class="filters">
        <TextField label="Name (optional)" value={name} onInput={setName} placeholder="ci-42" />
        <TextField label="Seed (optional)" value={seed} onInput={setSeed} placeholder="sandbox" />
        <Switch label="Clock stands still" isOn={isFrozen} onChange={setFrozen} />
        <Button kind="main" isBusy={isBusy} onClick={() => act(create, 'World created')}>
          Create world
        </Button>
      </div>
    </Panel>
  )
}
