import { Frame } from '../../page-kit/frame.tsx'
import type { Page } from '../wire/page.ts'
import { document } from '../wire/page-kit/document.tsx'
import { Codes, Conventions, OpenPoints, Signing } from './docs-chapters.tsx'
import { Contents } from './docs-contents.tsx'
import { Operation } from './docs-operation.tsx'
import { QuickStart, type QuickStartProps } from './docs-quick-start.tsx'
import { DOCS_STYLE, DOCS_STYLE_HASH } from './docs-style.ts'
import { documentOf, type OpenApiDocument } from './document.ts'
import { commandOf, finderOf, groupId, groupsOf, type OperationGroup } from './document-reader.ts'
import { offeredCredential } from './offered-credential.ts'

/**
 * The same document for people: one page with an anchor for every operation. It can be read without script; with it, it can be
 * searched, and its operations can be called.
 */
export const docsPage: Page = {
  writes: false,
  worldOf: () => null,
  handle: (request) => ({
    status: 200,
    hasScript: true,
    styleHash: DOCS_STYLE_HASH,
    body: document(<Docs api={documentOf(request)} offered={offeredCredential(request)} />),
  }),
}

interface DocsProps {
  readonly api: OpenApiDocument
  readonly offered: QuickStartProps['offered']
}

function Docs({ api, offered }: DocsProps) {
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

function Group({
  group: { name, description, isCalled, entries },
  api,
}: {
  group: OperationGroup
  api: OpenApiDocument
}) {
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
