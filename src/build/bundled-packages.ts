import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package whose code is in the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** The text of its license, if it brings one. */
  readonly text: string | null
}

/**
 * The packages that modules are from, in the order of their names.
 *
 * @param modules paths of the modules in a bundle.
 * @throws Error where a package does not say its license.
 */
export function bundledPackages(modules: readonly string[]): BundledPackage[] {
  const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []))
  return [...folders].map(packageIn).sort((a, b) => (label(a) < label(b) ? -1 : 1))
}

/** The innermost package that a module is from; none for a module of our own. */
function folderOf(id: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? null
}

function packageIn(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  if (license === undefined) throw new Error(`${name} ${version} does not say its license`)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? null : readFileSync(join(folder, file), 'utf8').trim()
  return { name, version, license, text }
}

function label({ name, version }: BundledPackage): string {
  return `${name} ${version}`
}

/** The licenses as their own files say them: most must go where the code goes. */
export function licensesText(packages: readonly BundledPackage[]): string {
  const texts = packages.map(
    (one) => `${'-'.repeat(80)}\n${label(one)} (${one.license})\n${one.text === null ? '' : `\n${one.text}\n`}`,
  )
  return `The files in this folder contain code of these packages.\n\n${texts.join('\n')}`
}

/**
 * What is in the bundle as a CycloneDX document, because an audit of installed packages does not see it. The same packages give the
 * same bytes.
 *
 * @param product the package that has the bundle.
 */
export function billOfMaterials(
  product: { name: string; version: string; license: string },
  packages: readonly BundledPackage[],
): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', product) },
    components: packages.map((one) => componentOf('library', one)),
  }
}

function componentOf(type: string, { name, version, license }: Pick<BundledPackage, 'name' | 'version' | 'license'>) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type, 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl }
}
