import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countDirtyFiles } from '../folders/folder-refresh.ts'
import { copySample } from './copy-sample.ts'

const source = join(import.meta.dirname, '..', '..', '..', '..', 'sample')
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'troupe-sample-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' }
const copy = (more: { parents?: readonly string[]; environment?: NodeJS.ProcessEnv } = {}) =>
  copySample({ source, parents: [home], environment, now: () => Date.now(), ...more })

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/') && path !== '.git')
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
}

test('the copy is the project with its history and a clean working tree', async () => {
  const made = await copy()
  expect(made).toEqual({ ok: true, value: join(home, 'Troupe sample 1') })
  const folder = join(home, 'Troupe sample 1')
  expect(filesBelow(folder)).toEqual(filesBelow(join(source, 'project')))
  for (const path of filesBelow(folder))
    expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(source, 'project', path), 'utf8'))
  const log = execFileSync('git', ['log', '--format=%an|%cn|%ct'], { cwd: folder, encoding: 'utf8' })
  const commits = log.trim().split('\n')
  expect(commits.length).toBeGreaterThanOrEqual(5)
  for (const commit of commits) expect(commit).toMatch(/^Tally developers\|Tally developers\|\d+$/)
  const times = commits.map((commit) => Number(commit.split('|')[2]))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(execFileSync('git', ['branch', '--show-current'], { cwd: folder, encoding: 'utf8' })).toBe('main\n')
  expect(await countDirtyFiles(folder, environment)).toBe(0)
})

test('one test fails, as the sample says, and the others pass', async () => {
  const made = await copy()
  const folder = made.ok ? made.value : ''
  let output = ''
  try {
    execFileSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder, env: environment })
  } catch (error) {
    output = String((error as { stdout: Buffer }).stdout)
  }
  expect(output).toMatch(/^# fail 1$/m)
  expect(output).toMatch(/^not ok \d+ - no cent is lost/m)
  expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).toBeGreaterThan(5)
})

test('each copy has its own folder; a missing parent is skipped', async () => {
  await copy()
  expect(await copy({ parents: [join(home, 'no documents'), home] })).toEqual({
    ok: true,
    value: join(home, 'Troupe sample 2'),
  })
})

test('without git it is a plain folder', async () => {
  const made = await copy({ environment: { PATH: '' } })
  expect(made.ok).toBe(true)
  expect(readdirSync(join(home, 'Troupe sample 1'))).not.toContain('.git')
  expect(filesBelow(join(home, 'Troupe sample 1'))).toContain('src/money.js')
})

test('a missing sample is a failure with a message', async () => {
  expect(await copySample({ source: home, parents: [home], environment, now: Date.now })).toMatchObject({
    ok: false,
    failure: { type: 'no-sample' },
  })
})

test('changed, new and deleted files are counted; counting runs no code of the repository', async () => {
  const made = await copy()
  const folder = made.ok ? made.value : ''
  cpSync(join(folder, 'README.md'), join(folder, 'new file\nwith a line break.md'))
  rmSync(join(folder, 'src', 'cli.js'))
  execFileSync('git', ['config', 'core.fsmonitor', `touch ${join(home, 'ran')}; false`], { cwd: folder })
  expect(await countDirtyFiles(folder, environment)).toBe(2)
  expect(readdirSync(home)).not.toContain('ran')
  expect(await countDirtyFiles(home, environment)).toBeNull()
  expect(await countDirtyFiles(folder, { PATH: '' })).toBeNull()
})
