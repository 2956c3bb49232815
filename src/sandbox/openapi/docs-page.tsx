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
  const sections = sectionsOf(api)
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
          <Contents sections={sections} />
          <main id="start">
            <Prose text={api.info.description} />
            <Signing api={api} />
            {sections.map((section) => (
              <Section key={section.name} section={section} api={api} />
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
  /** Null for webhooks, which clients receive instead of calling them. */
  readonly description: string | null
  readonly entries: readonly Entry[]
}

function sectionsOf(api: OpenApiDocument): SectionEntries[] {
  const operations = entriesOf(api, api.paths)
  const deliveries = { name: 'Webhook deliveries', description: null, entries: entriesOf(api, api.webhooks) }
  const sections = api.tags.map(({ name, description }) => ({
    name,
    description,
    entries: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  return [...sections, deliveries]
}

function Contents({ sections }: { sections: readonly SectionEntries[] }) {
  return (
    <nav class="toc" aria-label="Contents">
      <p>
        <a href="#signing">Signing a call</a>
      </p>
      {sections.map(({ name, description, entries }) => (
        <div key={name}>
          <p>{name}</p>
          <ul>
            {entries.map(({ path, operation }) => (
              <li key={operation.operationId}>
                <a href={`#${operation.operationId}`}>{description === null ? path : operation.summary}</a>
              </li>
            ))}
          </ul>
        </div>
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

function Section({ section: { name, description, entries }, api }: { section: SectionEntries; api: OpenApiDocument }) {
  const origin = api.servers[0]?.url ?? ''
  return (
    <>
      <h2 id={description === null ? 'deliveries' : undefined}>{name}</h2>
      {description && <p>{description}</p>}
      {entries.map(({ verb, path, operation }) => (
        <Operation
          key={operation.operationId}
          verb={verb}
          path={path}
          operation={operation}
          find={finderOf(api)}
          command={description === null ? null : commandOf(verb, origin + path, operation)}
        />
      ))}
    </>
  )
}
