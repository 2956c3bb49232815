import { describe, expect, it } from 'vitest'
import { escapeMarkdown, markdownCode } from '../../../src/conformance/reports/escape.ts'
import { questionsOf } from '../../../src/conformance/reports/open-points.ts'
import type { Observation, RequirementResult, RunResult } from '../../../src/conformance/result/result.ts'
import { HOSTILE, runOfTexts, sampleRun } from './sample-run.ts'

const open = (id: string, text: string): RequirementResult => ({
  id,
  text,
  level: 'open',
  section: 'Errors',
  status: 'not_exercised',
  checks: 0,
})

/** The sample, with three open points, of which it saw what is given. */
function runThatSaw(...observations: Observation[]): RunResult {
  const run = sampleRun()
  const rows = [open('AUTH-17', 'Which status it is.'), open('AUTH-18', 'Which order.'), open('AUTH-20', 'How long.')]
  return { ...run, requirements: [...run.requirements, ...rows], observations }
}

const saw = (gap: string, value: unknown, scenario = 'auth/order'): Observation => ({ gap, value, scenario })

const CONFLICTS = [{ requirement: 'TIME-02', tolerates: ['invalid_signature'], why: 'The table says so.' }]

describe('the list of open points', () => {
  it('has the answers of one target', () => {
    const text = questionsOf([runThatSaw(saw('AUTH-17/stale', 401), saw('AUTH-18', 'accepted'))])
    expect(text).toContain('### AUTH-17\n\nWhich status it is. (under “Errors”)\n\n- stale: `401`, in `auth/order`\n')
    expect(text).toContain('### AUTH-18\n\nWhich order. (under “Errors”)\n\n- `accepted`, in `auth/order`\n')
    expect(text).toContain('The document leaves 3 points open')
  })

  it('has what targets differ in first, and what nothing was seen of last, with why', () => {
    const first = runThatSaw(saw('AUTH-18', 'accepted'), saw('AUTH-17/stale', 401))
    const second = runThatSaw(saw('AUTH-18', 'accepted'), saw('AUTH-17/stale', 400))
    const text = questionsOf([first, second], CONFLICTS)
    expect(text.match(/^## .*$/gm)).toEqual([
      '## Different answers (1)',
      '## Same answer (1)',
      '## Contradictions in the document (1)',
      '## Not observed (1)',
    ])
    expect(text).toContain('- stale:\n  - `401` by target 1, in `auth/order`\n  - `400` by target 2, in `auth/order`\n')
    expect(text).toContain('- `accepted` by all, in `auth/order`')
    expect(text).toContain('- **AUTH-20** (under “Errors”): How long. *no scenario of the run observes it*')
  })

  it('says of a target that nothing was seen of it', () => {
    const text = questionsOf([runThatSaw(saw('AUTH-17', 401)), runThatSaw()])
    expect(text).toContain('- `401` by target 1, in `auth/order`\n- not seen: target 2\n')
  })

  it('gives the reason why nothing was seen', () => {
    const run = runThatSaw()
    const check = { step: 's', requirement: 'AUTH-20', verdict: 'not_run' as const, reason: 'needs-scope' as const }
    const scenario = { ...run.scenarios[0], checks: [{ ...check, expected: 'open', actual: '', exchange: null }] }
    expect(questionsOf([{ ...run, scenarios: [scenario as never] }])).toContain(
      'How long. *needs-scope: no credential with the required scope*',
    )
  })

  it('has both sentences where the document disagrees with itself, and what was seen', () => {
    const text = questionsOf([runThatSaw()], CONFLICTS)
    expect(text).toContain(
      '- another sentence allows `invalid_signature`: The table says so.\n- seen: `401 invalid_signature`\n',
    )
    expect(questionsOf([runThatSaw()])).toContain('### TIME-02')
  })

  it('lets nothing that a target said be more than text', () => {
    const payload = `${HOSTILE} [x](javascript:alert(1)) | <img src=x> \`\`\` # @somebody https://evil.example`
    const run = runOfTexts(runThatSaw(saw('AUTH-17', 'a'), saw('AUTH-18', 'b')), (was) => `${was} ${payload}`)
    const text = questionsOf([run, run], CONFLICTS)
    const outside = text.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
    expect(outside).not.toMatch(/(?<!\\)[<[\]|]|@(?!&#8203;)|https:\/\//)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })
})

describe('escapeMarkdown', () => {
  it('leaves words, codes and sentences as they read', () => {
    const text = 'A call with missing_signature_headers (401), or v1=, is refused; see "Errors" - 300 s.'
    expect(escapeMarkdown(text)).toBe(text)
  })

  it.each([
    ['# heading', '\\# heading'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['_a_ *b* `c`', '\\_a\\_ \\*b\\* \\`c\\`'],
    ['[a](b) <i> | ~~x~~ $x$', '\\[a\\](b) \\<i\\> \\| \\~\\~x\\~\\~ \\$x\\$'],
    ['by @somebody', 'by @&#8203;somebody'],
    ['https://a.test www.a.test', 'https\\://a.test www\\.a.test'],
    ['a\nb', 'a\\\\nb'],
  ])('takes the meaning out of %j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped)
  })
})

describe('markdownCode', () => {
  it.each([
    ['a', '`a`'],
    ['', '(empty)'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a ``` b', '````a ``` b````'],
    [' a ', '`  a  `'],
  ])('holds %j', (text, code) => {
    expect(markdownCode(text)).toBe(code)
  })
})
