import { describe, expect, it } from 'vitest'
import { editorLine, schemaFile } from '../../../src/cli/scenario/editor-line.ts'

const pathFor = (file: string | undefined, schema: string, workingDirectory: string) =>
  /\$schema=(.+)\n$/.exec(editorLine(file, schema, workingDirectory))?.[1]

describe('the line for editors', () => {
  const here = '/projects/sandbox/scenarios/scenario.schema.json'

  it('leads from the file to the schema of this package', () => {
    expect(pathFor('scenarios/auth/mine.yaml', here, '/projects/sandbox')).toBe('../scenario.schema.json')
    expect(pathFor('mine.yaml', here, '/projects/sandbox')).toBe('./scenarios/scenario.schema.json')
    expect(pathFor('/projects/drafts/mine.yaml', here, '/projects/sandbox')).toBe(
      '../sandbox/scenarios/scenario.schema.json',
    )
  })

  it('leads to where a project has the package as a dependency', () => {
    const installed = '/projects/shop/node_modules/partner-sandbox/scenarios/scenario.schema.json'
    const path = '../../node_modules/partner-sandbox/scenarios/scenario.schema.json'
    expect(pathFor('checks/own/mine.yaml', installed, '/projects/shop')).toBe(path)
    // Installed elsewhere on this machine: that path would lead nobody else there.
    expect(pathFor('checks/own/mine.yaml', here, '/projects/shop')).toBe(path)
    expect(pathFor(undefined, here, '/projects/shop')).toBe(
      './node_modules/partner-sandbox/scenarios/scenario.schema.json',
    )
  })

  it('names the schema of the kind of file', () => {
    expect(editorLine('baseline.yaml', schemaFile('baseline'), '/projects/shop')).toBe(
      '# yaml-language-server: $schema=./node_modules/partner-sandbox/scenarios/baseline.schema.json\n',
    )
  })
})
