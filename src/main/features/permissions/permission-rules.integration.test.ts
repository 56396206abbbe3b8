import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PermissionRules } from '../../runtime/ports/ports.ts'
import { createPermissionRules } from './permission-rules.ts'

let dataFolder: string
let problems: string[]
const rulesHere = () => createPermissionRules({ dataFolder, onProblem: (problem) => problems.push(problem) })

const texts = async (rules: PermissionRules, folder: string) =>
  (await rules.of(folder)).allow.map(({ text }) => text)

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'troupe-rules-'))
  problems = []
})
afterEach(() => rm(dataFolder, { recursive: true, force: true }))

test('a rule applies at once, after a restart, and only in its folder', async () => {
  const rules = rulesHere()
  expect(await texts(rules, '/a')).toEqual([])
  await Promise.all([rules.allow('/a', 'Bash(npm test)'), rules.allow('/a', 'Bash(ls)')])
  expect(await texts(rules, '/a')).toEqual(['Bash(npm test)', 'Bash(ls)'])
  expect(await texts(rulesHere(), '/a')).toEqual(['Bash(npm test)', 'Bash(ls)'])
  expect(await texts(rulesHere(), '/b')).toEqual([])
})

test('a broken file is reported and allows nothing', async () => {
  await rulesHere().allow('/a', 'Bash(ls)')
  const [hash] = await readdir(join(dataFolder, 'projects'))
  await writeFile(join(dataFolder, 'projects', hash ?? '', 'permissions.json'), '{')
  expect(await texts(rulesHere(), '/a')).toEqual([])
  expect(problems).toHaveLength(1)
})

test('an empty rule is reported once', async () => {
  const rules = rulesHere()
  await rules.allow('/a', 'Bash(ls)')
  await writeFile(
    await fileHere(),
    JSON.stringify({ folder: '/a', allow: ['Bash( )', 'Bash(pwd)', 'Read('] }),
  )
  await texts(rules, '/a')
  await texts(rules, '/a')
  expect(problems).toEqual([
    expect.stringMatching(/"Bash\( \)" has brackets .* It allows nothing\. Its file is .*permissions\.json/),
    expect.stringContaining('"Read("'),
  ])
})

test('a rule that cannot be saved is a failure with a message', async () => {
  await writeFile(join(dataFolder, 'projects'), 'in the way')
  const kept = await rulesHere().allow('/a', 'Bash(ls)')
  expect(kept).toMatchObject({ ok: false, failure: { type: 'io' } })
})

const fileHere = async () => {
  const [hash] = await readdir(join(dataFolder, 'projects'))
  return join(dataFolder, 'projects', hash ?? '', 'permissions.json')
}

test('concurrent rules are all saved, and no other file is left behind', async () => {
  const rules = rulesHere()
  const wanted = Array.from({ length: 30 }, (_, index) => `Bash(make ${index})`)
  await Promise.all(wanted.map((rule) => rules.allow('/a', rule)))
  await Promise.all(wanted.map((rule) => rules.allow('/a', rule)))
  expect(await texts(rulesHere(), '/a')).toEqual(wanted)
  expect(await readdir(join(await fileHere(), '..'))).toEqual(['permissions.json'])
  expect((await stat(await fileHere())).mode & 0o777).toBe(0o600)
})

test('a manual edit applies at once, and unknown keys stay', async () => {
  const rules = rulesHere()
  await rules.allow('/a', 'Bash(ls)')
  await writeFile(await fileHere(), JSON.stringify({ folder: '/a', allow: ['Bash(pwd)', 7], note: 'mine' }))
  expect(await texts(rules, '/a')).toEqual(['Bash(pwd)'])
  await rules.allow('/a', 'Bash(ls)')
  expect(JSON.parse(await readFile(await fileHere(), 'utf8'))).toEqual({
    folder: '/a',
    allow: ['Bash(pwd)', 7, 'Bash(ls)'],
    note: 'mine',
  })
})

test('a broken file is set aside, not overwritten', async () => {
  const rules = rulesHere()
  await rules.allow('/a', 'Bash(ls)')
  await writeFile(await fileHere(), '{ "allow": ["Bash(pwd)",')
  await texts(rules, '/a')
  await texts(rules, '/a')
  expect(problems).toHaveLength(1)
  expect(await rules.allow('/a', 'Bash(date)')).toEqual({ ok: true, value: undefined })
  expect(await texts(rules, '/a')).toEqual(['Bash(date)'])
  expect(await readFile(`${await fileHere()}.broken`, 'utf8')).toContain('Bash(pwd)')
})

test('a folder is identified by its real path', async () => {
  const folder = join(dataFolder, 'real')
  await mkdir(folder)
  await symlink(folder, join(dataFolder, 'link'))
  await rulesHere().allow(join(dataFolder, 'link'), 'Bash(ls)')
  expect(await texts(rulesHere(), folder)).toEqual(['Bash(ls)'])
})

test('a saved rule can be removed, and other content stays', async () => {
  const rules = rulesHere()
  await rules.allow('/a', 'Bash(ls)')
  await writeFile(
    await fileHere(),
    JSON.stringify({ folder: '/a', allow: ['Bash(ls)', 7, 'Bash(pwd)'], note: 'mine' }),
  )
  expect(await rules.forget('/a', 'Bash(ls)')).toMatchObject({ ok: true })
  expect(JSON.parse(await readFile(await fileHere(), 'utf8'))).toEqual({
    folder: '/a',
    allow: [7, 'Bash(pwd)'],
    note: 'mine',
  })
  expect(await rules.forget('/b', 'Bash(ls)')).toMatchObject({ ok: true })
})

test('a saved rule is told to those who watch the folder, and only to them', async () => {
  const rules = rulesHere()
  const told: (string | null)[] = []
  const stop = rules.watch('/a', (rule) => told.push(rule))
  rules.watch('/b', () => told.push('of another folder'))
  const holds: boolean[] = []
  rules.watch('/a', async (rule) => holds.push((await texts(rules, '/a')).includes(rule ?? '')))
  await rules.allow('/a', 'Bash(ls)')
  await rules.forget('/a', 'Bash(ls)')
  stop()
  await rules.allow('/a', 'Bash(date)')
  expect(told).toEqual(['Bash(ls)', null])
  expect(holds[0]).toBe(true)
})
