import { useState } from 'preact/hooks'
import { useSignal } from '../browser/signal.ts'
import { useConsole } from '../console-context.ts'
import { TextField } from '../kit/field.tsx'

const REFUSALS: Readonly<Record<string, string>> = {
  wrong: 'This token was refused.',
  stale: 'The token of this tab is no longer valid: the sandbox was started again with another one. Enter the new one.',
}

/** Asks for the token of the operator port, once for a tab. */
export function TokenForm() {
  const { token } = useConsole()
  const state = useSignal(token.state)
  const [typed, setTyped] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') token.give(typed.trim())
  }
  return (
    <main class="token-page panel">
      <h1>Operator token</h1>
      <p class="soft">This operator port asks for the token that the sandbox printed when it started.</p>
      {state in REFUSALS && (
        <div class="notice bad" role="alert">
          {REFUSALS[state]}
        </div>
      )}
      <form onSubmit={submit} class="buttons">
        <TextField label="Token" type="password" value={typed} onInput={setTyped} />
        <button type="submit" class="button main">
          Open the console
        </button>
      </form>
    </main>
  )
}
