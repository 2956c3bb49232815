import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoRoot } from '../house/repo.ts'

test('a server whose printed calls nobody reads any more serves on', async () => {
  const command = [join(repoRoot, 'bin/partner-sandbox.js'), 'serve', '--port', '0', '--operator-port', '0']
  const child = spawn(process.execPath, [...command, '--inventory', '10'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let url: string | undefined
  for (let screen = ''; url === undefined; url = /API +(http:\S+)/.exec(screen)?.[1]) {
    screen += (await once(child.stdout, 'data'))[0]
  }
  child.stderr.destroy()
  for (let call = 0; call < 3; call++) {
    expect((await fetch(`${url}/api/partner/v1/orders`)).status).toBe(401)
  }
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
