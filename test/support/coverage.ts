import type { TestSandbox } from './sandbox.ts'

export interface ShownRow {
  id: string
  title: string
  state: string
  count: number
  first_at: string | null
  last_at: string | null
  happened: { count: number; first_at: string | null; last_at: string | null } | null
  says: string | null
  request_id: string | null
  hint: string | null
}

export interface ShownCoverage {
  world: string
  since: string | null
  summary: { met: number; of: number; percent: number; wrong: number }
  sections: { id: string; title: string; met: number; of: number; rows: ShownRow[] }[]
}

/** Coverage of a world, as its operator reads it. */
export async function coverageIn(sandbox: TestSandbox, world = 'default'): Promise<ShownCoverage> {
  const { status, json, text } = await sandbox.operate('GET', `/v1/worlds/${world}/coverage`)
  if (status !== 200) throw new Error(`no coverage: ${status} ${text}`)
  return json
}

/** One row of it. */
export async function rowIn(sandbox: TestSandbox, section: string, id: string, world = 'default'): Promise<ShownRow> {
  const { sections } = await coverageIn(sandbox, world)
  const row = sections.find((one) => one.id === section)?.rows.find((one) => one.id === id)
  if (!row) throw new Error(`coverage has no row ${section} ${id}`)
  return row
}

/** `section id` of every row that is met. */
export async function metIn(sandbox: TestSandbox, world = 'default'): Promise<string[]> {
  const { sections } = await coverageIn(sandbox, world)
  return sections.flatMap(({ id, rows }) => rows.filter(({ state }) => state === 'met').map((row) => `${id} ${row.id}`))
}
