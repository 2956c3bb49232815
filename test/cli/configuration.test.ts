import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { configurationSchema, gapsSchema } from '../../src/cli/configuration/schema.ts'
import { type CommandSetting, readValue, settingsOf } from '../../src/cli/configuration/settings.ts'
import { buildProgram } from '../../src/cli/run-cli.ts'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { BASELINE_SCHEMA, baselineIn, baselineText } from '../../src/conformance/engine/baseline-file.ts'
import { OWN_EVENTS_SCHEMA, readOwnEvents } from '../../src/conformance/receiver/own-events.ts'
import { parseYaml } from '../../src/conformance/yaml/read-yaml.ts'
import { scenarios } from '../support/suite.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

/** A configuration file in a folder of its own. */
function written(text: string, name = 'partner-sandbox.config.yaml'): string {
  const file = join(tempFolder(), name)
  writeFileSync(file, text)
  return file
}

interface Row {
  setting: string
  value: string | number | boolean | null
  from: string
}

/** The settings of a command as --print-config shows them. */
async function printed(args: readonly string[], env: Record<string, string> = {}): Promise<Record<string, Row>> {
  const { code, out, err } = await cli([...args, '--print-config', '--json'], { env })
  expect([code, err]).toEqual([0, ''])
  return Object.fromEntries((JSON.parse(out) as Row[]).map((row) => [row.setting, row]))
}

const session = {
  out: () => undefined,
  err: () => undefined,
  outIsTerminal: false,
  errIsTerminal: false,
  columns: 80,
  env: {},
  wall: wallClock,
  program: 'partner-sandbox',
  exitWith: () => undefined,
  interrupted: () => new AbortController().signal,
}

/** Every command that can be called, with its options. */
async function everyCommand() {
  const names = (await buildProgram([], '0', session)).commands.map((command) => command.name())
  return Promise.all(
    names.map(async (name) => {
      const program = await buildProgram([name], '0', session)
      const command = program.commands.find((one) => one.name() === name)
      if (!command) throw new Error(`no command ${name}`)
      return command
    }),
  )
}

test('a flag wins over the environment, the environment over the file, the file over the default', async () => {
  const file = written(
    'serve:\n  port: 4700\n  operator_port: 4701\n  seed: of-the-file\n  frozen: true\n  operator: false\n',
  )
  const env = { PARTNER_SANDBOX_SERVE_SEED: 'of-the-environment', PARTNER_SANDBOX_SERVE_OPERATOR_PORT: '4711' }
  const settings = await printed(['serve', '--config', file, '--operator-port', '0'], env)
  expect(settings['operator_port']).toEqual({ setting: 'operator_port', value: 0, from: 'flag' })
  expect(settings['seed']).toMatchObject({
    value: 'of-the-environment',
    from: 'environment PARTNER_SANDBOX_SERVE_SEED',
  })
  expect(settings['port']).toMatchObject({ value: 4700, from: `${file}:2` })
  expect(settings['frozen']).toMatchObject({ value: true, from: `${file}:5` })
  expect(settings['operator']).toMatchObject({ value: false, from: `${file}:6` })
  expect(settings['host']).toMatchObject({ value: '127.0.0.1', from: 'default' })
  expect(settings['rate_limit']).toMatchObject({ value: '1000/10', from: 'default' })
  expect(settings['data']).toMatchObject({ value: null, from: 'not set' })
})

test('shows a value as it is written, wherever that is', async () => {
  const file = written('serve:\n  clock: 2026-03-01T00:00:00Z\n  rate_limit: 50/5\n')
  const given = { clock: '2026-03-01T00:00:00Z', rate_limit: '50/5' }
  const flags = ['--clock', given.clock, '--rate-limit', given.rate_limit]
  const env = {
    PARTNER_SANDBOX_SERVE_CLOCK: given.clock,
    PARTNER_SANDBOX_SERVE_RATE_LIMIT: given.rate_limit,
  }
  for (const shown of [
    await printed(['serve', '--config', file]),
    await printed(['serve'], env),
    await printed(['serve', ...flags]),
  ]) {
    expect([shown['clock']?.value, shown['rate_limit']?.value]).toEqual([given.clock, given.rate_limit])
  }
})

test('an error about an option that was not typed says where its value is', async () => {
  const file = written('conform:\n  target: no-such-file.yaml\n')
  const ofFile = await cli(['conform', '--config', file])
  expect([ofFile.code, ofFile.err]).toEqual([
    4,
    `error: --target no-such-file.yaml: no such file (--target: ${file}:2)\n`,
  ])
  const ofVariable = await cli(['conform', '--self'], { env: { PARTNER_SANDBOX_CONFORM_PROFILE: 'cor' } })
  expect(ofVariable.err).toMatch(/did you mean "core"\? \(--profile: environment PARTNER_SANDBOX_CONFORM_PROFILE\)\n$/)
  const typed = await cli(['conform', '--target', 'no-such-file.yaml'])
  expect(typed.err).toBe('error: --target no-such-file.yaml: no such file\n')
})

test('every option of every command can be set by file and by environment, under the same rule', async () => {
  const seen: string[] = []
  const lists: string[] = []
  for (const outer of await everyCommand()) {
    for (const command of [outer, ...outer.commands]) {
      const path = command === outer ? [outer.name()] : [outer.name(), command.name()]
      const settings = settingsOf(command)
      if (settings.length === 0) continue
      const given = new Map(
        settings.map((setting) => [setting.key, setting.kind === 'flag' ? true : sampleFor(setting)]),
      )
      const section = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), Object.fromEntries(given))
      const byFile = await rowsOf([...path, '--config', written(JSON.stringify(section), 'c.json')])
      const env = settings.map(({ key, variable }) => [variable, String(given.get(key))])
      const byVariable = await rowsOf(path, Object.fromEntries(env))
      for (const { key, kind, variable } of settings) {
        const [ofFile, ofVariable] = [byFile(key), byVariable(key)]
        expect([ofFile.from, ofVariable.from]).toEqual([expect.stringMatching(/c\.json:1$/), `environment ${variable}`])
        expect(ofFile.value, `${path.join(' ')} ${key}`).toBe(ofVariable.value)
        if (kind === 'list') lists.push(`${path.join(' ')} ${key}`)
        seen.push(variable)
      }
    }
  }
  expect(seen.length).toBeGreaterThan(250)
  expect(lists).toContain('conform reporter')
  expect(lists).toContain('sign header')
  expect(lists).not.toContain('order list limit')
})

/** The settings as the table shows them, so that --json can be one of them. */
async function rowsOf(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<(key: string) => Omit<Row, 'setting'>> {
  const { out, err } = await cli([...args, '--print-config'], { env })
  expect(err).toBe('')
  return (key) => {
    const [, value = '', from = ''] = new RegExp(`^${key} +(.+?)  +(.+?)\\s*$`, 'm').exec(out) ?? []
    return { value, from }
  }
}

const SAMPLES = ['5', '0.5', '500', '10m', 'http://127.0.0.1:9', '2026-01-31T12:00:00Z', '10/1', 'orders=1', 'drift']

/** A value that the reader of an option takes. */
function sampleFor(setting: CommandSetting): string {
  const found = [...(setting.option.argChoices ?? []), ...SAMPLES].find((text) => {
    try {
      readValue(setting, text)
      return true
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error(`no sample fits ${setting.option.flags}`)
  return found
}

describe('a wrong file is refused with the line', () => {
  const wrong: readonly [why: string, text: string, says: string][] = [
    ['a member that no command has', 'serv:\n  port: 1\n', ':1:1 unknown member "serv"; did you mean "serve"?'],
    [
      'a setting that the command does not have',
      'serve:\n  prot: 1\n',
      ':2:3 unknown member "prot"; did you mean "port"?',
    ],
    [
      'a name in another style',
      'serve:\n  operatorPort: 1\n',
      ':2:3 unknown member "operatorPort"; did you mean "operator_port"?',
    ],
    [
      'a value out of range',
      'serve:\n  seed: a\n  port: 70000\n',
      ':3:3 port: It must be a whole number from 0 to 65535.',
    ],
    ['a text for a flag', 'serve:\n  frozen: perhaps\n', ':2:3 frozen: It must be true or false.'],
    ['a list for a single value', 'serve:\n  port: [1, 2]\n', ':2:3 port: It must be one value.'],
    ['an object for a value', 'serve:\n  port: { a: 1 }\n', ':2:3 port: It must be a text or a number.'],
    ['a value for a section', 'serve: 4600\n', ':1:1 must be an object of settings'],
    ['two documents', '---\nserve: {}\n---\nserve: {}\n', ':3:1 a second YAML document; a file has one'],
  ]
  test.each(wrong)('%s', async (_why, text, says) => {
    const file = written(text)
    expect(await cli(['serve', '--config', file, '--print-config'])).toEqual({
      code: 4,
      out: '',
      err: `${file}${says}\n`,
    })
  })

  test('YAML that cannot be parsed', async () => {
    const file = written('serve: [\n')
    const { code, err } = await cli(['serve', '--config', file, '--print-config'])
    expect([code, err]).toEqual([4, expect.stringMatching(/partner-sandbox\.config\.yaml:\d+:\d+ /)])
  })

  test('all problems at once', async () => {
    const file = written('serve:\n  prot: 1\n  port: x\n')
    const { err } = await cli(['serve', '--config', file, '--print-config'])
    expect(err.trim().split('\n')).toHaveLength(2)
  })

  test('a file that is not there', async () => {
    const { err } = await cli(['serve', '--config', '/nowhere.yaml', '--print-config'])
    expect(err).toBe('error: --config /nowhere.yaml: no such file\n')
    const named = await cli(['serve', '--print-config'], { env: { PARTNER_SANDBOX_CONFIG: '/nowhere.yaml' } })
    expect(named.err).toBe('error: PARTNER_SANDBOX_CONFIG /nowhere.yaml: no such file\n')
  })
})

test('a wrong variable is refused by its name', async () => {
  const of = async (env: Record<string, string>) => (await cli(['serve', '--print-config'], { env })).err
  expect(await of({ PARTNER_SANDBOX_SERVE_PORT: 'x' })).toBe(
    'error: PARTNER_SANDBOX_SERVE_PORT: It must be a whole number from 0 to 65535.\n',
  )
  expect(await of({ PARTNER_SANDBOX_SERVE_FROZEN: 'yes' })).toBe(
    'error: PARTNER_SANDBOX_SERVE_FROZEN: It must be true or false.\n',
  )
  expect(await of({ PARTNER_SANDBOX_SERVE_PROT: '1' })).toBe(
    'error: PARTNER_SANDBOX_SERVE_PROT: no setting of serve; did you mean "PARTNER_SANDBOX_SERVE_PORT"?\n',
  )
  expect(await of({ PARTNER_SANDBOX_SERVE_PORT: '' })).toBe('')
})

test('settings of other commands in the file do not matter to this one', async () => {
  const file = written('conform:\n  mode: write\norder:\n  list:\n    limit: 3\nsandbox: http://127.0.0.1:9\n')
  const { err } = await cli(['order', 'list', '--config', file])
  expect(err).toContain('no sandbox answers at http://127.0.0.1:9')
  const { limit, sandbox } = await printed(['order', 'list', '--config', file])
  expect([limit, sandbox].map((row) => [row?.value, row?.from])).toEqual([
    [3, `${file}:5`],
    ['http://127.0.0.1:9', `${file}:6`],
  ])
})

test('an option that may be given more than once takes a list, and a flag replaces all of it', async () => {
  const file = written('conform:\n  reporter: [pretty, junit=out.xml]\n  only:\n    - auth/*\n    - replay/*\n')
  const settings = await printed(['conform', '--config', file, '--only', 'money/*'])
  expect(settings['reporter']?.value).toBe('["pretty","junit=out.xml"]')
  expect(settings['only']).toMatchObject({ value: '["money/*"]', from: 'flag' })
  const byVariable = await printed(['conform'], { PARTNER_SANDBOX_CONFORM_ONLY: 'auth/*,replay/*' })
  expect(byVariable['only']?.value).toBe('["auth/*","replay/*"]')
})

test('a target that is typed replaces the one of the file', async () => {
  const file = written('conform:\n  target: staging.yaml\n')
  expect((await printed(['conform', '--config', file]))['target']?.value).toBe('staging.yaml')
  for (const typed of [['--self'], ['http://127.0.0.1:9', '--key-id', 'pk_test_1']])
    expect((await printed(['conform', ...typed, '--config', file]))['target']?.value).toBeNull()
})

test('a URL replaces the target of the file wherever it stands, and one that is the value of a flag does not', async () => {
  const file = written('conform:\n  self: true\n')
  const selfAfter = async (...words: string[]) =>
    (await printed(['conform', '--config', file, ...words]))['self']?.value
  expect(await selfAfter('--verbose', 'http://127.0.0.1:9')).toBeNull()
  expect(await selfAfter('--mode', 'read', 'http://127.0.0.1:9')).toBeNull()
  expect(await selfAfter('--profile', 'core', 'http://127.0.0.1:9')).toBe(true)
  expect(await selfAfter('--operator-url', 'http://127.0.0.1:9')).toBe(true)
  const { err } = await cli(['conform', '--config', file, '--dry-run', 'http://127.0.0.1:9'])
  expect(err).toContain('--key-id is missing')
})

test('a required option may come from the file', async () => {
  const file = written('receiver:\n  secret_env: HOOK_SECRET\n')
  const { err } = await cli(['receiver', 'http://127.0.0.1:9/hooks', '--config', file])
  expect(err).toBe('error: --secret-env: the environment has no HOOK_SECRET, or it is empty\n')
})

test('a token is never printed', async () => {
  const { out } = await cli(['serve', '--print-config', '--operator-token', 'hidden-token'])
  expect(out).not.toContain('hidden-token')
  expect(out).toMatch(/^operator_token +\[secret\] +flag$/m)
})

test('a file of the current folder is found; two of them are refused', async () => {
  const folder = tempFolder()
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  writeFileSync('partner-sandbox.config.json', '{"serve": {"seed": "of-json"}}')
  expect((await printed(['serve']))['seed']).toMatchObject({ value: 'of-json', from: 'partner-sandbox.config.json:1' })
  writeFileSync('partner-sandbox.config.yaml', 'serve: {}\n')
  expect((await cli(['serve', '--print-config'])).err).toBe(
    'error: partner-sandbox.config.yaml and partner-sandbox.config.json are both here: keep one of them, or name it with --config\n',
  )
})

test('the schema takes what the program takes, and refuses what it refuses', async () => {
  const validate = new Ajv({ strict: false }).compile(configurationSchema(await everyCommand()))
  const right = {
    serve: { port: 4700, frozen: true },
    conform: { only: ['auth/*'], bail: true },
    order: { list: { limit: 3 } },
  }
  expect([validate(right), validate.errors]).toEqual([true, null])
  for (const wrong of [
    { serv: {} },
    { serve: { prot: 1 } },
    { serve: { frozen: 'yes' } },
    { conform: { mode: 'all' } },
  ])
    expect(validate(wrong)).toBe(false)
})

test('the schemas that editors read are those of the program', async () => {
  const read = (name: string) => JSON.parse(readFileSync(`scenarios/${name}.schema.json`, 'utf8'))
  expect(read('config'), 'run npm run build && node docs/generate.mjs').toEqual(
    JSON.parse(JSON.stringify(configurationSchema(await everyCommand()))),
  )
  expect(read('gaps')).toEqual(gapsSchema())
  expect(read('baseline')).toEqual(BASELINE_SCHEMA)
  expect(read('events')).toEqual(OWN_EVENTS_SCHEMA)
})

const KNOWN = { requirement: 'AUTH-01', reason: 'PAY-204', until: '2026-09-30' }
const CHECK = { check: 'auth/sound-read/read', fingerprint: '401' }

test.each([
  ['an entry of a requirement', [KNOWN], true],
  ['an entry of a check with its fingerprint', [{ ...KNOWN, ...CHECK }], true],
  ['a check without a fingerprint', [{ ...KNOWN, check: CHECK.check }], false],
  ['no reason', [{ ...KNOWN, reason: ' ' }], false],
  ['no day', [{ ...KNOWN, until: 'soon' }], false],
  ['an unknown key', [{ ...KNOWN, owner: 'me' }], false],
  ['one entry without a list', KNOWN, false],
])('the schema of baselines judges %s as the program does', (_what, entries, isRight) => {
  const { problems } = baselineIn(parseYaml(JSON.stringify(entries), 'baseline.yaml'), scenarios)
  const shape = problems.filter(({ message }) => !/^(?:no such check|no scenario checks)|judges/.test(message))
  expect([shape.length === 0, new Ajv().validate(BASELINE_SCHEMA, entries)]).toEqual([isRight, isRight])
})

test('a baseline that the program wrote with a reason and a day fits its schema', () => {
  const { data } = parseYaml(baselineText([{ ...KNOWN, ...CHECK }]), 'baseline.yaml')
  expect(new Ajv().validate(BASELINE_SCHEMA, data)).toBe(true)
})

const ORDER = { public_id: 'ord_1', domain: 'a.test', status: 'ANY', currency: 'USD', sale_price_cents: 100 }
const EVENT = { type: 'order.recorded', data: { order: ORDER } }

test.each([
  ['a list of events', [EVENT], true],
  ['an answer of the history', { events: [{ id: 'evt_1', created_at: '2026-01-01T00:00:00Z', ...EVENT }] }, true],
  ['an event of another kind', [{ type: 'brokerage.case_completed', data: {} }], true],
  ['an empty list', [], false],
  ['an unknown type', [{ ...EVENT, type: 'order.eaten' }], false],
  ['an order without a price', [{ ...EVENT, data: { order: { ...ORDER, sale_price_cents: 1.5 } } }], false],
  ['the id of something else', [{ ...EVENT, id: 'ord_1' }], false],
  ['no data', [{ type: 'brokerage.case_completed' }], false],
])('the schema of event files judges %s as the program does', (_what, json, isRight) => {
  const { problems } = readOwnEvents(json)
  expect([problems.length === 0, new Ajv({ strict: false }).validate(OWN_EVENTS_SCHEMA, json)]).toEqual([
    isRight,
    isRight,
  ])
})
