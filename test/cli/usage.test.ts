import { describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/index.ts'
import { cli } from './run.ts'

const WRONG: readonly (readonly [args: string[], message: string])[] = [
  [['order', 'sell'], 'error: unknown command "sell"; see partner-sandbox order --help\n'],
  [['settlement'], 'error: unknown command "settlement"; did you mean "settle"? See partner-sandbox --help\n'],
  [
    ['scenario', 'new', 'foo'],
    'error: "foo" is not a requirement; "partner-sandbox scenario list --coverage" lists them\n',
  ],
  [['--world', 'ci', 'clock', 'show'], 'error: unknown option "--world"; see partner-sandbox --help\n'],
  [
    ['order', 'list', '--hepl'],
    'error: unknown option "--hepl"; did you mean "--help"? See partner-sandbox order list --help\n',
  ],
  [["it's not one"], 'error: unknown command "it\'s not one"; see partner-sandbox --help\n'],
  [['webhook', '--help'], 'error: unknown command "webhook"; see partner-sandbox --help\n'],
  [['help', 'webhook'], 'error: unknown command "webhook"; see partner-sandbox --help\n'],
  [
    ['order', 'refnd', '--help'],
    'error: unknown command "refnd"; did you mean "refund"? See partner-sandbox order --help\n',
  ],
  [['clok'], 'error: unknown command "clok"; did you mean "clock"? See partner-sandbox --help\n'],
  [
    ['serve', '--prot', '1'],
    'error: unknown option "--prot"; did you mean "--port"? See partner-sandbox serve --help\n',
  ],
  [
    ['serve', '--port', '70000'],
    "error: option '--port <n>' argument '70000' is invalid. It must be a whole number from 0 to 65535; see partner-sandbox serve --help\n",
  ],
  [
    ['serve', '--clock', 'yesterday'],
    "error: option '--clock <iso>' argument 'yesterday' is invalid. It must be ISO 8601 from 1970 on: a date, or a time with its zone, e.g. 2026-01-31T12:00:00Z; see partner-sandbox serve --help\n",
  ],
  [
    ['serve', '--rate-limit', '10'],
    "error: option '--rate-limit <calls/seconds>' argument '10' is invalid. It must be CALLS/SECONDS, e.g. 1000/10, or off; see partner-sandbox serve --help\n",
  ],
  [['clock', 'advance'], 'error: say how far: a duration such as 10m30s, or --to INSTANT, or --until next|idle\n'],
  [
    ['clock', 'advance', '1h', '--until', 'next'],
    'error: a duration, --to and --until exclude each other: give one of them\n',
  ],
  [['clock', 'advance', '10'], 'error: "10" has no unit; write 10s, 10m or 10h\n'],
  [
    ['world', 'create', 'a', '--settle-every', '10'],
    "error: option '--settle-every <duration>' argument '10' is invalid. It has no unit; write 10s, 10m or 10h; see partner-sandbox world create --help\n",
  ],
  [
    ['clock', 'advance', 'soon'],
    'error: "soon" is not a duration of more than zero in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S\n',
  ],
  [
    ['clock', 'advance', '--until', 'lunch'],
    "error: option '--until <what>' argument 'lunch' is invalid. It must be one of next, idle; see partner-sandbox clock advance --help\n",
  ],
  [
    ['clock', 'set', '2026-02-30'],
    'error: the time must be ISO 8601 with a zone, e.g. 2026-01-31T12:00:00Z, not "2026-02-30"\n',
  ],
  [
    ['order', 'list', '--status', 'LOST'],
    "error: option '--status <state>' argument 'LOST' is invalid. It must be one of EXTERNALLY_PAID, TRANSFER_IN_PROGRESS, TRANSFER_COMPLETED, SETTLED, MANUAL_REVIEW, REFUNDED, CANCELLED; see partner-sandbox order list --help\n",
  ],
  [
    ['order', 'refnd', 'ord_1'],
    'error: unknown command "refnd"; did you mean "refund"? See partner-sandbox order --help\n',
  ],
  [['domain', 'set', 'a.test'], 'error: say what to change: --price-cents, --floor-cents, --listed or --unlisted\n'],
  [['domain', 'set', 'a.test', '--listed', '--unlisted'], 'error: --listed and --unlisted exclude each other\n'],
  [['domain', 'add', 'a.test'], 'error: --price-cents: required\n'],
  [
    ['world', 'create', 'a', '--clock', 'now'],
    // As serve --clock, which is read in the same way.
    "error: option '--clock <iso>' argument 'now' is invalid. It must be ISO 8601 from 1970 on: a date, or a time with its zone, e.g. 2026-01-31T12:00:00Z; see partner-sandbox world create --help\n",
  ],
  [
    ['world', 'create', 'a', '--commission-brokerage', '10001'],
    "error: option '--commission-brokerage <bp>' argument '10001' is invalid. It must be a whole number from 0 to 10000; see partner-sandbox world create --help\n",
  ],
  [
    ['world', 'create', 'a', '--settle-every', '0s'],
    "error: option '--settle-every <duration>' argument '0s' is invalid. It is not a duration of more than zero in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S; see partner-sandbox world create --help\n",
  ],
  [
    ['world', 'progress', 'a', '--manual', '--start-after', '1s'],
    'error: --manual takes no duration: it turns automatic steps off\n',
  ],
  [['world', 'progress', 'a', '--world', 'b'], 'error: name one world: the argument says "a", --world says "b"\n'],
  [['world', 'list', '--world', 'a'], 'error: unknown option "--world"; see partner-sandbox world list --help\n'],
  [['magic', '--world', 'a'], 'error: unknown option "--world"; see partner-sandbox magic --help\n'],
  [
    ['magic', 'held-1.test'],
    "error: too many arguments for 'magic'. Expected 0 arguments but got 1; see partner-sandbox magic --help\n",
  ],
  [
    ['audit', 'default'],
    "error: too many arguments for 'audit'. Expected 0 arguments but got 1; see partner-sandbox audit --help\n",
  ],
  [
    ['brokerage', 'list', '--status', 'open'],
    "error: option '--status <state>' argument 'open' is invalid. Did you mean \"OPEN\"? See partner-sandbox brokerage list --help\n",
  ],
  [
    ['brokerage', 'negotiate', 'brk_1', '--price-cents', '5'],
    'error: unknown option "--price-cents"; see partner-sandbox brokerage negotiate --help\n',
  ],
  [
    ['brokerage', 'close-deal', 'brk_1', '--price-cents', '0'],
    "error: option '--price-cents <n>' argument '0' is invalid. It must be a whole number from 1 to 1000000000000; see partner-sandbox brokerage close-deal --help\n",
  ],
  [['checkout', 'pay'], "error: missing required argument 'id'; see partner-sandbox checkout pay --help\n"],
  [
    ['event', 'list', '--limit', '201'],
    "error: option '--limit <n>' argument '201' is invalid. It must be a whole number from 1 to 200; see partner-sandbox event list --help\n",
  ],
  [
    ['delivery', 'profile', '--duplicate', '6'],
    "error: option '--duplicate <n>' argument '6' is invalid. It must be a whole number from 0 to 5; see partner-sandbox delivery profile --help\n",
  ],
  [['delivery', 'profile', '--reset', '--drop'], 'error: --reset takes no other option: it resets all of them\n'],
  [
    ['serve', '--public-url', 'https://a.test/?x=1'],
    "error: option '--public-url <url>' argument 'https://a.test/?x=1' is invalid. It must be an http:// or https:// address without user, query and fragment, e.g. https://sandbox.example.test; see partner-sandbox serve --help\n",
  ],
  [
    ['clock', 'show', '--sandbox', 'ftp://x'],
    'error: --sandbox must be the http:// address of an operator port, not "ftp://x"\n',
  ],
  [['conform'], 'error: name a target: a URL with --key-id, or --target FILE, or --self\n'],
  [
    ['conform', 'http://127.0.0.1:1', '--self'],
    'error: "http://127.0.0.1:1" is taken as the URL; the URL, --target and --self each name a target; give one of them\n',
  ],
  [['conform', '--self', '--key-id', 'pk'], 'error: --key-id goes with a URL; --self needs none\n'],
  [['conform', 'http://127.0.0.1:1'], 'error: --key-id is missing: the key id of the credential to sign with\n'],
  [
    ['conform', 'http://127.0.0.1:1', '--key-id', 'pk_test_1'],
    'error: no secret: set PARTNER_SECRET, or name another variable with --secret-env\n',
  ],
  [
    ['conform', 'http://127.0.0.1:1', '--key-id', 'pk_test_1', '--secret-env', 'NOT_THERE'],
    'error: --secret-env: the environment has no NOT_THERE, or it is empty\n',
  ],
  [
    ['conform', '--self', '--reporter', 'xml'],
    'error: --reporter: unknown reporter "xml"; there are pretty, json, junit, ndjson, html, markdown, github, ctrf, har\n',
  ],
  [
    ['conform', '--self', '--reporter', 'juint'],
    'error: --reporter: unknown reporter "juint"; did you mean "junit"?\n',
  ],
  [
    ['conform', '--self', '--profile', 'sales'],
    'error: --profile: unknown profile "sales"; did you mean "partner-sales"?\n',
  ],
  [['conform', '--target', '/nope.yaml'], 'error: --target /nope.yaml: no such file\n'],
  [['conform', '--target', '/'], 'error: --target /: this is a folder, not a file\n'],
  [['conform', '--self', '--baseline', '/nope.yaml'], 'error: --baseline /nope.yaml: no such file\n'],
  [['scenario', 'lint', '/dev/null'], 'error: /dev/null: this is a pipe or device, not a file\n'],
  [['conform', '--self', '--scenarios', '/nope'], 'error: --scenarios /nope: no such file or folder\n'],
  [['discover', '--target', '/nope.yaml'], 'error: --target /nope.yaml: no such file\n'],
  [['conform', '--self', '--reporter', 'junit='], 'error: --reporter: junit= has no file name\n'],
  [
    ['conform', '--self', '--reporter', 'junit', '--reporter', 'json'],
    'error: --reporter: two reports would go to standard output; write NAME=FILE for one of them\n',
  ],
]

describe('a wrong command line', () => {
  it.each(WRONG)('%j ends with exit code 4 and one line that says what to do', async (args, message) => {
    expect(await cli(args)).toEqual({ code: 4, out: '', err: message })
  })

  it('shows the help of a group that is called without a command, and exits 4', async () => {
    const { code, out, err } = await cli(['clock'])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/^Usage: partner-sandbox clock /)
  })

  it('never lets an argument act on the terminal', async () => {
    const { err } = await cli(['clock', 'advance', '\u001b[2J'])
    expect(err).toBe(
      'error: "\\u001b[2J" is not a duration of more than zero in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S\n',
    )
  })

  it('names the help by the words that start the program here', async () => {
    const { err } = await cli(['order', 'list', '--hepl'], { program: 'npx partner-sandbox' })
    expect(err).toContain('See npx partner-sandbox order list --help\n')
  })
})

describe('a sandbox that does not answer', () => {
  it.each([
    [['clock', 'show']],
    [['audit']],
    [['order', 'refund', 'ord_1']],
    [['world', 'list', '--json']],
    [['request', 'list']],
  ])('%j ends with exit code 6 and says how to start one', async (args) => {
    expect(await cli([...args, '--sandbox', 'http://127.0.0.1:1'])).toEqual({
      code: 6,
      out: args.includes('--json') ? expect.stringContaining('"code":"no_answer"') : '',
      err: 'error: no sandbox answers at http://127.0.0.1:1 (nothing listens there); start one with "npx partner-sandbox serve", or name another with --sandbox\n',
    })
  })

  it('is looked for where PARTNER_SANDBOX_URL says', async () => {
    const { err } = await cli(['clock', 'show'], { env: { PARTNER_SANDBOX_URL: 'http://127.0.0.1:2' } })
    expect(err).toContain('http://127.0.0.1:2')
  })
})

describe('help', () => {
  it('lists every command, on standard output, with exit code 0', async () => {
    const { code, out, err } = await cli(['--help'])
    expect([code, err]).toEqual([0, ''])
    await expect(out).toMatchFileSnapshot('../golden/help.txt')
  })

  // Flags and descriptions of all commands stand in docs/operator-api.md, which test/house/docs.test.ts compares with them.
  it.each(['serve', 'conform', 'order', 'request', 'world'])('of %s is as the golden file has it', async (command) => {
    const { code, out } = await cli([command, '--help'])
    expect(code).toBe(0)
    await expect(out).toMatchFileSnapshot(`../golden/help-${command}.txt`)
  })

  it('prints the version', async () => {
    expect(await cli(['--version'])).toEqual({ code: 0, out: '0.0.0-test\n', err: '' })
  })
})

describe('with --json an error is an object on standard output, with a code, and its line on standard error as usual', () => {
  it.each([
    [['order', 'list', '--json', '--limit', 'x'], 4, 'usage'],
    [['order', 'list', '--json', '--nope'], 4, 'usage'],
    [['order', 'list', '--json', '--sandbox', 'http://127.0.0.1:9'], 6, 'no_answer'],
    [
      ['clock', 'advance', '10m', '--to', '2030-01-01T00:00:00Z', '--json', '--sandbox', 'http://127.0.0.1:9'],
      4,
      'how_far_twice',
    ],
    [['discover', '--json', '--target', 'no-such-file.yaml'], 4, 'usage'],
  ])('%j: exit code %i, %s', async (args, exitCode, expected) => {
    const { code, out, err } = await cli(args)
    expect([code, JSON.parse(out)]).toEqual([exitCode, { error: { code: expected, message: expect.any(String) } }])
    expect(err).toMatch(/^error: \S/)
  })

  it('a refusal of the sandbox has the code of its answer', async () => {
    await using sandbox = await startSandbox()
    const at = ['--json', '--sandbox', sandbox.operatorUrl]
    const codeOf = async (...args: string[]) => JSON.parse((await cli([...args, ...at])).out).error.code
    expect(await codeOf('order', 'show', 'ord_0000000000000000')).toBe('no_order')
    expect(await codeOf('world', 'create', 'default')).toBe('world_name_taken')
    expect(await codeOf('order', 'list', '--cursor', 'nowhere')).toBe('validation_error')
  })

  it('without --json nothing is on standard output', async () => {
    const { out } = await cli(['order', 'list', '--sandbox', 'http://127.0.0.1:9'])
    expect(out).toBe('')
  })
})
