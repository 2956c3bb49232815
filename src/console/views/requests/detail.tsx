import { shellQuote } from '../../../contract/shell-quote.ts'
import type { WholeRequest } from '../../../operator-api/rows/requests.ts'
import { sandboxFlag } from '../../../operator-api/usual-address.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Code, CopyAsCommand, CopyButton } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { StateBadge, StatusBadge } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Tabs } from '../../kit/tabs.tsx'
import { Instant } from '../../kit/time.tsx'
import { useQuery } from '../../live/use-query.ts'
import type { ViewProps } from '../view.ts'
import { DiagnosisPanel } from './diagnosis.tsx'
import { CallText } from './list.tsx'

/** One call: what was sent, how it was checked, what was answered, and why it was refused. */
export function RequestView({ params }: ViewProps) {
  const { world } = useWorld()
  const request = { w: world, request_id: params['request_id'] ?? '' }
  const { data, error } = useQuery('requests.show', request)
  const about = useQuery('sandbox.show', {})
  if (data === undefined) return <Unanswered error={error} />
  const where = world === 'default' ? [] : ['--world', world]
  const words = ['partner-sandbox', 'record', '--since', data.at, ...where]
  const since = words.map(shellQuote).join(' ') + sandboxFlag(location.origin)
  return (
    <>
      <ViewHead title={<CallText call={data} />}>
        <CopyAsCommand
          of={asked('requests.show', request)}
          curl={
            about.data && { line: curlOf(data, about.data.api_url), says: 'Copied the call as curl, as it was sent' }
          }
        />
        <CopyButton text={since} what={`Copied: ${since}`}>
          Save as scenario
        </CopyButton>
      </ViewHead>
      {data.diagnosis && <DiagnosisPanel diagnosis={data.diagnosis} />}
      <div class="columns">
        <div>
          <SentPanel call={data} />
          <AnswerPanel call={data} />
        </div>
        <div>
          <CallFacts call={data} />
          <ChecksPanel call={data} />
        </div>
      </div>
    </>
  )
}

function CallFacts({ call }: { call: WholeRequest }) {
  return (
    <Panel title="Call">
      <Facts
        rows={[
          ['Status', <StatusBadge key="status" status={call.status} />],
          ['Code', call.code],
          ['Endpoint', call.endpoint],
          ['Credential', call.credential],
          ['Key id', call.key_id],
          ['At', <Instant key="at" at={call.at} by="machine" />],
          ["World's time", <Instant key="world" at={call.world_time} />],
          ['Took', `${call.took_ms.toFixed(1)} ms`],
          ['Request id', call.request_id],
          ...(call.mishap === null ? [] : [['Fault', call.fault ?? call.mishap] as const]),
          ...(call.failure === null ? [] : [['Failure', call.failure] as const]),
        ]}
      />
    </Panel>
  )
}

function ChecksPanel({ call: { checks, detail } }: { call: WholeRequest }) {
  return (
    <Panel title="Checks">
      <ol class="checks">
        {checks.map(({ check, verdict }) => (
          <li key={check}>
            {check} <StateBadge state={verdict} />
          </li>
        ))}
      </ol>
      {detail !== null && <p class="soft">{detail}</p>}
    </Panel>
  )
}

function SentPanel({ call: { method, target, request } }: { call: WholeRequest }) {
  const lines = request.headers.map(([name, value]) => `${name}: ${value}`)
  const encoded = request.body_encoding === 'utf-8' ? '' : ` (${request.body_encoding})`
  return (
    <Panel title="Request">
      <Code name="Request head" text={[`${method} ${target}`, ...lines].join('\n')} />
      {request.body_bytes > 0 && <Body name={`Request body${encoded}`} text={request.body} />}
    </Panel>
  )
}

function AnswerPanel({ call: { answer } }: { call: WholeRequest }) {
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel title="Answer">
      <Code name="Answer head" text={[String(answer.status), ...lines].join('\n')} />
      {answer.body !== '' && <Body name="Answer body" text={answer.body} />}
    </Panel>
  )
}

/** A body as it went over the line; JSON on several lines, too. */
function Body({ name, text }: { name: string; text: string }) {
  const formatted = onLines(text)
  const raw = () => <Code name={name} text={text} />
  if (formatted === null) return raw()
  const tabs = [
    { name: 'Formatted', panel: () => <Code name={name} text={formatted} /> },
    { name: 'Raw', panel: raw },
  ]
  return <Tabs label={name} tabs={tabs} />
}

/** JSON on several lines; null for anything else. */
function onLines(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

/** What a client makes itself. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']

function curlOf({ method, target, request }: WholeRequest, apiUrl: string): string {
  const headers = request.headers
    .filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()))
    .flatMap(([name, value]) => ['-H', shellQuote(`${name}: ${value}`)])
  const body = request.body_bytes > 0 ? ['--data-binary', shellQuote(request.body)] : []
  return ['curl', '-i', '-X', method, ...headers, ...body, shellQuote(new URL(target, apiUrl).href)].join(' ')
}
