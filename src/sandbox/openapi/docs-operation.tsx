import { HEADERS } from '../../contract/headers.ts'
import { Prose, splitRoot, Verb } from './docs-parts.tsx'
import type { ShownOperation, ShownParameter, ShownResponse } from './document-reader.ts'
import {
  type FieldLine,
  type FindSchema,
  flattenSchema,
  resolvedSchema,
  type ShownSchema,
  typeText,
} from './flatten-schema.ts'

interface OperationProps {
  readonly verb: string
  readonly path: string
  readonly operation: ShownOperation
  readonly find: FindSchema
  /** A command that makes the call; null for a webhook, which clients do not call. */
  readonly command: string | null
}

/** What a search for this operation may name: verb, path, summary, id, fields and codes. */
function wordsOf({ verb, path, operation, find }: OperationProps): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']
  const fields = body ? flattenSchema(body.schema, find) : []
  const names = [...parameters.map(({ name }) => name), ...fields.map((field) => field.path)]
  const codes = Object.values(responses).flatMap(codesOf)
  return [verb, path, summary, operationId, ...new Set([...names, ...codes])].join(' ').toLowerCase()
}

/** One operation, closed until it is looked at: what it needs, takes, answers and refuses. */
export function Operation(props: OperationProps) {
  const { verb, path, operation, find, command } = props
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']
  const accepted = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return (
    <details class="operation" data-search={wordsOf(props)}>
      <summary>
        <h3>
          <Verb verb={verb} /> <Path path={path} />
        </h3>{' '}
        <span class="says">{summary}</span>
      </summary>
      <div class="about" id={operationId}>
        <Prose text={description} />
        <Needs operation={operation} />
        {command !== null && <TryIt verb={verb} path={path} operation={operation} find={find} />}
        {parameters.length > 0 && (
          <Fields title="Parameters" lines={parameters.map((one) => parameterLine(one, find))} />
        )}
        {body && <Fields title="Body" lines={flattenSchema(body.schema, find)} />}
        {body?.example !== undefined && <Example title="Example body" text={inJson(body.example)} />}
        {accepted.map(([status, response]) => (
          <Accepted key={status} status={status} response={response} find={find} />
        ))}
        {refusals.length > 0 && <Refusals refusals={refusals} />}
        {command !== null && <Example title="In a shell" text={command} />}
      </div>
    </details>
  )
}

function Path({ path }: { path: string }) {
  const [root, rest] = splitRoot(path)
  return (
    <code>
      <span class="root">{root}</span>
      {rest}
    </code>
  )
}

function Needs({ operation }: { operation: ShownOperation }) {
  const scopes = operation['x-scopes']?.anyOf
  if (!scopes) return null
  return (
    <p class="needs">
      Scope{' '}
      {scopes.map((scope, index) => (
        <>
          {index > 0 && ' or '}
          <code>{scope}</code>
        </>
      ))}
      {operation['x-affiliate'] && ', and the credential is linked to an affiliate account'}
      {operation['x-merchant-of-record'] && ', and the partner is merchant of record'}
    </p>
  )
}

function parameterLine(
  { name, in: place, required, description, schema, ...rest }: ShownParameter,
  find: FindSchema,
): FieldLine {
  const type = `${typeText(schema, find)} in the ${place}`
  return { path: name, type, required, description: description ?? '', open: rest['x-gap'] ?? null }
}

function Fields({ title, lines }: { title: string; lines: readonly FieldLine[] }) {
  return (
    <>
      <h4>{title}</h4>
      <dl class="fields">
        {lines.map(({ path, type, required, description, open }) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
              {!required && <span class="tag">optional</span>}
              {open && (
                <span class="tag">
                  <a href={`#open-${open.id}`}>open</a>
                  {open.values && `: ${open.values.join(', ')}`}
                </span>
              )}
            </dt>
            <dd>
              <p class="type">{type}</p>
              {description && <Prose text={description} />}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Example({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h4>{title}</h4>
      <pre>{text}</pre>
    </>
  )
}

function inJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function Accepted({ status, response, find }: { status: string; response: ShownResponse; find: FindSchema }) {
  const content = response.content?.['application/json']
  return (
    <>
      <h4>
        {status} <OpenTag marks={response['x-gap']} />
      </h4>
      <Prose text={response.description} />
      {content && <Fields title="Answer" lines={flattenSchema(content.schema, find)} />}
      {content?.example !== undefined && <Example title="Example answer" text={inJson(content.example)} />}
    </>
  )
}

/** Statuses and codes; what a code means is said once, in a section of its own. */
function Refusals({ refusals }: { refusals: readonly (readonly [status: string, response: ShownResponse])[] }) {
  return (
    <>
      <h4>Errors</h4>
      <ul class="refusals">
        {refusals.map(([status, response]) => (
          <li key={status}>
            <strong>{status}</strong>{' '}
            {codesOf(response).map((code) => (
              <a key={code} href={`#code-${code}`}>
                <code>{code}</code>
              </a>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The codes a refusal is narrowed to, in any layout of errors. */
function codesOf({ content = {} }: ShownResponse): readonly string[] {
  const [{ schema } = { schema: {} as ShownSchema }] = Object.values(content)
  const { code, error, errors } = schema.allOf?.at(-1)?.properties ?? {}
  return (code ?? error?.properties?.['code'] ?? errors?.items?.properties?.['code'])?.enum ?? []
}

function OpenTag({ marks = [] }: { marks?: ShownResponse['x-gap'] }) {
  return (
    <>
      {marks.map(({ id, values }) => (
        <span key={id} class="tag">
          <a href={`#open-${id}`}>open</a>: may be {values.join(' or ')}
        </span>
      ))}
    </>
  )
}

/**
 * A call of the operation, composed in a form. `src/console/docs` shows it, signs what it holds, sends it and writes the answer
 * below; without script it stays hidden.
 */
function TryIt({ verb, path, operation, find }: Omit<OperationProps, 'command'>) {
  const { operationId, parameters = [], requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  return (
    <details class="try" data-scripted hidden>
      <summary>
        <h4>Try it</h4>
      </summary>
      <form data-verb={verb} data-path={path}>
        <div class="pair">
          {parameters.map((parameter) => (
            <Parameter
              key={parameter.name}
              id={`try-${operationId}-${parameter.name}`}
              parameter={parameter}
              find={find}
            />
          ))}
        </div>
        {example !== undefined && <Body id={`try-${operationId}-body`} example={example} />}
        <div class="send">
          <button class="main" type="submit">
            Send
          </button>
          <p class="hint">
            Signed as <code data-signer />. <a href="#credential">Change</a>
          </p>
        </div>
        <div data-answer />
      </form>
    </details>
  )
}

interface ParameterProps {
  readonly id: string
  readonly parameter: ShownParameter
  readonly find: FindSchema
}

/** One that may be left out is not sent while its field is empty. */
function Parameter({ id, parameter: { name, in: place, required, schema, example }, find }: ParameterProps) {
  const choices = resolvedSchema(schema, find).enum
  const shared = { id, name, required: place === 'path', 'data-in': place }
  return (
    <div>
      <label for={id}>
        {name} {!required && <span class="tag">optional</span>}
      </label>
      {choices && place === 'query' ? (
        <select {...shared}>
          {[...(required ? [] : ['']), ...choices].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input {...shared} value={String(example ?? '')} autocomplete="off" spellcheck={false} />
      )}
      {name === HEADERS.idempotencyKey && (
        <p class="hint">New when the body changes, so sending the same body twice is a retry.</p>
      )}
    </div>
  )
}

function Body({ id, example }: { id: string; example: unknown }) {
  const text = JSON.stringify(example, null, 2)
  return (
    <div>
      <label for={id}>Body</label>
      <textarea id={id} name="body" rows={text.split('\n').length} autocomplete="off" spellcheck={false}>
        {text}
      </textarea>
    </div>
  )
}
