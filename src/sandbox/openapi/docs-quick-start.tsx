import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import type { SigningKey } from '../../contract/signature.ts'
import { EXAMPLE_READ } from './document-reader.ts'

export interface QuickStartProps {
  readonly origin: string
  readonly offered: SigningKey | null
}

/** From nothing to the first answer. */
export function QuickStart({ origin, offered }: QuickStartProps) {
  return (
    <section id="quick-start" aria-labelledby="quick-start-title">
      <h2 id="quick-start-title">Quick start</h2>
      <ol>
        <li>
          Set <code>PARTNER_KEY_ID</code> and <code>PARTNER_SECRET</code> to the key id and the secret that the sandbox
          printed when it started.
        </li>
        <li>
          Run these lines with Node 20, as <code>first-call.mjs</code>. They sign six lines with HMAC-SHA256 and send
          four headers: <a href="#signing">all rules of signing</a>.
        </li>
        <li data-scripted hidden>
          Or open an operation below and press <b>Send</b>: this page signs the call.
        </li>
      </ol>
      <pre>{firstCall(origin)}</pre>
      <CredentialForm offered={offered} />
    </section>
  )
}

/** Ten lines that run as they stand; a test runs them. */
function firstCall(origin: string): string {
  const [path, query] = EXAMPLE_READ.split('?')
  return `import { createHash, createHmac, randomUUID } from 'node:crypto'

const { PARTNER_KEY_ID, PARTNER_SECRET } = process.env
const [path, query] = ['${path}', '${query}']
const [timestamp, nonce] = [\`\${Math.floor(Date.now() / 1000)}\`, randomUUID()]
const lines = ['GET', path, query, timestamp, nonce, createHash('sha256').digest('hex')]
const signature = createHmac('sha256', PARTNER_SECRET).update(lines.join('\\n')).digest('hex')
const headers = { '${HEADERS.keyId}': PARTNER_KEY_ID, '${HEADERS.timestamp}': timestamp }
Object.assign(headers, { '${HEADERS.nonce}': nonce, '${HEADERS.signature}': \`${SIGNATURE_PREFIX}\${signature}\` })
const answer = await fetch(\`${origin}\${path}?\${query}\`, { headers })
console.log(answer.status, await answer.json())`
}

/** Kept in the tab by the script of the page; without script nothing here can sign. */
function CredentialForm({ offered }: { offered: SigningKey | null }) {
  return (
    <form id="credential" class="credential" aria-labelledby="credential-title" hidden data-scripted>
      <h3 id="credential-title">Credential for Try it</h3>
      <div class="pair">
        <SecretInput name="key_id" label="Key id" value={offered?.keyId} placeholder="pk_sandbox_…" />
        <SecretInput name="secret" label="Secret" value={offered?.secret} placeholder="sk_sandbox_…" />
      </div>
      <p class="hint">
        {offered
          ? 'Filled in with the fixed credential that every sandbox on loopback has.'
          : 'Enter what the sandbox printed when it started.'}{' '}
        What you enter stays in this tab and is never sent: calls carry the key id and a signature.
      </p>
    </form>
  )
}

function SecretInput({
  name,
  label,
  value = '',
  placeholder,
}: Record<'name' | 'label' | 'placeholder', string> & { value: string | undefined }) {
  return (
    <div>
      <label for={`credential-${name}`}>{label}</label>
      <input
        id={`credential-${name}`}
        name={name}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        class={name === 'secret' ? 'masked' : undefined}
      />
    </div>
  )
}
