import type { ComponentChildren } from 'preact'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import type { OpenApiDocument } from './document.ts'
import { groupId, type OperationGroup } from './document-reader.ts'
import { CODE_MEANINGS } from './refusals.ts'

/** What is on the page, with a search that its script shows. */
export function Contents({ groups }: { groups: readonly OperationGroup[] }) {
  return (
    <nav class="toc" aria-label="Contents">
      <search data-scripted hidden>
        <label for="search">Search operations</label>
        <input id="search" type="search" placeholder="orders, price, POST…" autocomplete="off" spellcheck={false} />
        <p class="hint" role="status" id="found" />
      </search>
      <p>
        <a href="#quick-start">Quick start</a>
      </p>
      <p>
        <a href="#signing">Signing a call</a>
      </p>
      {groups.map((group) => (
        <Group key={group.name} group={group} />
      ))}
      <div>
        <p>
          <a href="#codes">Error codes</a>
        </p>
        <p>
          <a href="#open-points">Open points</a>
        </p>
      </div>
    </nav>
  )
}

function Group({ group: { name, isCalled, entries } }: { group: OperationGroup }) {
  return (
    <div data-group={groupId(name)}>
      <p>
        <a href={`#${groupId(name)}`}>{name}</a>
      </p>
      <ul>
        {entries.map(({ verb, path, operation: { operationId, summary } }) => (
          <li key={operationId} data-of={operationId}>
            <a href={`#${operationId}`}>
              {isCalled && <Verb verb={verb} />}
              <code>{splitRoot(path)[1]}</code>
              {isCalled && <span class="says">{summary}</span>}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function Verb({ verb }: { verb: string }) {
  return <span class={`verb ${verb.toLowerCase()}`}>{verb}</span>
}

/** A path with the part that most of them begin with on its own, to be shown with less weight. */
export function splitRoot(path: string): [root: string, rest: string] {
  return path.startsWith(API_ROOT) ? [API_ROOT, path.slice(API_ROOT.length)] : ['', path]
}

/** The little Markdown our descriptions use: paragraphs, lists, and code between backticks. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((block) => (
        <Block key={block} lines={block.split('\n')} />
      ))}
    </>
  )
}

const ITEM = /^(?:\d+\.|-) /

function Block({ lines }: { lines: readonly string[] }) {
  if (!lines.every((line) => ITEM.test(line))) return <p>{inline(lines.join(' '))}</p>
  const items = lines.map((line) => <li key={line}>{inline(line.replace(ITEM, ''))}</li>)
  return lines[0]?.startsWith('-') ? <ul>{items}</ul> : <ol>{items}</ol>
}

/** Every other piece between backticks is code. */
function inline(text: string): ComponentChildren[] {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={`${index}`}>{piece}</code> : piece))
}

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
