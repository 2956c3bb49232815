import type { ComponentChildren } from 'preact'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { groupId, type OperationGroup } from './document-reader.ts'

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
