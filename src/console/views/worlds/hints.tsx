import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { Switch } from '../../kit/field.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'

/** Whether callers of this world learn why they were refused. */
export function HintsPanel() {
  const { world } = useWorld()
  const { act } = useAct()
  const { data, reload } = useQuery('hints.show', { w: world }, { live: ['act'] })
  if (data === undefined) return null
  const set = (hints: boolean) =>
    act((call) => call('hints.set', { w: world }, { hints }), `Hints ${hints ? 'on' : 'off'}`, reload)
  return (
    <Panel title={`Hints of ${world}`} actions={<CopyAsCommand of={asked('hints.show', { w: world })} />}>
      <Switch label="A refused signature is answered with the reason" isOn={data.hints} onChange={set} />
    </Panel>
  )
}
