import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import type { CommandRow } from '../operator-api/command-row.ts'
import type { Operation } from '../operator-api/operation.ts'
import { OPERATION_IDS, operationOf } from '../operator-api/operations.ts'

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

const SNIPPETS = 'virtual:verify-snippets'

const EXAMPLES = [
  ['TypeScript', 'typescript/partner-signing.ts'],
  ['Python', 'python/partner_signing.py'],
  ['Go', 'go/partner_signing.go'],
  ['Java', 'java/PartnerSigning.java'],
  ['C#', 'csharp/PartnerSigning.cs'],
  ['PHP', 'php/partner_signing.php'],
  ['Ruby', 'ruby/partner_signing.rb'],
  ['Shell', 'shell/partner-signing.sh'],
] as const

/** The functions that verify a delivery, from the examples that tests run. */
function verifySnippets(): Plugin {
  const snippets = EXAMPLES.map(([name, file]) => ({ name, text: verifyingPart(file) }))
  return {
    name: 'verify-snippets',
    resolveId: (id) => (id === SNIPPETS ? `\0${SNIPPETS}` : null),
    load: (id) => (id === `\0${SNIPPETS}` ? `export const VERIFY_SNIPPETS = ${JSON.stringify(snippets)}` : null),
  }
}

const VERIFIES = /\b(?:is_?signed_?webhook\b|signed_webhook\?)/i
const SIGNS = /^\s*(?:(?:export |public |private )?(?:def|function|func|static \w+) )?sign\(/im

/** Files of earlier builds go once those of this one are there, so that a sandbox that runs meanwhile always finds its own. */
function removeStale(): Plugin {
  return {
    name: 'remove-stale',
    writeBundle({ dir }, bundle) {
      if (dir === undefined) return
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name)
        if (entry.isFile() && !(relative(dir, file) in bundle)) rmSync(file)
      }
    },
  }
}

/** Functions stand between empty lines there. */
function verifyingPart(file: string): string {
  const text = readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8')
  const parts = text.split(/\n\s*\n/).filter((part) => SIGNS.test(part) || VERIFIES.test(part))
  if (!parts.some((part) => VERIFIES.test(part)))
    throw new Error(`examples/${file} has no function that verifies a webhook`)
  return parts.join('\n\n')
}

const JSX = { runtime: 'automatic', importSource: 'preact' } as const

const TARGETS = { target: 'es2022', cssTarget: ['chrome123', 'firefox120', 'safari17.5'] }

/** What the contract works out at the top of a file is left out where nothing uses it. */
const treeshake = { moduleSideEffects: (id: string) => !id.includes('/src/contract/') }

/** Builds the operator console (src/console) into static files that the operator port serves. */
const CONSOLE: UserConfig = {
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [operationTable(), verifySnippets(), removeStale()],
  oxc: { jsx: JSX },
  build: {
    outDir: fileURLToPath(new URL('../../dist/console', import.meta.url)),
    emptyOutDir: false,
    ...TARGETS,
    // Every file keeps a name of its own: the content security policy allows no data address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { treeshake },
  },
}

/** Builds the script of the reference at /docs into the one file that the port of the API serves. */
const DOCS: UserConfig = {
  root: fileURLToPath(new URL('docs', import.meta.url)),
  plugins: [removeStale()],
  oxc: { jsx: JSX },
  build: {
    outDir: fileURLToPath(new URL('../../dist/docs', import.meta.url)),
    emptyOutDir: false,
    ...TARGETS,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: fileURLToPath(new URL('docs/main.tsx', import.meta.url)),
      output: { entryFileNames: 'docs.js' },
      treeshake,
    },
  },
}

export default defineConfig(({ mode }) => (mode === 'docs' ? DOCS : CONSOLE))
