/** A file that breaks one rule of biome.json or of a .grit file, and what must be said about it. */
export interface Probe {
  /** Where the file would stand. */
  readonly file: string
  readonly text: string
  /** The rule's name; for a plugin, words of its message. */
  readonly says: string
}

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

const inRules = (says: string, text: string, number: number): Probe => ({
  file: `src/sandbox/red-${number}.ts`,
  text,
  says,
})

const BROKEN_RULES: readonly [says: string, text: string][] = [
  ['noUnusedImports', "import { sign } from './green.ts'"],
  ['noUnusedVariables', 'const left = 1'],
  ['noUnusedFunctionParameters', 'export const f = (a: number) => 1'],
  ['useImportExtensions', "export { green as x } from './green'"],
  ['noFloatingPromises', 'const work = async () => 1\nexport function f() {\n  work()\n}'],
  ['noMisusedPromises', 'const work = async () => true\nexport const f = () => {\n  if (work()) return 1\n}'],
  ['noBarrelFile', "export { green } from './green.ts'"],
  ['noReExportAll', "export * from './green.ts'"],
  ['noCommonJs', "export const x = require('./green.ts')"],
  ['noDefaultExport', 'export default 1'],
  ['noEnum', 'export enum Color {\n  Red,\n}'],
  ['noNamespace', 'export namespace House {\n  export const x = 1\n}'],
  ['noNonNullAssertion', 'export const f = (x: string | undefined) => x!'],
  ['noParameterAssign', 'export function f(x: number) {\n  x = 2\n  return x\n}'],
  ['useConst', 'let x = 1\nexport const y = x'],
  ['useExportType', 'interface T {\n  a: 1\n}\nexport { T }'],
  ['useImportType', "import { Green } from './green.ts'\nexport const x: Green = 1"],
  ['useNodejsImportProtocol', "import { join } from 'path'\nexport const x = join"],
  ['useThrowOnlyError', "export const f = () => {\n  throw 'x'\n}"],
  ['noConsole', "console.log('x')"],
  ['noExplicitAny', 'export const f = (x: any) => x'],
  ['noVar', 'export var x = 1'],
  ['noExcessiveLinesPerFunction', `export function f() {\n${lines(81, (n) => `  f${n}()`)}\n}`],
  ['noExcessiveLinesPerFile', lines(501, (n) => `export const x${n} = ${n}`)],
  ['noRestrictedGlobals', 'export const x = setTimeout(() => 1, 5)'],
  ['noRestrictedGlobals', 'export const x = setInterval(() => 1, 5)'],
  ['noRestrictedGlobals', 'export const x = performance.now()'],
  ['noRestrictedImports', "import { setTimeout as pause } from 'node:timers/promises'\nexport const x = pause"],
  ['noRestrictedImports', "import { setTimeout as pause } from 'node:timers'\nexport const x = pause"],
  ['noRestrictedImports', "import { performance as p } from 'node:perf_hooks'\nexport const x = p"],
  ['only src/clock reads real time', 'export const x = Date.now()'],
  ['only src/clock reads real time', 'export const x = { now: Date.now }'],
  ['only src/clock reads real time', 'export const x = new Date()'],
  ['only src/clock reads real time', 'export const x = new Date'],
  ['only src/clock reads real time', 'export const x = Date()'],
  ['only src/clock reads real time', 'export const x = process.hrtime.bigint()'],
  ['chance is a parameter', 'export const x = Math.random()'],
  ['timers live in src/clock', 'export const x = AbortSignal.timeout(5)'],
  ['no way round src/clock', 'export const x = globalThis.setTimeout(() => 1, 5)'],
  ['Only src/cli ends the process', 'process.exit(1)'],
  ['Only src/cli ends the process', 'process.abort()'],
  ['Only src/cli sets the exit code', 'process.exitCode = 1'],
]

const BROKEN_TEST_RULES: readonly [says: string, text: string][] = [
  ['noFocusedTests', "import { it } from 'vitest'\nit.only('x', () => 1)"],
  ['noSkippedTests', "import { it } from 'vitest'\nit.skip('x', () => 1)"],
  ['No mocks of our own modules', "import { vi } from 'vitest'\nvi.mock('../src/server.ts')"],
  ['No mocks of our own modules', "import { vi } from 'vitest'\nvi.doMock('../src/server.ts')"],
  ['No fake timers', "import { vi } from 'vitest'\nvi.useFakeTimers()"],
]

/** Each of these must be refused. */
export const RED: readonly Probe[] = [
  ...BROKEN_RULES.map(([says, text], number) => inRules(says, text, number)),
  ...BROKEN_TEST_RULES.map(([says, text], number) => ({ file: `test/red-${number}.test.ts`, text, says })),
  { file: 'src/sandbox/RedName.ts', text: 'export const x = 1', says: 'useFilenamingConvention' },
  { file: 'src/sandbox/red_name.ts', text: 'export const x = 1', says: 'useFilenamingConvention' },
]

/** Each of these must pass: where a rule has an exception, the exception holds. */
export const GREEN: readonly Omit<Probe, 'says'>[] = [
  { file: 'src/sandbox/green.ts', text: 'export type Green = 1\nexport const green = 1' },
  {
    file: 'src/clock/green.ts',
    text: 'export const x = [Date.now(), new Date(), setTimeout(() => 1, 5), performance.now()]',
  },
  {
    file: 'src/sandbox/dates.ts',
    text: "export const x = [new Date(5), new Date('2026-01-01T00:00:00Z'), Date.UTC(2026, 1)]",
  },
  { file: 'src/cli/green.ts', text: "console.log('x')\nprocess.exitCode = 1" },
  { file: 'src/index.ts', text: "export { green } from './sandbox/green.ts'" },
  { file: 'vitest.config.ts', text: 'export default {}' },
  { file: 'test/green.test.ts', text: 'export const x = (value: string | undefined) => [value!, Date.now()]' },
]
