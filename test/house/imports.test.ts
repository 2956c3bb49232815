import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { judgeImport, roomOf } from './judge-import.ts'
import { repoFiles, repoRoot } from './repo.ts'
import { ROOMS } from './rooms.ts'
import { scanImports } from './scan-imports.ts'

const sources = repoFiles('src').filter((file) => /\.tsx?$/.test(file))
const underSrc = (file: string) => file.slice('src/'.length)

describe('the house as it stands', () => {
  it('imports only what the table in test/house/rooms.ts allows', () => {
    const complaints = sources.flatMap((file) =>
      scanImports(readFileSync(join(repoRoot, file), 'utf8'), file.endsWith('x') ? 'tsx' : 'ts').flatMap(
        ({ specifier, line }) => {
          const complaint = judgeImport(underSrc(file), specifier)
          return complaint ? [`${file}:${line}: ${complaint}`] : []
        },
      ),
    )
    expect(complaints).toEqual([])
  })

  it('has a row for every file', () => {
    expect(sources.length).toBeGreaterThan(10)
    expect(sources.filter((file) => !roomOf(underSrc(file)))).toEqual([])
  })

  it('has a file for every row, so no row is left over', () => {
    const used = new Set(sources.map((file) => roomOf(underSrc(file))))
    expect(ROOMS.filter((row) => !used.has(row)).map((row) => row.room)).toEqual([])
  })

  it('keeps the second signer of the tests apart from ours', () => {
    const text = readFileSync(join(repoRoot, 'test/support/signer.ts'), 'utf8')
    const outside = scanImports(text, 'ts').filter(({ specifier }) => !specifier.startsWith('node:'))
    expect(outside).toEqual([])
  })

  it('names each room once', () => {
    const names = ROOMS.map((row) => row.room)
    expect(names).toEqual([...new Set(names)])
  })
})

describe('the table refuses', () => {
  it.each([
    ['contract/headers.ts', '../clock/wall-clock.ts', 'contract may not import clock'],
    ['contract/headers.ts', 'node:fs', 'contract may not import the package node:fs'],
    ['clock/timers.ts', '../storage/db.ts', 'clock may not import storage'],
    ['storage/schema.ts', '../sandbox/kernel/world.ts', 'storage may not import sandbox/kernel'],
    ['storage/schema.ts', 'fastify', 'storage may not import the package fastify'],
    ['sandbox/kernel/world.ts', '../app/log.ts', 'sandbox/kernel may not import sandbox/app'],
    ['sandbox/sales/orders.ts', '../wire/call.ts', 'sandbox/sales may not import sandbox/wire'],
    [
      'sandbox/worlds/audit.ts',
      '../settlement/store.ts',
      'sandbox/worlds may use the rules of sandbox/settlement, not its store.ts',
    ],
    ['sandbox/wire/route.ts', '../sales/routes.ts', 'sandbox/wire may not import sandbox/sales'],
    ['sandbox/all-routes.ts', './sales/orders.ts', 'sandbox/all-routes.ts may not import sandbox/sales'],
    ['sandbox/events/record.ts', '../sales/orders.ts', 'sandbox/events may not import sandbox/sales'],
    ['sandbox/sales/orders.ts', '../settlement/settlement-runs.ts', 'sandbox/sales may not import sandbox/settlement'],
    [
      'sandbox/sales/orders.ts',
      '../inventory/store.ts',
      'sandbox/sales may use the rules of sandbox/inventory, not its store.ts',
    ],
    [
      'sandbox/sales/orders.ts',
      '../events/present.ts',
      'sandbox/sales may use the rules of sandbox/events, not its present.ts',
    ],
    [
      'sandbox/settlement/settlement-runs.ts',
      '../sales/receipt-page.tsx',
      'sandbox/settlement may use the rules of sandbox/sales, not its receipt-page.tsx',
    ],
    ['sandbox/sales/orders.ts', 'better-sqlite3', 'sandbox/sales may not import the package better-sqlite3'],
    ['sandbox/sales/orders.ts', '../../operator/app.ts', 'sandbox/sales may not import operator'],
    [
      'operator/routes/orders.ts',
      '../../sandbox/settlement/store.ts',
      'operator may use the rules of sandbox/settlement, not its store.ts',
    ],
    [
      'operator/routes/orders.ts',
      '../../sandbox/sales/routes.ts',
      'operator may use the rules of sandbox/sales, not its routes.ts',
    ],
    ['operator/app.ts', '../conformance/engine/run.ts', 'operator may not import conformance/engine'],
    ['operator/app.ts', '../storage/db.ts', 'operator may not import storage'],
    ['proof/defects/registry.ts', '../../operator/app.ts', 'proof/defects may not import operator'],
    ['conformance/engine/run.ts', '../../sandbox/kernel/world.ts', 'conformance/engine may not import sandbox/kernel'],
    ['conformance/engine/run.ts', '../../server.ts', 'conformance/engine may not import server.ts'],
    ['conformance/engine/run.ts', '../reports/html.ts', 'conformance/engine may not import conformance/reports'],
    ['conformance/engine/run.ts', 'chalk', 'conformance/engine may not import the package chalk'],
    ['conformance/reports/html.ts', '../../storage/db.ts', 'conformance/reports may not import storage'],
    ['conformance/http/send.ts', 'fastify', 'conformance/http may not import the package fastify'],
    ['server.ts', './conformance/engine/run.ts', 'server.ts may not import conformance/engine'],
    ['server.ts', './cli/main.ts', 'server.ts may not import cli'],
    ['cli/commands/order.ts', '../../sandbox/sales/orders.ts', 'cli may not import sandbox/sales'],
    ['cli/commands/selftest.ts', '../../proof/defects/registry.ts', 'cli may not import proof/defects'],
    ['index.ts', './sandbox/kernel/world.ts', 'index.ts may not import sandbox/kernel'],
    ['cli/main.ts', '../../package.json', 'cli/main.ts may not import ../../package.json, which is outside src'],
    ['attic/old.ts', '../contract/ids.ts', 'attic/old.ts is in no room of the table'],
    ['cli/main.ts', '../attic/old.ts', 'attic/old.ts is in no room of the table'],
  ])('%s importing %s', (file, specifier, complaint) => {
    expect(judgeImport(file, specifier)).toBe(complaint)
  })
})

describe('the scanner', () => {
  it('finds every way to mention a module, with its line', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from './b.ts'",
      "import './c.ts'",
      "export { d } from './d.ts'",
      "export * from './e.ts'",
      "const f = await import('./f.ts')",
      "let g: import('./g.ts').G",
      'const h = (name: string) => import(name)',
      "// import './comment.ts'",
      'const page = <p>import from "./text.ts"</p>',
    ].join('\n')
    expect(scanImports(text, 'tsx').map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
      '1 ./a.ts',
      '2 ./b.ts',
      '3 ./c.ts',
      '4 ./d.ts',
      '5 ./e.ts',
      '6 ./f.ts',
      '7 ./g.ts',
      '8 (computed)',
    ])
  })

  it('reads generic arrows, which are no JSX', () => {
    expect(scanImports("const same = <T>(x: T) => x\nimport './a.ts'", 'ts')).toEqual([
      { specifier: './a.ts', line: 2 },
    ])
  })

  it('leaves a computed name to no room, so that it is refused', () => {
    expect(judgeImport('contract/ids.ts', '(computed)')).toBe('contract may not import the package (computed)')
  })
})
