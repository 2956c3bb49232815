import { readFileSync } from 'node:fs'

/** One instruction of a Dockerfile, its lines joined: `['COPY', '--from=build /app/bin bin']`. */
export type Instruction = readonly [word: string, rest: string]

/** The stages of a Dockerfile by name, each with its instructions. */
export function stagesOf(file: string): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  const text = readFileSync(file, 'utf8').replaceAll(/^\s*#.*\n/gm, '')
  for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      current = []
      stages.set(/ AS (\S+)$/i.exec(rest)?.[1] ?? '', current)
    } else if (word !== '') current.push([word, rest])
  }
  return stages
}

/** What the instructions of that word say. */
export function said(stage: readonly Instruction[], word: string): string[] {
  return stage.filter(([first]) => first === word).map(([, rest]) => rest)
}

/** The sources of each COPY, options and destination left out. */
export function copied(stage: readonly Instruction[]): string[] {
  return said(stage, 'COPY').flatMap((rest) =>
    rest
      .split(/\s+/)
      .filter((word) => !word.startsWith('--'))
      .slice(0, -1),
  )
}
