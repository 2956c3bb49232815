import { describe, expect, it } from 'vitest'
import { editorLine } from '../../../src/cli/scenario/editor-line.ts'

const pathFor = (file: string | undefined, schema: string, workingDirectory: string) =>
  /\$schema=(.+)\n$/.exec(editorLine(file, schema, workingDirectory))?.[1]

describe('the line for editors', () => {
  const here = '/home/me/sandbox/scenarios/scenario.schema.json'

  it('leads from the file to the schema of this package', () => {
    expect(pathFor('scenarios/auth/mine.yaml', here, '/home/me/sandbox')).toBe('../scenario.schema.json')
    expect(pathFor('mine.yaml', here, '/home/me/sandbox')).toBe('./scenarios/scenario.schema.json')
    expect(pathFor('/home/me/drafts/mine.yaml', here, '/home/me/sandbox')).toBe(
      '../sandbox/scenarios/scenario.schema.json',
    )
  })

  it('leads to where a project has the package as a dependency', () => {
    const installed = '/home/me/shop/node_modules/partner-sandbox/scenarios/scenario.schema.json'
    const path = '../../node_modules/partner-sandbox/scenarios/scenario.schema.json'
    expect(pathFor('checks/own/mine.yaml', installed, '/home/me/shop')).toBe(path)
    // Installed elsewhere on this machine: that path would lead nobody else there.
    expect(pathFor('checks/own/mine.yaml', here, '/home/me/shop')).toBe(path)
    expect(pathFor(undefined, here, '/home/me/shop')).toBe(
      './node_modules/partner-sandbox/scenarios/scenario.schema.json',
    )
  })
})
