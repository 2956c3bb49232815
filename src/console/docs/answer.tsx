import type { ComponentChildren } from 'preact'
import { HEADERS } from '../../contract/headers.ts'
import { CodeBlock, CopyButton } from './code-block.tsx'
import type { Exchange } from './exchange.ts'

/** What a call came to, and below it what was signed. */
export function Answer({ exchange }: { exchange: Exchange }) {
  const { call, status, statusText, headers, body } = exchange
  return (
    <div class="answer">
      <p class={`outcome ${status < 400 ? 'good' : 'bad'}`} role="status">
        <strong>{status}</strong> {statusText}
      </p>
      {status === 401 && <Explained requestId={headers.find(([name]) => name === HEADERS.requestId)?.[1]} />}
      <CodeBlock text={body} name={`Answer of ${call.operation}`} />
      <h5>Headers of the answer</h5>
      <Lines rows={headers} />
      <WhatWasSigned exchange={exchange} />
    </div>
  )
}

function Explained({ requestId }: { requestId: string | undefined }) {
  return (
    <div class="notice bad">
      <p>
        The call was refused before it was carried out; the body says why. To compare what you signed with what was
        expected: <code>npx partner-sandbox request show {requestId ?? 'last'}</code>
      </p>
    </div>
  )
}

const LINES = ['Verb', 'Path', 'Query', 'Timestamp', 'Nonce', 'Body SHA-256']

function WhatWasSigned({ exchange: { call, signed, curl } }: { exchange: Exchange }) {
  const lines = signed.canonicalString.split('\n')
  const headers = Object.entries(signed.headers)
  return (
    <>
      <h5>Canonical string, line by line</h5>
      <div class="code">
        <Lines rows={LINES.map((name, index) => [name, lines[index] || <i>empty</i>])} />
        <CopyButton text={signed.canonicalString} />
      </div>
      <h5>Headers that sign the call</h5>
      <CodeBlock
        text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        name={`Headers of ${call.operation}`}
      />
      <h5>The same call with curl, signed for five minutes and one use</h5>
      <CodeBlock text={curl} name={`curl line of ${call.operation}`} />
    </>
  )
}

function Lines({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="fields lines">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Why a call has no answer. */
export function NoAnswer({ reason }: { reason: string }) {
  return (
    <div class="notice bad" role="alert">
      <p>{reason}</p>
    </div>
  )
}
