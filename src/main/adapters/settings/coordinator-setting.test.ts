import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { coordinatorSetting } from './coordinator-setting.ts'

let root: string
const places = () => ({ dataFolder: join(root, 'data'), home: join(root, 'home') })

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-coordinator-'))
  await mkdir(join(root, 'data'))
  await mkdir(join(root, 'home', '.claude'), { recursive: true })
})

afterEach(() => rm(root, { recursive: true, force: true }))

const own = (text: string) => writeFile(join(root, 'data', 'settings.json'), text)
const claude = (text: string) => writeFile(join(root, 'home', '.claude', 'settings.json'), text)
const env = (variables: object) => JSON.stringify({ env: variables })

test('no file says nothing', async () => {
  expect(await coordinatorSetting(places())).toBeNull()
})

test.each([
  [{ CLAUDE_CODE_COORDINATOR_MODE: '1' }, true],
  [{ TROUPE_COORDINATOR_MODE: 'true' }, true],
  [{ TROUPE_COORDINATOR_MODE: 1 }, true],
  [{ CLAUDE_CODE_COORDINATOR_MODE: '0' }, false],
  [{ TROUPE_COORDINATOR_MODE: '0', CLAUDE_CODE_COORDINATOR_MODE: '1' }, false],
  [{ TROUPE_COORDINATOR_MODE: 'perhaps', CLAUDE_CODE_COORDINATOR_MODE: '1' }, true],
  [{ TROUPE_COORDINATOR_MODE: '' }, null],
  [{ OTHER: '1' }, null],
])('env %j means %s, in either file', async (variables, meant) => {
  await own(env(variables))
  expect(await coordinatorSetting(places())).toBe(meant)
  await rm(join(root, 'data', 'settings.json'))
  await claude(env(variables))
  expect(await coordinatorSetting(places())).toBe(meant)
})

test('the data folder comes first', async () => {
  await own(env({ TROUPE_COORDINATOR_MODE: '0' }))
  await claude(env({ TROUPE_COORDINATOR_MODE: '1' }))
  expect(await coordinatorSetting(places())).toBe(false)
})

test.each(['{ "env": oops', '{ "env": null }', '{ "env": "1" }', '{ "env": ["1"] }', '[]', ''])(
  'a file with %s says nothing',
  async (text) => {
    await own(text)
    await claude(env({ CLAUDE_CODE_COORDINATOR_MODE: '1' }))
    expect(await coordinatorSetting(places())).toBe(true)
  },
)
