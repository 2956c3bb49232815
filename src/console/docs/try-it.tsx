import { type ComponentChildren, render } from 'preact'
import { HEADERS } from '../../contract/headers.ts'
import { jsonIn } from '../../contract/words.ts'
import { CodeBlock, CopyButton } from './code-block.tsx'
import { composeCall, fieldOf } from './compose-call.ts'
import type { CredentialForm } from './credential.ts'
import { type AnsweredCall, canSign, exchange } from './exchange.ts'

const UNSAFE_PAGE =
  'This browser signs only on pages of loopback or over HTTPS. Open the page as http://127.0.0.1 or http://localhost, or use the command below.'
const NO_CREDENTIAL = 'Enter a key id and its secret at the top of this page first.'

/** Makes the form of an operation send its call. */
export function wireForm(form: HTMLFormElement, credential: CredentialForm): void {
  const key = fieldOf(form, HEADERS.idempotencyKey)
  const renewKey = () => {
    if (key && canSign()) key.value = crypto.randomUUID()
  }
  renewKey()
  // Another body is another operation; the same one again is a retry.
  fieldOf(form, 'body')?.addEventListener('input', renewKey)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form, credential)
  })
}

async function send(form: HTMLFormElement, credential: CredentialForm): Promise<void> {
  const place = form.querySelector('[data-answer]')
  const button = form.querySelector('button')
  if (!place || button?.ariaBusy === 'true') return
  if (!canSign()) return render(<NoAnswer reason={UNSAFE_PAGE} />, place)
  const { key } = credential
  if (!key) return render(<NoAnswer reason={NO_CREDENTIAL} />, place)
  button?.setAttribute('aria-busy', 'true')
  try {
    const answered = await exchange(key, composeCall(form))
    render(<Answer exchange={answered} />, place)
    if (answered.status < 300) fillIn(answered.body)
  } catch (error) {
    render(<NoAnswer reason={`The call got no answer: ${error instanceof Error ? error.message : error}`} />, place)
  } finally {
    button?.removeAttribute('aria-busy')
  }
}

/** An id that an answer shows is likely what the next call is about: it replaces examples in paths. */
function fillIn(answer: string): void {
  const members = jsonIn(answer)
  if (typeof members !== 'object' || members === null) return
  for (const [name, value] of Object.entries(members)) {
    for (const field of document.querySelectorAll<HTMLInputElement>('input[data-in=path]')) {
      if (field.name === name && typeof value === 'string') field.value = value
    }
  }
}

/** What a call came to, and below it what was signed. */
function Answer({ exchange }: { exchange: AnsweredCall }) {
  const { call, status, statusText, headers, body } = exchange
  const requestId = headers.find(([name]) => name === HEADERS.requestId)?.[1] ?? 'last'
  return (
    <div class="answer">
      <p class={`outcome ${status < 400 ? 'good' : 'bad'}`} role="status">
        <strong>{status}</strong> {statusText}
      </p>
      {status === 401 && <Explained command={commandIn(body) ?? `npx partner-sandbox request show ${requestId}`} />}
      <CodeBlock text={body} name={`Answer of ${call.operation}`} />
      <h5>Headers of the answer</h5>
      <Lines rows={headers} />
      <WhatWasSigned exchange={exchange} />
    </div>
  )
}

/** The command at the end of a hint, which names the operator of this sandbox. */
function commandIn(body: string): string | undefined {
  const { hint } = (jsonIn(body) ?? {}) as { hint?: unknown }
  return /(?:More|Why): (.+)$/.exec(String(hint))?.[1]
}

function Explained({ command }: { command: string }) {
  return (
    <div class="notice bad">
      <p>
        The call was refused before it was carried out; the body says why. To compare what you signed with what was
        expected: <code>{command}</code>
      </p>
    </div>
  )
}

const LINES = ['Verb', 'Path', 'Query', 'Timestamp', 'Nonce', 'Body SHA-256']

function WhatWasSigned({ exchange: { call, signed, curl } }: { exchange: AnsweredCall }) {
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
function NoAnswer({ reason }: { reason: string }) {
  return (
    <div class="notice bad" role="alert">
      <p>{reason}</p>
    </div>
  )
}
