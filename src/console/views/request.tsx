import { curlCommand } from '../../contract/curl-command.ts'
import type { Diagnosis, WholeRequest } from '../../operator-api/rows/requests.ts'
import { asked, programLine } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Code } from '../kit/copy.tsx'
import { type Copyable, CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { StateBadge, stateWords } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Tabs } from '../kit/tabs.tsx'
import { Instant } from '../kit/time.tsx'
import { useQuery } from '../live/use-query.ts'
import { CallStatus, CallText, mishapWords } from './requests.tsx'
import type { ViewProps } from './view.ts'

/** One call: why it was refused, what was sent and answered, and how it was checked. */
export function RequestView({ params }: ViewProps) {
  const { world } = useWorld()
  const request = { w: world, request_id: params['request_id'] ?? '' }
  const { data, error } = useQuery('requests.show', request)
  const about = useQuery('sandbox.show', {})
  if (data === undefined) return <Unanswered error={error} />
  const where = world === 'default' ? [] : ['--world', world]
  const record = programLine(['record', '--since', data.at, ...where], location.origin)
  const more = [
    ...(about.data ? [sentAsCurl(data, about.data.api_url)] : []),
    { name: 'Save as scenario', text: record },
    { name: 'Copy request id', text: data.request_id },
  ]
  return (
    <>
      <ViewHead
        title={
          <>
            <CallStatus call={data} /> <CallText call={data} />
          </>
        }
      >
        <CopyMenu of={asked('requests.show', request)} more={more} />
      </ViewHead>
      {data.diagnosis && <DiagnosisPanel diagnosis={data.diagnosis} code={data.code} />}
      {data.findings !== undefined && data.findings.length > 0 && <FindingsPanel findings={data.findings} />}
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

/** What a proxy noticed besides. */
function FindingsPanel({ findings }: { findings: readonly string[] }) {
  return (
    <Panel title="Findings">
      {findings.map((says) => (
        <p key={says} class="sentence">
          {says}
        </p>
      ))}
    </Panel>
  )
}

function CallFacts({ call }: { call: WholeRequest }) {
  return (
    <Panel title="Call">
      <Facts
        rows={[
          ['Status', <CallStatus call={call} />],
          ['Code', call.code && <code>{call.code}</code>],
          ['Endpoint', call.endpoint],
          ['Credential', call.credential],
          ['Key id', call.key_id],
          ['At', <Instant at={call.world_time} real={call.at} />],
          ['Took', `${call.took_ms.toFixed(1)} ms`],
          ['Request id', call.request_id],
          ...(call.trace_id === null ? [] : [['Trace', <code>{call.trace_id}</code>] as const]),
          ...(call.mishap === null ? [] : [['Fault', <FaultOf call={call} />] as const]),
          ...(call.failure === null ? [] : [['Failure', call.failure] as const]),
        ]}
      />
    </Panel>
  )
}

/** What went wrong on purpose, and the fault that did it. */
function FaultOf({ call }: { call: WholeRequest }) {
  return (
    <>
      {mishapWords(call)} {call.fault !== null && <code class="soft">{call.fault}</code>}
    </>
  )
}

/** A check that was passed leaves it open whether what was asked for is possible: that is what the last row says. */
function ChecksPanel({ call: { checks, detail, status } }: { call: WholeRequest }) {
  const wasRefusedByCheck = checks.some(({ verdict }) => verdict === 'refused')
  const isRefused = status >= 400 && status < 500 && !wasRefusedByCheck
  return (
    <Panel title="Checks">
      <ol class="checks">
        {checks.map(({ check, verdict }) => (
          <li key={check}>
            {stateWords(check.replace('-', '_'))} <StateBadge state={verdict} />
          </li>
        ))}
        {isRefused && (
          <li>
            The request itself <StateBadge state="refused" />
          </li>
        )}
      </ol>
      {isRefused && <p class="soft">The checks concern who calls. They passed; what was asked for was refused.</p>}
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

/** The call as it was sent, to the sandbox that it was sent to. */
function sentAsCurl({ method, target, request }: WholeRequest, origin: string): Copyable {
  const name = 'Copy the call as curl'
  const body = bytesOf(request)
  // A secret was taken out of what is shown.
  if (body.length !== request.body_bytes) return { name, text: null, why: 'Not possible: the body is not shown whole.' }
  const said = curlCommand({ method, origin, target, headers: request.headers.filter(isOfCaller), body })
  return 'line' in said ? { name, text: said.line } : { name, text: null, why: `Not possible: ${said.impossible}.` }
}

function bytesOf({ body, body_encoding: encoding }: WholeRequest['request']): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(body)
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
}

/** What a client makes itself. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']

function isOfCaller([name]: readonly [name: string, value: string]): boolean {
  return !OWN_HEADERS.includes(name.toLowerCase())
}

/** Why a call was refused: the sentence, what was sent beside what was expected, what to do, and of a signature both strings. */
function DiagnosisPanel({ diagnosis, code }: { diagnosis: Diagnosis; code: string | null }) {
  const { sentence, equally, send_instead, canonical_string, client_canonical_string, hashed_body } = diagnosis
  return (
    <Panel title="Diagnosis" actions={code !== null && <code class="soft">{code}</code>}>
      <p class="sentence">{sentence}</p>
      {equally.map((mistakes) => (
        <p key={mistakes.map(({ id }) => id).join()} class="soft">
          The same signature results if {mistakes.map(({ says }) => says).join(', and ')}.
        </p>
      ))}
      {send_instead !== null && <p>Send instead: {send_instead}</p>}
      {diagnosis.compared.length > 0 && <ComparedValues rows={diagnosis.compared} />}
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
      {diagnosis.help.map(({ says, command }) => (
        <div key={says} class="help">
          <p>{says}</p>
          {command !== null && <Code name={says} text={command} />}
        </div>
      ))}
    </Panel>
  )
}

/** What was sent beside what was expected, as both were when the call was refused. */
function ComparedValues({ rows }: { rows: Diagnosis['compared'] }) {
  return (
    <table class="strings" aria-label="Compared values">
      <thead>
        <tr>
          <th scope="col">Value</th>
          <th scope="col">Sent</th>
          <th scope="col">Expected</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, sent, expected }) => (
          <tr key={name} class={sent === expected ? '' : 'differs'}>
            <th scope="row">{name}</th>
            <td data-head="Sent">{sent === null ? <span class="soft">nothing</span> : <code>{sent}</code>}</td>
            <td data-head="Expected">{expected === null ? <span class="soft">—</span> : <code>{expected}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
