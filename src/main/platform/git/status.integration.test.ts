import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from './git-client.ts'
import { readStatus } from './status.ts'

let base: string
let top: string
const client = createGit({ environment: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() } })
const git = (at: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=Ada', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always', ...args],
    { cwd: at, stdio: 'pipe', encoding: 'utf8' },
  )

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-status-')))
  top = join(base, 'top')
  const inner = join(base, 'inner')
  for (const folder of [top, inner]) {
    mkdirSync(folder)
    git(folder, 'init', '-q')
    writeFileSync(join(folder, 'a.txt'), 'one\n')
    git(folder, 'add', '.')
    git(folder, 'commit', '-qm', 'Start')
  }
  git(top, 'submodule', '--quiet', 'add', inner, 'sub')
  git(top, 'commit', '-qm', 'Add a submodule')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('a submodule with uncommitted changes is listed, and one at another commit', async () => {
  expect(await readStatus(client, top)).toEqual({ ok: true, value: [] })
  writeFileSync(join(top, 'sub', 'a.txt'), 'two\n')
  expect(await readStatus(client, top)).toMatchObject({
    value: [{ path: 'sub', kind: 'changed', submodule: { moved: false, dirty: true } }],
  })
  git(join(top, 'sub'), 'commit', '-qam', 'Two')
  writeFileSync(join(top, 'sub', 'a.txt'), 'three\n')
  expect(await readStatus(client, top)).toMatchObject({
    value: [{ path: 'sub', submodule: { moved: true, dirty: true } }],
  })
})

test('no program that the settings of a submodule name is run', async () => {
  const mark = join(base, 'pwned')
  git(join(top, 'sub'), 'config', 'filter.evil.clean', `touch ${mark}; cat`)
  git(join(top, 'sub'), 'config', 'filter.evil.required', 'true')
  git(join(top, 'sub'), 'config', 'core.fsmonitor', `touch ${mark}`)
  writeFileSync(join(top, 'sub', '.gitattributes'), '* filter=evil\n')
  writeFileSync(join(top, 'sub', 'a.txt'), 'two\n')
  expect(await readStatus(client, top)).toMatchObject({
    value: [{ path: 'sub', submodule: { dirty: true } }],
  })
  expect(existsSync(mark)).toBe(false)
  git(top, 'status')
  expect(existsSync(mark), "git's own status does the harm").toBe(true)
})
