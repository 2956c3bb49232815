import { fromJsonSchema, type JsonSchemaType, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { unknownName } from '../contract/words.ts'

/** What the schema of an argument says, as far as messages name it. */
interface ArgumentSchema {
  readonly type?: string
  readonly enum?: readonly string[]
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
}

/** The input of a tool for the SDK, whose own messages name neither an unknown argument nor the values of one. */
export function toolInput(schema: JsonSchemaType): StandardSchemaWithJSON {
  return fromJsonSchema(schema, {
    getValidator<Input>(inner: JsonSchemaType) {
      const validate = new AjvJsonSchemaValidator().getValidator<Input>(inner)
      return (input: unknown) => {
        const errorMessage = problemIn(Object(input), schema as InputSchema)
        return errorMessage === null ? validate(input) : { valid: false, data: undefined, errorMessage }
      }
    },
  })
}

/** Null if each argument is one of the tool and has its type; the schema decides on the rest. */
function problemIn(input: Readonly<Record<string, unknown>>, schema: InputSchema): string | null {
  const { properties = {}, required = [] } = schema
  const known = Object.keys(properties)
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown !== undefined) return unknownName('argument', unknown, known)
  const missing = required.find((name) => input[name] === undefined)
  if (missing !== undefined) return `${missing}: required`
  for (const [name, value] of Object.entries(input)) {
    const allowed = allowedIn(properties[name] ?? {}, value)
    if (allowed !== null) return `${name}: it must be ${allowed}, not ${JSON.stringify(value)?.slice(0, 80)}`
  }
  return null
}

const TYPES: Readonly<Record<string, readonly [words: string, isOf: (value: unknown) => boolean]>> = {
  string: ['a text', (value) => typeof value === 'string'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  array: ['a list, such as ["one"]', Array.isArray],
  object: ['an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
}

/** What an argument may be, in words; null if it is that. */
function allowedIn({ type = '', enum: values }: ArgumentSchema, value: unknown): string | null {
  if (values) return values.some((one) => one === value) ? null : `one of ${values.join(', ')}`
  const [words, isOf] = TYPES[type] ?? []
  return words === undefined || isOf?.(value) ? null : words
}
