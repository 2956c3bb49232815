import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repoFiles, repoRoot } from './repo.ts'

/** Spelled in pieces, so that this file does not find itself. */
const TRACES: readonly [what: string, pattern: RegExp][] = [
  [
    'a path of somebody’s machine',
    new RegExp(String.raw`(?<![\w.~$})])/(?:${['wo', 'ro', 'ho'].join('|')})(?:rk|ot|me)/[\w.@-]`),
  ],
  ['a temporary path of somebody’s shell', new RegExp(`/tmp/${'bash'}`)],
  ['a package registry', new RegExp(String.raw`\b(?:registry|npm)\.${'(?:npmjs|npmmirror|yarnpkg)'}\.\w+`)],
  ['a package mirror', /https?:\/\/[^/\s"']*\b(?:registry|mirror|artifactory|nexus|verdaccio)\b/],
  ['a download address in the lock file', new RegExp(`"${'resolved'}": "http`)],
]

/** The registry in use right here, whatever it is called: npm tells it to the scripts it runs. */
function registryInUse(): readonly [string, RegExp][] {
  const address = process.env.npm_config_registry
  if (!address) return []
  const { host } = new URL(address)
  if (host === 'localhost' || host === '127.0.0.1') return []
  return [['the package registry in use', new RegExp(host.replaceAll('.', String.raw`\.`))]]
}

const SOUGHT = [...TRACES, ...registryInUse()]

function tracesIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = SOUGHT.filter(([, pattern]) => pattern.test(line))
    return found.map(([what]) => `${index + 1}: ${what}: ${line.trim().slice(0, 100)}`)
  })
}

const isText = (bytes: Buffer) => !bytes.subarray(0, 8000).includes(0)
const committed = repoFiles().map((file) => ({ file, bytes: readFileSync(join(repoRoot, file)) }))

describe('committed files', () => {
  it('name no registry, no mirror and no path of a machine', () => {
    expect(committed.map(({ file }) => file)).toContain('package-lock.json')
    const traces = committed.flatMap(({ file, bytes }) =>
      isText(bytes) ? tracesIn(bytes.toString('utf8')).map((trace) => `${file}:${trace}`) : [],
    )
    expect(traces).toEqual([])
  })

  it('are text, but for the pictures of the docs', () => {
    const isPicture = (file: string) => /^docs\/pictures\/[\w-]+\.png$/.test(file)
    const binary = committed.filter(({ bytes }) => !isText(bytes)).map(({ file }) => file)
    expect(binary.filter(isPicture).length).toBeGreaterThan(0)
    expect(binary.filter((file) => !isPicture(file))).toEqual([])
  })

  it('silence no house rule', () => {
    const houseRules = /biome-ignore\S* lint\/(?:plugin|\w+\/(?:noRestricted|noExcessive|noConsole|noBarrel))/
    const files = repoFiles('src', 'test', 'bin', 'bench').filter((file) => /\.(?:ts|tsx|js|mjs)$/.test(file))
    const silenced = files.filter((file) => houseRules.test(readFileSync(join(repoRoot, file), 'utf8')))
    expect(silenced).toEqual([])
  })
})

describe('the search for traces', () => {
  it.each([
    ['a path of somebody’s machine', `see /${'work'}/main/src`],
    ['a path of somebody’s machine', `cat "/${'root'}/.npmrc"`],
    ['a path of somebody’s machine', `open(/${'home'}/someone/x)`],
    ['a temporary path of somebody’s shell', `cat /tmp/${'bash'}_jobs.0/stdout`],
    ['a package registry', `npm i --registry https://${'registry'}.${'npmjs'}.org/`],
    ['a package mirror', `http://our-${'mirror'}.example:8080/npm`],
    ['a download address in the lock file', `  "${'resolved'}": "https://example.test/a.tgz",`],
  ])('finds %s', (what, line) => {
    expect(tracesIn(line).join()).toContain(what)
  })

  it.each(['https://shop.example/work/5', 'GET /api/partner/v1/network/5', '${base}/home/x', './root/file'])(
    'leaves %s alone',
    (line) => {
      expect(tracesIn(line)).toEqual([])
    },
  )
})
