import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWindow } from './open-window.ts'

test('the start script gets the folder and the keys, and its exit code is returned', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-window-')))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  await mkdir(join(base, 'scripts'))
  const script = join(base, 'scripts', 'run.mjs')
  const program = { command: process.execPath, args: [script, 'start'], cwd: base }
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs'
const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token = null, ELECTRON_RUN_AS_NODE: node = null } = process.env
writeFileSync('started', JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), key, token, node }))
process.exitCode = 7
`,
  )
  const keys = { key: 'key-1', authToken: null, baseUrl: null }
  const environment = { PATH: process.env['PATH'], ELECTRON_RUN_AS_NODE: '1' }
  const rules = { allow: ['Bash(npm test)'], deny: ['Edit'] }
  const given = { folder: '/project', rules, mcpConfig: ['/servers.json'], keys, environment }
  expect(await openWindow(program, given)).toEqual({ ok: true, value: 7 })
  expect(JSON.parse(await readFile(join(base, 'started'), 'utf8'))).toEqual({
    args: ['start', '/project', '--allow=Bash(npm test)', '--deny=Edit', '--mcp-config=/servers.json'],
    cwd: base,
    key: 'key-1',
    token: null,
    node: null,
  })
})
