import { existsSync, readFileSync } from 'node:fs'
import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import type { SigningKey } from '../../contract/signature.ts'
import { DOCS_SCRIPT_FILE } from '../../package-files.ts'
import { Frame } from '../../page-kit/frame.tsx'
import { fixedLoopbackKeys } from '../kernel/credentials.ts'
import { LOOPBACK_NAMES } from '../wire/loopback.ts'
import { PageRefusal, type PageRequest, type PageRoute } from '../wire/page.ts'
import { document } from '../wire/page-kit/layout.tsx'
import { Operation } from './docs-operation.tsx'
import { Codes, Contents, Conventions, OpenPoints, Signing } from './docs-parts.tsx'
import { DOCS_STYLE, DOCS_STYLE_HASH } from './docs-style.ts'
import { documentOf, type OpenApiDocument } from './document.ts'
import { commandOf, EXAMPLE_READ, finderOf, groupId, groupsOf, type OperationGroup } from './document-reader.ts'

/**
 * The same document for people: one page with an anchor for every operation. It can be read without script; with it, it can be
 * searched, and its operations can be called.
 */
export const docsPage: PageRoute = {
  writes: false,
  worldOf: () => null,
  handle: (request) => ({
    status: 200,
    hasScript: true,
    styleHash: DOCS_STYLE_HASH,
    body: document(<Docs api={documentOf(request)} offered={offeredCredential(request)} />),
  }),
}

function Docs({ api, offered }: { api: OpenApiDocument; offered: SigningKey | null }) {
  const groups = groupsOf(api)
  const origin = api.servers[0]?.url ?? ''
  return (
    <Frame title={`${api.info.title} · Sandbox`} style={DOCS_STYLE} scriptUrl="docs/docs.js">
      <div class="wide docs">
        <a class="skip" href="#start">
          Skip the contents
        </a>
        <header>
          <h1>{api.info.title}</h1>
          <p class="lead">
            {api.info.summary} The sandbox at <code>{origin}</code>; for programs:{' '}
            <a href="openapi.json">openapi.json</a>
          </p>
        </header>
        <div class="columns">
          <Contents groups={groups} />
          <main id="start">
            <QuickStart origin={origin} offered={offered} />
            <Signing api={api} />
            <Conventions api={api} />
            {groups.map((group) => (
              <Group key={group.name} group={group} api={api} />
            ))}
            <Codes api={api} />
            <OpenPoints api={api} />
          </main>
        </div>
      </div>
    </Frame>
  )
}

function Group({ group, api }: { group: OperationGroup; api: OpenApiDocument }) {
  const { name, description, isCalled, entries } = group
  const origin = api.servers[0]?.url ?? ''
  return (
    <section class="group" aria-labelledby={groupId(name)}>
      <h2 id={groupId(name)}>{name}</h2>
      <p>{description}</p>
      {entries.map(({ verb, path, operation }) => (
        <Operation
          key={operation.operationId}
          verb={verb}
          path={path}
          operation={operation}
          find={finderOf(api)}
          command={isCalled ? commandOf(verb, origin + path, operation) : null}
        />
      ))}
    </section>
  )
}

const MAIN = 'main'

/**
 * The credential with which the reference fills in its forms. Only one whose keys are the same in every sandbox on loopback is
 * shown, and only to who opens the page on the machine of the sandbox; everybody else enters their own.
 */
function offeredCredential({ isFromThisMachine, worlds: { main } }: PageRequest): SigningKey | null {
  const hasProxy = main.shard !== null || !LOOPBACK_NAMES.includes(new URL(main.publicUrl()).hostname)
  if (!isFromThisMachine || hasProxy) return null
  const credentials = [...main.credentials.values()]
  return credentials.find((one) => one.name === MAIN && !one.revoked && isFixed(one)) ?? null
}

function isFixed({ keyId, secret }: SigningKey): boolean {
  return (
    keyId.endsWith(`_${fixedLoopbackKeys('key', MAIN)}`) && secret.endsWith(`_${fixedLoopbackKeys('secret', MAIN)}`)
  )
}

/** From nothing to the first answer. */
function QuickStart({ origin, offered }: { origin: string; offered: SigningKey | null }) {
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

/** The script of the reference as it was built from `src/console/docs`. Without a build the page works without it. */
export const docsScript: PageRoute = {
  writes: false,
  worldOf: () => null,
  handle() {
    if (!existsSync(DOCS_SCRIPT_FILE)) throw new PageRefusal(404, 'the script of the reference was not built')
    return { status: 200, type: 'text/javascript', body: readFileSync(DOCS_SCRIPT_FILE, 'utf8') }
  },
}
