import { render } from 'preact'
import { HEADERS } from '../../contract/headers.ts'
import { Answer, NoAnswer } from './answer.tsx'
import { composeCall, fieldOf } from './compose-call.ts'
import type { Credential } from './credential.ts'
import { exchange, parsed } from './exchange.ts'
import { canSign } from './sign-call.ts'

const UNSAFE_PAGE =
  'This browser signs only on pages of loopback or over HTTPS. Open the page as http://127.0.0.1 or http://localhost, or use the command below.'
const NO_CREDENTIAL = 'Enter a key id and its secret at the top of this page first.'

/** Makes the form of an operation send its call. */
export function wireForm(form: HTMLFormElement, credential: Credential): void {
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

async function send(form: HTMLFormElement, credential: Credential): Promise<void> {
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
  const members = parsed(answer)
  if (typeof members !== 'object' || members === null) return
  for (const [name, value] of Object.entries(members)) {
    for (const field of document.querySelectorAll<HTMLInputElement>('input[data-in=path]')) {
      if (field.name === name && typeof value === 'string') field.value = value
    }
  }
}
