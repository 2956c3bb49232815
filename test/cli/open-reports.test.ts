import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openReports, prepareReports, wantedReports } from '../../src/cli/run/reports.ts'
import type { Session } from '../../src/cli/session.ts'
import type { Progress } from '../../src/conformance/engine/run-options.ts'
import { readLog } from '../../src/conformance/log/lines.ts'
import { REPORTERS } from '../conformance/reporters/rendering.ts'
import { greenRun, INVOCATION } from '../conformance/reporters/sample-run.ts'
import { tempFolder } from '../support/temp-folder.ts'

const words = { color: true, invocation: INVOCATION, keepsNothing: true }
const folder = () => tempFolder()

/** What a run tells that is over after its only scenario. */
function story(): Progress[] {
  const { tool, target, identity, profile, plan, startedAt, requirements, scenarios } = greenRun()
  const outlines = scenarios.map(({ id, title, file, checks }) => ({ id, title, file, selected: true, checks }))
  const [result] = scenarios
  if (!result) throw new Error('the sample has no scenario')
  return [
    { kind: 'planned', tool, target, identity, profile, plan, startedAt, requirements, scenarios: outlines },
    { kind: 'scenario-started', id: result.id, title: result.title },
    { kind: 'scenario-finished', result, provisional: false, observations: [], created: [] },
  ]
}

async function begin(...values: string[]) {
  let out = ''
  const session = { out: (text: string) => (out += text), env: { FORCE_COLOR: '1' } } as unknown as Session
  const reports = wantedReports({ reporter: values })
  prepareReports(reports)
  return { writing: await openReports(reports, words, session), out: () => out }
}

describe('the reports of a run that goes on', () => {
  it('has the log in its file line by line, and the others at the end', async () => {
    const [log, json] = [join(folder(), 'run.ndjson'), join(folder(), 'run.json')]
    const { writing } = await begin(`ndjson=${log}`, `json=${json}`)
    const lengths = story().map((step) => {
      writing.show(step)
      return readFileSync(log, 'utf8').split('\n').length - 1
    })
    expect(lengths).toEqual([1, 1, 2])
    expect(readLog(readFileSync(log, 'utf8'))).toMatchObject({ complete: false, surroundings: { keepsNothing: true } })
    expect(readFileSync(json, 'utf8')).toBe('')
    writing.end(greenRun())
    expect(readFileSync(log, 'utf8')).toBe(REPORTERS.ndjson.render(greenRun(), words))
    expect(readFileSync(json, 'utf8')).toBe(REPORTERS.json.render(greenRun(), words))
    expect(existsSync(`${log}.new`)).toBe(false)
  })

  it('has all others at the end where one cannot be written, and the error after them', async () => {
    const [log, json] = [join(folder(), 'run.ndjson'), join(folder(), 'run.json')]
    const { writing, out } = await begin(`ndjson=${log}`, `json=${json}`, 'pretty')
    rmSync(log)
    mkdirSync(log)
    for (const step of story()) writing.show(step)
    expect(() => writing.end(greenRun())).toThrow(`--reporter: cannot write ${log} (EISDIR)`)
    expect(readFileSync(json, 'utf8')).toBe(REPORTERS.json.render(greenRun(), words))
    expect(out()).toContain('Verdict')
  })

  it('has the log whole where there is room for it again at the end', async () => {
    const log = join(folder(), 'run.ndjson')
    const { writing } = await begin(`ndjson=${log}`)
    rmSync(log)
    mkdirSync(log)
    for (const step of story()) writing.show(step)
    rmdirSync(log)
    writing.end(greenRun())
    expect(readFileSync(log, 'utf8')).toBe(REPORTERS.ndjson.render(greenRun(), words))
  })

  it('has the log on standard output as it goes', async () => {
    const { writing, out } = await begin('ndjson')
    for (const step of story()) writing.show(step)
    expect(out().split('\n')).toHaveLength(3)
    writing.end(greenRun())
    expect(readLog(out())).toMatchObject({ complete: true, result: greenRun() })
  })

  it('leaves a link where it is, and writes into what it leads to', async () => {
    const [file, link] = [join(folder(), 'real.ndjson'), join(folder(), 'link.ndjson')]
    writeFileSync(file, 'of yesterday')
    symlinkSync(file, link)
    const { writing } = await begin(`ndjson=${link}`)
    for (const step of story()) writing.show(step)
    writing.end(greenRun())
    expect(readLog(readFileSync(file, 'utf8')).result).toEqual(greenRun())
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(file, 'utf8'))
  })

  it('asks for every call only where a report shows them', async () => {
    const [a, b] = [join(folder(), 'a'), join(folder(), 'b')]
    expect((await begin('json', `junit=${a}`)).writing.everyExchange).toBe(false)
    expect((await begin('json', `ndjson=${b}`)).writing.everyExchange).toBe(true)
  })

  it('colors what is on standard output, and no file', async () => {
    const file = join(folder(), 'pretty.txt')
    const { writing, out } = await begin('pretty', `markdown=${file}`)
    writing.end(greenRun())
    expect(out()).toContain('\u001b[')
    expect(readFileSync(file, 'utf8')).not.toContain('\u001b[')
  })
})
