import { fromJsonSchema, type JsonSchemaType, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { didYouMean } from '../contract/words.ts'

/** The input of a tool for the SDK, whose own message about an unknown argument does not name it. */
export function toolInput(schema: JsonSchemaType): StandardSchemaWithJSON {
  const known = Object.keys((schema as { properties?: object }).properties ?? {})
  return fromJsonSchema(schema, {
    getValidator<Input>(inner: JsonSchemaType) {
      const validate = new AjvJsonSchemaValidator().getValidator<Input>(inner)
      return (input: unknown) => {
        const unknown = Object.keys(Object(input)).find((name) => !known.includes(name))
        if (unknown === undefined) return validate(input)
        const hint = didYouMean(unknown, known) || `; it has ${known.join(', ')}`
        return { valid: false, data: undefined, errorMessage: `unknown argument "${unknown}"${hint}` }
      }
    },
  })
}
