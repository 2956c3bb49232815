import type { Page } from '../wire/page.ts'
import { document } from '../wire/page-kit/document.tsx'
import { Frame } from '../wire/page-kit/layout.tsx'
import { Codes, OpenPoints, Signing } from './docs-chapters.tsx'
import { Operation } from './docs-operation.tsx'
import { documentOf, type OpenApiDocument } from './document.ts'
import { commandOf, type Entry, entriesOf, finderOf } from './document-reader.ts'
import { Prose } from './prose.tsx'

/** The same document for people: one page, no script, an anchor for every operation. */
export const docsPage: Page = {
  writes: false,
  worldOf: () => null,
  handle: (request) => ({ status: 200, body: document(<Docs api={documentOf(request)} />) }),
}

function Docs({ api }: { api: OpenApiDocument }) {
  const entries = entriesOf(api, api.paths)
  const deliveries = entriesOf(api, api.webhooks)
  return (
    <Frame title={`${api.info.title} · Sandbox`}>
      <div class="wide docs">
        <a class="skip" href="#start">
          Skip the contents
        </a>
        <header>
          <h1>{api.info.title}</h1>
          <p class="lead">
            {api.info.summary} The sandbox at <code>{api.servers[0]?.url}</code>; for programs:{' '}
            <a href="openapi.json">openapi.json</a>
          </p>
        </header>
        <div class="columns">
          <Contents sections={sectionsOf(api, entries)} deliveries={deliveries} />
          <main id="start">
            <Prose text={api.info.description} />
            <Signing api={api} />
            {sectionsOf(api, entries).map((section) => (
              <Section key={section.name} section={section} api={api} />
            ))}
            <h2 id="deliveries">Webhook deliveries</h2>
            {deliveries.map(({ path, operation }) => (
              <Operation key={path} verb="POST" path={path} operation={operation} find={finderOf(api)} command={null} />
            ))}
            <Codes api={api} />
            <OpenPoints api={api} />
          </main>
        </div>
      </div>
    </Frame>
  )
}

interface SectionEntries {
  readonly name: string
  readonly description: string
  readonly entries: readonly Entry[]
}

function sectionsOf(api: OpenApiDocument, entries: readonly Entry[]): SectionEntries[] {
  return api.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
}

function Contents({ sections, deliveries }: { sections: readonly SectionEntries[]; deliveries: readonly Entry[] }) {
  const all = [...sections, { name: 'Webhook deliveries', entries: deliveries }]
  return (
    <nav class="toc" aria-label="Contents">
      <p>
        <a href="#signing">Signing a call</a>
      </p>
      {all.map(({ name, entries }) => (
        <div key={name}>
          <p>{name}</p>
          <ul>
            {entries.map(({ path, operation }) => (
              <li key={operation.operationId}>
                <a href={`#${operation.operationId}`}>{name === 'Webhook deliveries' ? path : operation.summary}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div>
        <p>
          <a href="#codes">Codes of refusals</a>
        </p>
        <p>
          <a href="#open-points">Open points</a>
        </p>
      </div>
    </nav>
  )
}

function Section({ section: { name, description, entries }, api }: { section: SectionEntries; api: OpenApiDocument }) {
  const origin = api.servers[0]?.url ?? ''
  return (
    <>
      <h2>{name}</h2>
      <p>{description}</p>
      {entries.map(({ verb, path, operation }) => (
        <Operation
          key={operation.operationId}
          verb={verb}
          path={path}
          operation={operation}
          find={finderOf(api)}
          command={commandOf(verb, origin + path, operation)}
        />
      ))}
    </>
  )
}
