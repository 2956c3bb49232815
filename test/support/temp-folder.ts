import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const newFolder = () => mkdtempSync(join(tmpdir(), 'partner-sandbox-'))
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** An empty folder that goes when the test ends, or when something else is done. */
export function tempFolder(whenDone: (end: () => Promise<void>) => void = onTestFinished): string {
  const folder = newFolder()
  whenDone(async () => remove(folder))
  return folder
}

/** An empty folder for all tests of a file, or of the group that asks for it, which goes when the last one has ended. */
export const tempFolderOfFile = (): string => tempFolder(afterAll)
