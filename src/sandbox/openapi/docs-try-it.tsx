import { HEADERS } from '../../contract/headers.ts'
import type { ShownOperation, ShownParameter } from './document-reader.ts'
import { type FindSchema, resolvedSchema } from './flatten-schema.ts'

interface TryItProps {
  readonly verb: string
  readonly path: string
  readonly operation: ShownOperation
  readonly find: FindSchema
}

/**
 * A call of the operation, composed in a form. `src/console/docs` shows it, signs what it holds, sends it and writes the answer
 * below; without script it stays hidden.
 */
export function TryIt({ verb, path, operation, find }: TryItProps) {
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
