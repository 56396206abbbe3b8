import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPermissionRules } from './permission-rules.ts'

let dataFolder: string
let problems: string[]
const rulesHere = () => createPermissionRules({ dataFolder, onProblem: (problem) => problems.push(problem) })

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'troupe-rules-'))
  problems = []
})
afterEach(() => rm(dataFolder, { recursive: true, force: true }))

test('a rule holds at once, after a restart, and only in its folder', async () => {
  const rules = rulesHere()
  expect(await rules.list('/a')).toEqual([])
  await Promise.all([rules.allow('/a', 'Bash(npm test)'), rules.allow('/a', 'Bash(ls)')])
  expect(await rules.list('/a')).toEqual(['Bash(npm test)', 'Bash(ls)'])
  expect(await rulesHere().list('/a')).toEqual(['Bash(npm test)', 'Bash(ls)'])
  expect(await rulesHere().list('/b')).toEqual([])
})

test('a file that is broken is told, allows nothing, and is asked about again', async () => {
  await rulesHere().allow('/a', 'Bash(ls)')
  const [hash] = await readdir(join(dataFolder, 'projects'))
  await writeFile(join(dataFolder, 'projects', hash ?? '', 'permissions.json'), '{')
  expect(await rulesHere().list('/a')).toEqual([])
  expect(problems).toHaveLength(1)
})

test('a rule that cannot be kept is a failure in words', async () => {
  await writeFile(join(dataFolder, 'projects'), 'in the way')
  const kept = await rulesHere().allow('/a', 'Bash(ls)')
  expect(kept).toMatchObject({ ok: false, failure: { type: 'io' } })
})
