import type { OpenApiDocument } from './document.ts'
import { Prose } from './prose.tsx'
import { CODE_MEANINGS } from './refusals.ts'

/** The four headers of every call. */
export function Signing({ api }: { api: OpenApiDocument }) {
  const schemes = Object.values(api.components.securitySchemes) as unknown as { name: string; description: string }[]
  return (
    <>
      <h2 id="signing">Signing a call</h2>
      <p>Every call carries these four headers.</p>
      <p>
        The commands below sign and send a call from a shell where <code>PARTNER_KEY_ID</code> is the key id that the
        sandbox shows when it starts.
      </p>
      {schemes.map(({ name, description }) => (
        <section class="operation" key={name}>
          <h3>
            <code>{name}</code>
          </h3>
          <Prose text={description} />
        </section>
      ))}
    </>
  )
}

/** Every code once, with its statuses and what it means. */
export function Codes({ api }: { api: OpenApiDocument }) {
  const statuses = statusesOfCodes(Object.keys(api.components.responses))
  return (
    <>
      <h2 id="codes">Error codes</h2>
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
    </>
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
    <>
      <h2 id="open-points">Open points</h2>
      {points.map(([id, { question, values, chosen, reason }]) => (
        <section class="operation" key={id} id={`open-${id}`}>
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
    </>
  )
}
