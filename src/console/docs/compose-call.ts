import { encodeComponent } from '../../contract/canonical-string.ts'

/** A call as its form says it. */
export interface ComposedCall {
  /** Verb and path of the operation. */
  readonly operation: string
  readonly method: string
  /** Path and query as the browser sends them. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Null where the operation has none. */
  readonly body: string | null
}

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Reads the form of an operation. Parameters whose field is empty are not sent. */
export function composeCall(form: HTMLFormElement): ComposedCall {
  const { verb = 'GET', path = '' } = form.dataset
  const body = fieldOf(form, 'body')?.value ?? null
  const headers = parametersIn(form, 'header').map(({ name, value }) => [name, value])
  const type = body === null ? [] : [['Content-Type', 'application/json']]
  return {
    operation: `${verb} ${path}`,
    method: verb,
    target: targetOf(form, path),
    headers: Object.fromEntries([...headers, ...type]),
    body,
  }
}

function targetOf(form: HTMLFormElement, path: string): string {
  const filled = parametersIn(form, 'path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, () => encodeComponent(value)),
    path,
  )
  const query = parametersIn(form, 'query').map(({ name, value }) => `${name}=${encodeComponent(value)}`)
  // A browser leaves segments of dots out of a path, so what it would send is what is signed.
  const url = new URL(filled + (query.length > 0 ? `?${query.join('&')}` : ''), location.origin)
  return url.pathname + url.search
}

function parametersIn(form: HTMLFormElement, place: string): FormField[] {
  return fieldsIn(form).filter((field) => field.dataset['in'] === place && field.value !== '')
}

/** @example fieldOf(form, 'body')?.value */
export function fieldOf(form: HTMLFormElement, name: string): FormField | undefined {
  return fieldsIn(form).find((field) => field.name === name)
}

function fieldsIn(form: HTMLFormElement): FormField[] {
  return [...form.querySelectorAll<FormField>('input, select, textarea')]
}
