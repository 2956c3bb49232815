import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiDocument } from '../../src/sandbox/openapi/document.ts'
import { reachedFrom } from '../support/reached-from.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

describe('openapi', () => {
  it('prints the document as JSON', async () => {
    const { code, out, err } = await cli(['openapi'])
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toEqual(plain(openApiDocument()))
  })

  it('prints the same as YAML', async () => {
    const { out } = await cli(['openapi', '--format', 'yaml'])
    expect(out).toMatch(/^openapi: 3\.1\.1\n/)
    expect(parse(out)).toEqual(plain(openApiDocument()))
  })

  it('names the server it is told', async () => {
    const { out } = await cli(['openapi', '--server', 'https://api.example.com/'])
    expect(JSON.parse(out).servers[0].url).toBe('https://api.example.com')
  })

  it('writes to a file and prints nothing then', async () => {
    const folder = tempFolder()
    const file = join(folder, 'api.json')
    expect(await cli(['openapi', '--output', file])).toEqual({ code: 0, out: '', err: '' })
    expect(JSON.parse(readFileSync(file, 'utf8')).openapi).toBe('3.1.1')
  })

  it.each([
    [['--server', 'ftp://x'], 'error: --server must be the http:// or https:// address of the API, not "ftp://x"\n'],
    [
      ['--server', 'https://x/?a=1'],
      'error: --server must be the http:// or https:// address of the API, not "https://x/?a=1"\n',
    ],
    [
      ['--format', 'xml'],
      "error: option '--format <format>' argument 'xml' is invalid. It must be one of json, yaml; see partner-sandbox openapi --help\n",
    ],
    [['--output', 'package.json/all.json'], 'error: --output: cannot write package.json/all.json (ENOTDIR)\n'],
  ])('refuses %j with one line and exit code 4', async (args, err) => {
    expect(await cli(['openapi', ...args])).toEqual({ code: 4, out: '', err })
  })

  it('comes with the pages, which are loaded by the first visitor', () => {
    expect(reachedFrom('src/sandbox/app/page-handlers.ts')).toContain('src/sandbox/openapi/document.ts')
  })

  it.each(['src/cli/main.ts', 'src/cli/commands/openapi.ts', 'src/server.ts', 'src/cli/commands/serve.ts'])(
    'is no part of what %s loads at once',
    (file) => {
      const reached = reachedFrom(file)
      expect(reached.length).toBeGreaterThan(1)
      expect(reached.filter((one) => one.startsWith('src/sandbox/openapi/'))).toEqual([])
    },
  )
})
