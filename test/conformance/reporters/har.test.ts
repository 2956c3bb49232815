import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import type { RunEntry } from '../../../src/conformance/reports/har.ts'
import type { RedactedExchange, RunResult } from '../../../src/conformance/result/result.ts'
import { REPORTERS } from './rendering.ts'
import { INVOCATION, knownRun, sampleRun, voidRun } from './sample-run.ts'

const plain = { color: false, invocation: INVOCATION }

const object = (properties: Record<string, unknown>, optional: string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
  // The format leaves members that begin with an underscore to whoever writes it.
  patternProperties: { '^_': {} },
})
const text = { type: 'string' }
const size = { type: 'integer', minimum: -1 }
const listOf = (items: unknown) => ({ type: 'array', items })
const named = object({ name: text, value: text, comment: text }, ['comment'])

const message = { httpVersion: text, cookies: listOf(named), headers: listOf(named), headersSize: size, bodySize: size }

const request = object(
  {
    ...message,
    method: text,
    url: { type: 'string', pattern: '^https?://' },
    queryString: listOf(named),
    postData: object({ mimeType: text, params: listOf(named), text }),
  },
  ['postData'],
)

const response = object({
  ...message,
  status: { type: 'integer', minimum: 0 },
  statusText: text,
  redirectURL: text,
  content: object({ size: { type: 'integer', minimum: 0 }, mimeType: text, text }),
})

const ms = { type: 'number', minimum: 0 }

/** HAR 1.2, as far as it is used: every member that the format demands is demanded here. */
const ARCHIVE = object({
  log: object({
    version: { const: '1.2' },
    creator: object({ name: text, version: text }),
    pages: listOf({}),
    comment: text,
    entries: listOf(
      object(
        {
          startedDateTime: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d+Z$' },
          time: ms,
          request,
          response,
          cache: object({}),
          comment: text,
          timings: object({ send: ms, wait: ms, receive: ms }),
        },
        ['comment'],
      ),
    ),
  }),
})

const isArchive = new Ajv({ strict: false }).compile(ARCHIVE)

function read(run: RunResult) {
  const archive = JSON.parse(REPORTERS.har.render(run, plain))
  expect(isArchive(archive), JSON.stringify(isArchive.errors)).toBe(true)
  return archive.log as { entries: RunEntry[] }
}

function withExchange(changes: Partial<RedactedExchange>): RunResult {
  const run = sampleRun()
  return { ...run, exchanges: [{ ...(run.exchanges[0] as RedactedExchange), ...changes }] }
}

describe('the archive', () => {
  it.each([sampleRun(), knownRun(), voidRun()])('is HAR 1.2 for a run that is $verdict', (run) => {
    expect(read(run).entries).toHaveLength(run.exchanges.length)
  })

  it('says which scenario made an exchange, which checks it decided, and of which requirements', () => {
    const [first, second] = read(knownRun()).entries
    expect(first).toMatchObject({ _scenario: 'auth/nonce-reuse', _requirement: ['NONCE-01'], _exchange: 's1e2' })
    expect(first?._checks[0]).toMatchObject({ step: 'exact_copy', verdict: 'fail' })
    expect(second?._checks[0]).toMatchObject({ requirement: 'AUTH-13', known: { until: '2026-12-31' } })
    expect(second?._canonicalString).toMatch(/^post\n/)
  })

  it('has the body that was posted, and none where there was none', () => {
    const [first, second] = read(sampleRun()).entries
    expect(first?.request).not.toHaveProperty('postData')
    expect(second?.request.postData?.text).toBe('{"domain":"it\'s.test"}')
  })

  it('keeps a query as it was written', () => {
    const [entry] = read(withExchange({ target: '/a?q=%41+b&q=&flag&x=1=2' })).entries
    expect(entry?.request.queryString).toEqual([
      { name: 'q', value: '%41+b' },
      { name: 'q', value: '' },
      { name: 'flag', value: '' },
      { name: 'x', value: '1=2' },
    ])
    expect(entry?.request.url).toBe('http://127.0.0.1:4600/a?q=%41+b&q=&flag&x=1=2')
  })

  it('has status 0 and the reason where a connection broke', () => {
    const [entry] = read(withExchange({ status: null, broken: 'reset: closed', responseBody: '' })).entries
    expect(entry).toMatchObject({
      comment: 'reset: closed',
      response: { status: 0, bodySize: -1, _error: 'reset: closed' },
    })
  })

  it('marks what the target sent, at the address it sent it to', () => {
    const requestHeaders = [['host', '127.0.0.1:4711']] as const
    const [entry] = read(
      withExchange({ speaker: 'target', target: '/hook', requestHeaders: [...requestHeaders] }),
    ).entries
    expect(entry).toMatchObject({ _speaker: 'target', request: { url: 'http://127.0.0.1:4711/hook' } })
    expect(entry?.comment).toMatch(/^a delivery/)
  })

  it('holds no signature', () => {
    const archive = REPORTERS.har.render(sampleRun(), plain)
    expect(archive).toContain('[redacted]')
    expect(archive).not.toMatch(/v1=[0-9a-f]{8}/)
  })
})
