import type { Diagnosis } from '../../../operator-api/rows/requests.ts'
import { Code } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'

/** Why a call was refused: the sentence, both canonical strings, and what would have been right. */
export function DiagnosisPanel({ diagnosis }: { diagnosis: Diagnosis }) {
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
