import type { ComponentChildren } from 'preact'
import { Prose } from './docs-parts.tsx'
import type { OpenApiDocument } from './document.ts'
import { CODE_MEANINGS } from './refusals.ts'

/** A part of the page between the operations, closed until it is looked at. What leads into it opens it. */
function Chapter({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <details class="chapter">
      <summary>
        <h2>{title}</h2>
      </summary>
      <div class="about" id={id}>
        {children}
      </div>
    </details>
  )
}

/** What holds for all operations. */
export function Conventions({ api }: { api: OpenApiDocument }) {
  return (
    <Chapter id="conventions" title="Conventions">
      <Prose text={api.info.description} />
    </Chapter>
  )
}

/** The four headers of every call. */
export function Signing({ api }: { api: OpenApiDocument }) {
  const schemes = Object.values(api.components.securitySchemes) as unknown as { name: string; description: string }[]
  return (
    <Chapter id="signing" title="Signing a call">
      <p>Every call carries these four headers.</p>
      <p>
        Each operation has a command that signs and sends the call, for a shell where <code>PARTNER_KEY_ID</code> is the
        key id that the sandbox shows when it starts.
      </p>
      {schemes.map(({ name, description }) => (
        <section class="point" key={name}>
          <h3>
            <code>{name}</code>
          </h3>
          <Prose text={description} />
        </section>
      ))}
    </Chapter>
  )
}

/** Every code once, with its statuses and what it means. */
export function Codes({ api }: { api: OpenApiDocument }) {
  const statuses = statusesOfCodes(Object.keys(api.components.responses))
  return (
    <Chapter id="codes" title="Error codes">
      <dl class="fields">
        {Object.entries(CODE_MEANINGS).map(([code, meaning]) => (
          <div key={code} id={`code-${code}`}>
            <dt>
              <code>{code}</code>
              <span class="tag">{[...(statuses.get(code) ?? [])].join(', ')}</span>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Chapter>
  )
}

/** Shared refusals are named by their status and codes. */
function statusesOfCodes(names: readonly string[]): Map<string, Set<string>> {
  const statuses = new Map<string, Set<string>>()
  for (const name of names) {
    const [status = '', ...codes] = name.split('.')
    for (const code of codes) statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
  }
  return statuses
}

/** Where other services may differ. */
export function OpenPoints({ api }: { api: OpenApiDocument }) {
  const points = Object.entries(api['x-gaps']) as [string, Record<string, unknown>][]
  return (
    <Chapter id="open-points" title="Open points">
      {points.map(([id, { question, values, chosen, reason }]) => (
        <section class="point" key={id} id={`open-${id}`}>
          <h3>
            <code>{id}</code>
          </h3>
          <p>
            {String(question)}. Allowed: {Array.isArray(values) ? values.join(', ') : String(values)}.
            {chosen !== undefined && ` Here: ${String(chosen)}.`}
          </p>
          <p>{String(reason)}</p>
        </section>
      ))}
    </Chapter>
  )
}
