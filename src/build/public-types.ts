import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Plugin, rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/**
 * Bundles the declarations of the package's exports: a file for each of them, and what several of them need in files beside. The
 * declarations that no export needs are not shipped.
 *
 * @param entries paths of declarations below `outputs`, such as `index.d.ts`.
 * @param folder is emptied before.
 * @throws Error where a declaration is missing.
 */
export async function bundlePublicTypes(entries: readonly string[], outputs: string, folder: string): Promise<void> {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.d\.ts$/, ''), join(outputs, entry)])),
    external: (id) => !/^[./]/.test(id),
    plugins: [DECLARATIONS_OF_SOURCES, dts()],
    // A type without a name of its own in an export is found by those who use the export.
    onwarn: () => undefined,
  })
  rmSync(folder, { recursive: true, force: true })
  const names = {
    entryFileNames: '[name].d.ts',
    // Named after one of the files in it, which may be that of an export.
    chunkFileNames: ({ name }: { name: string }) => `shared/${name.replace(/\.d$/, '')}.d.ts`,
  }
  await bundle.write({ dir: folder, format: 'es', ...names })
  await bundle.close()
}

/** Imports in declarations name sources (`.ts`, `.tsx`) or outputs (`.js`). */
const DECLARATIONS_OF_SOURCES: Plugin = {
  name: 'declarations-of-sources',
  resolveId(id, importer) {
    if (!importer || !id.startsWith('.')) return null
    const file = resolve(importer, '..', id.replace(/\.(?:tsx?|js)$/, '.d.ts'))
    if (!existsSync(file)) throw new Error(`${file} is not there: the declarations need it`)
    return file
  },
}
