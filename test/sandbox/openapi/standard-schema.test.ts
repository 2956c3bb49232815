import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { object, text } from '../../../src/contract/schema.ts'
import { standardSchema } from '../../../src/sandbox/openapi/standard-schema.ts'
import { validated } from '../../../src/sandbox/wire/validation.ts'

const ajv = new Ajv2020({
  formats: {
    date: /^\d{4}-\d{2}-\d{2}$/,
    'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
    email: /^[^\s@]+@[^\s@]+$/,
    uri: (value: string) => URL.canParse(value),
    hostname: /^[a-z0-9.-]+$/i,
    'idn-hostname': /./,
  },
})

type Format = NonNullable<NonNullable<Parameters<typeof text>[0]>['format']>

const ACCEPTED: readonly [Format, string][] = [
  ['domain', 'Solar.TEST'],
  ['domain', 'café.test'],
  ['email', 'a.b+tag@example.com'],
  ['web-url', 'HTTP://127.0.0.1:8080/x?y=1'],
  ['web-url', 'https://shop.example/thanks'],
  ['instant', '2026-01-31'],
  ['instant', '2026-01-31T12:00:00Z'],
  ['instant', '2026-01-31T12:00:00.123+02:00'],
  ['country', 'DE'],
  ['currency', 'USD'],
  ['visible', 'a b~'],
  ['plain', 'Zoë 🌱 & Söhne'],
  ['plain', ' a '],
]

const REFUSED: readonly [Format, string][] = [
  ['email', 'nobody'],
  ['web-url', 'ftp://shop.example/'],
  ['instant', 'yesterday'],
  ['country', 'de'],
  ['country', 'ZZ'],
  ['country', 'DEU'],
  ['currency', 'US'],
  ['visible', 'a\nb'],
  ['plain', 'a\u0000b'],
  ['plain', 'a\r\nb'],
  ['plain', 'a\u0085b'],
  ['plain', 'a\u2028b'],
  ['plain', ' \u00a0 '],
]

function fits(format: Format, value: string): boolean {
  return ajv.validate(standardSchema(text({ format }).json, 'request') as object, value)
}

describe('a format in standard terms', () => {
  it.each(ACCEPTED)('%s lets %j through, as the sandbox does', (format, value) => {
    expect(validated(object({ it: text({ format }) }), { it: value }, 'body')).toEqual({ it: value })
    expect(fits(format, value)).toBe(true)
  })

  it.each(REFUSED)('%s refuses %j, as the sandbox does', (format, value) => {
    expect(() => validated(object({ it: text({ format }) }), { it: value }, 'body')).toThrow('it must')
    expect(fits(format, value)).toBe(false)
  })

  it('leaves a field that is called format alone', () => {
    const schema = object({ format: text({ format: 'country' }) }).json
    expect(standardSchema(schema, 'answer')).toMatchObject({
      properties: { format: { description: 'ISO 3166-1 alpha-2.' } },
    })
  })

  it('is narrower for what the sandbox sends', () => {
    const sent = standardSchema(text({ format: 'instant' }).json, 'answer') as object
    expect(ajv.validate(sent, '2026-01-31T12:00:00.123Z')).toBe(true)
    expect(ajv.validate(sent, '2026-01-31T12:00:00Z')).toBe(false)
  })

  it('is refused where nobody outside would know it', () => {
    expect(() => standardSchema({ type: 'string', format: 'shoe-size' }, 'request')).toThrow('shoe-size')
  })
})
