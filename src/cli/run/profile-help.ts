import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { PROFILES_FILE } from '../package-files.ts'

/** The profiles, for the help: it does not wait for the engine, and so takes their titles as they stand. */
export function profileHelp(): string {
  const rows = Object.entries(parse(readFileSync(PROFILES_FILE, 'utf8')) as Record<string, { title: string }>)
  const all = [['all', { title: 'everything that a caller can observe (default)' }] as const, ...rows]
  const width = Math.max(...all.map(([name]) => name.length))
  return `\nProfiles:\n${all.map(([name, { title }]) => `  ${name.padEnd(width)}  ${title}\n`).join('')}`
}
