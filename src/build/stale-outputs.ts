/** Folders of `dist` that are written by bundlers, which clear them, or by Node. */
const NOT_COMPILED = ['bundle', 'console', 'docs', 'compile-cache']

/**
 * What the compiler wrote for sources that are gone by now.
 *
 * @param outputs paths below `dist`, and `sources` below `src`, with `/` between folders.
 * @example staleOutputs(built, sources) // those of `built` that no file of `sources` makes
 */
export function staleOutputs(outputs: readonly string[], sources: readonly string[]): string[] {
  const stems = new Set(sources.map((source) => source.replace(/\.tsx?$/, '')))
  return outputs.filter((output) => {
    const [, stem] = /^(.*?)\.(?:d\.ts|js)(?:\.map)?$/.exec(output) ?? []
    return stem !== undefined && !NOT_COMPILED.includes(stem.split('/', 1)[0] as string) && !stems.has(stem)
  })
}
