import { Ajv, type ValidateFunction } from 'ajv'

const OPTIONS = { allErrors: true, strict: false, strictNumbers: true, verbose: true, validateSchema: false } as const

/** What checks files by a schema; to make it takes a while. The schema itself is valid, which a test shows. */
export function validatorOf(schema: object): ValidateFunction {
  return new Ajv(OPTIONS).compile(schema)
}
