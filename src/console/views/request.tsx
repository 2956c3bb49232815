import { shellQuote } from '../../contract/shell-quote.ts'
import { sandboxFlag } from '../../operator-api/address.ts'
import type { Diagnosis, WholeRequest } from '../../operator-api/rows/requests.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Code, CopyAsCommand, CopyButton } from '../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { StateBadge, StatusBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Tabs } from '../kit/tabs.tsx'
import { Instant } from '../kit/time.tsx'
import { useQuery } from '../live/use-query.ts'
import { CallText } from './requests.tsx'
import type { ViewProps } from './view.ts'

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

/** Why a call was refused: the sentence, both canonical strings, and what would have been right. */
function DiagnosisPanel({ diagnosis }: { diagnosis: Diagnosis }) {
  const { sentence, equally, send_instead, canonical_string, client_canonical_string, hashed_body } = diagnosis
  return (
    <Panel title="Diagnosis">
      <p class="sentence">{sentence}</p>
      {equally.map((mistakes) => (
        <p key={mistakes.map(({ id }) => id).join()} class="soft">
          The same signature results if {mistakes.map(({ says }) => says).join(', and ')}.
        </p>
      ))}
      {send_instead !== null && <p>{send_instead}</p>}
      {hashed_body !== null && (
        <p>
          {hashed_body.sent_bytes} bytes were sent, {hashed_body.hashed_bytes} were hashed.
        </p>
      )}
      {canonical_string !== null && <Strings expected={canonical_string} signed={client_canonical_string} />}
      {diagnosis.expected_signature_header !== null && (
        <>
          <h3>The right header</h3>
          <Code name="Right header" text={diagnosis.expected_signature_header} />
        </>
      )}
    </Panel>
  )
}

const LINES = ['Verb', 'Path', 'Query', 'Timestamp', 'Nonce', 'Body SHA-256']

/** The two canonical strings line by line, with the first difference of each line marked. */
function Strings({ expected, signed }: { expected: string; signed: string | null }) {
  const right = expected.split('\n')
  const wrong = signed?.split('\n')
  const count = Math.max(right.length, wrong?.length ?? 0)
  return (
    <table class="strings" aria-label="Canonical strings">
      <thead>
        <tr>
          <th scope="col">Line</th>
          {wrong && <th scope="col">Your client signed</th>}
          <th scope="col">The sandbox expects</th>
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: count }, (_, at) => {
          const isLast = (lines: readonly string[]) => at >= lines.length - 1
          const [from, to] = [wrong?.[at], right[at]]
          return (
            <tr key={at} class={wrong && from !== to ? 'differs' : ''}>
              <th scope="row">{LINES[at] ?? at + 1}</th>
              {wrong && (
                <td data-head="Your client signed">
                  <Line text={from} other={to} isLast={isLast(wrong)} kind="bad" />
                </td>
              )}
              <td data-head="The sandbox expects">
                <Line text={to} other={wrong ? from : to} isLast={isLast(right)} kind="good" />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface LineProps {
  text: string | undefined
  other: string | undefined
  isLast: boolean
  kind: 'good' | 'bad'
}

/** A line with its newline shown; what comes from the first difference on is marked. */
function Line({ text, other, isLast, kind }: LineProps) {
  if (text === undefined) return <span class="soft">no such line</span>
  const at = other === undefined ? 0 : firstDifference(text, other)
  const visible = (part: string) => part.replaceAll('\r', '␍').replaceAll('\t', '␉')
  return (
    <code>
      {visible(text.slice(0, at))}
      {at < text.length && <mark class={kind}>{visible(text.slice(at))}</mark>}
      {text === '' && <span class="soft">(empty)</span>}
      {!isLast && <span class="soft">↵</span>}
    </code>
  )
}

/** Where two texts begin to differ; the length of the first if they do not. */
function firstDifference(text: string, other: string): number {
  if (text === other) return text.length
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  return at
}
