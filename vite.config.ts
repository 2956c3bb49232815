import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import type { CommandRow } from './src/operator-api/command-row.ts'
import type { Operation } from './src/operator-api/operation.ts'
import { OPERATION_IDS, operationOf } from './src/operator-api/operations.ts'

const TABLE = 'virtual:operations'

/** The operations as the browser needs them, without schemas and words: a tenth of the size. */
function operationTable(): Plugin {
  const rows = Object.fromEntries(OPERATION_IDS.map((id) => [id, slim(operationOf(id))]))
  return {
    name: 'operation-table',
    resolveId: (id) => (id === TABLE ? `\0${TABLE}` : null),
    load: (id) => (id === `\0${TABLE}` ? `export const OPERATION_TABLE = ${JSON.stringify(rows)}` : null),
  }
}

function slim({ method, path, commands }: Operation) {
  return { method, path, commands: commands.map(slimCommand) }
}

function slimCommand({ usage, summary, args, flags = {}, sends }: CommandRow) {
  const texts = Object.entries<readonly [string, ...unknown[]] | undefined>(flags)
  return { usage, summary, args, sends, flags: Object.fromEntries(texts.map(([member, flag]) => [member, flag?.[0]])) }
}

/** Builds the operator console (src/console) into static files that the operator port serves. */
export default defineConfig({
  root: fileURLToPath(new URL('src/console', import.meta.url)),
  plugins: [operationTable()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Every file keeps a name of its own: the content security policy allows no data address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What the contract works out at the top of a file is left out where nothing uses it.
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => !id.includes('/src/contract/') } },
  },
})
