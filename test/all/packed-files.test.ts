import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('the package has fewer than 110 files beside a file for each scenario, and none that only its build needs', () => {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, stdio: 'pipe' })
  const paths = JSON.parse(printed.toString())[0].files.map(({ path }: { path: string }) => path) as string[]
  const others = paths.filter((path) => !/^scenarios\/[^/]+\/.*\.yaml$/.test(path))
  expect(paths.length).toBeGreaterThan(others.length)
  expect(others.length, others.join('\n')).toBeLessThan(110)
  expect(paths.filter((path) => /\.js\.map$|^docs\/.*\.mjs$|^dist\/compile-cache/.test(path))).toEqual([])
})

it('the stack of an error names files and lines of the sources', () => {
  const hook = `
    const write = process.stdout.write
    process.stdout.write = (text) => write.call(process.stdout, new Error('seen').stack)`
  const program = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    'bin/partner-sandbox.js',
    '--version',
  ]
  const stack = execFileSync(process.execPath, program, { cwd: root }).toString()
  expect(stack).toMatch(/^Error: seen/)
  expect(stack).toMatch(/src\/cli\/main\.ts:\d+:\d+/)
  expect(stack).not.toContain('dist/bundle')
})
