/** The folder that `npm run package` sends to another machine. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyCommandLine } from './runner/package.mjs'

const isBuilt = basename(process.env['TROUPE_TEST_PROGRAM'] ?? '') === 'cli.mjs'

describe.runIf(isBuilt)('the packaged command line', () => {
  test('runs through a link with its own Node, and says what a worker lacks', () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-package-')))
    onTestFinished(() => rmSync(home, { recursive: true }))
    copyCommandLine(join(home, 'troupe'))
    symlinkSync(join(home, 'troupe', 'bin', 'troupe'), join(home, 'link'))
    const troupe = (...args: string[]) => {
      const env = { PATH: '/usr/bin:/bin', HOME: home }
      const { status, stdout, stderr } = spawnSync(join(home, 'link'), args, {
        env,
        cwd: '/',
        encoding: 'utf8',
      })
      return { status, output: stdout + stderr }
    }
    expect(troupe('--version')).toMatchObject({ status: 0 })
    const { status, output } = troupe('worker', '--connect', 'nats://127.0.0.1:1', '--check')
    expect(output).toMatch(/^FAILED {2}server {6}No NATS server listens/m)
    for (const what of ['git', 'disk', 'sandbox', 'model'])
      expect(output).toMatch(new RegExp(`^\\w+ +${what} `, 'm'))
    expect(status).toBe(1)
    expect(troupe('agents', 'list').output).toContain('general-purpose')
  })
})
