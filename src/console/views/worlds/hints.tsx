import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { Switch } from '../../kit/field.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'

/** Whether callers of this world learn why they were refused. */
export function HintsPanel() {
  const { world } = useWorld()
  const { act } = useAct()
  const { data, error, reload } = useQuery('hints.show', { w: world }, { live: ['act'] })
  const set = (hints: boolean) =>
    act((call) => call('hints.set', { w: world }, { hints }), `Hints ${hints ? 'on' : 'off'}`, reload)
  return (
    <Panel title={`Hints of ${world}`} actions={<CopyAsCommand of={asked('hints.show', { w: world })} />}>
      {data === undefined ? (
        <Unanswered error={error} rows={1} />
      ) : (
        <Switch label="Answers to refused calls say why they were refused" isOn={data.hints} onChange={set} />
      )}
    </Panel>
  )
}
