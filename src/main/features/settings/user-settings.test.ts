import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readEnvironment, withVariables } from '../../environment.ts'
import { createSettingsStore } from './settings-store.ts'
import { readUserSettings } from './user-settings.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-user-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, value: unknown): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, typeof value === 'string' ? value : JSON.stringify(value))
  await rename(`${file}.new`, file)
}

const read = () =>
  readUserSettings({
    dataFolder: join(root, 'data'),
    home: join(root, 'home'),
    managed: [join(root, 'etc/settings.json'), join(root, 'etc/other.json')],
  })
const own = (value: unknown) => put('data/settings.json', value)
const user = (value: unknown) => put('home/.claude/settings.json', value)
const managed = (value: unknown) => put('etc/settings.json', value)

test('no file says nothing', () => {
  expect(read()).toEqual({
    env: {},
    apiKeyHelper: null,
    theme: 'system',
    zoom: 100,
    turnedOffPlugins: [],
    below: { raw: {}, files: {} },
    above: { raw: {}, files: {} },
    files: ['etc/settings.json', 'etc/other.json', 'home/.claude/settings.json'].map((path) =>
      join(root, path),
    ),
    isBroken: false,
    problems: [],
  })
})

test('the administrator counts before the own file, and that before ~/.claude', async () => {
  await user({ env: { A: 'user', B: 'user', C: 1 }, apiKeyHelper: 'user-key' })
  await own({ env: { A: 'own', B: 'own' } })
  await managed({ env: { A: 'managed' } })
  await put('etc/other.json', { env: { A: 'other' }, apiKeyHelper: 'other-key' })
  expect(read()).toMatchObject({ env: { A: 'managed', B: 'own', C: '1' }, apiKeyHelper: 'other-key' })
})

test('a change of a settings file counts at once; a broken file changes nothing', async () => {
  await user({ model: 'opus' })
  await managed({ permissions: { defaultMode: 'plan' } })
  const { above, below, files } = read()
  const file = join(root, 'data', 'settings.json')
  const store = createSettingsStore({ file, above, below, others: { files, read } })
  onTestFinished(() => store.close())
  await store.load()
  const changed = () =>
    new Promise<readonly string[]>((done) => store.watch((_now, problems) => done(problems)))
  expect(store.current).toMatchObject({ model: 'opus', permissionMode: 'plan' })

  const first = changed()
  await user({ model: 'haiku' })
  await first
  expect(store.current).toMatchObject({ model: 'haiku', permissionMode: 'plan' })
  const second = changed()
  await managed({ permissions: { defaultMode: 'acceptEdits' } })
  await second
  expect(store.current).toMatchObject({ model: 'haiku', permissionMode: 'acceptEdits' })
  const third = changed()
  await managed('{"permissions": ')
  expect((await third).join()).toContain("etc/settings.json doesn't apply")
  expect(store.current).toMatchObject({ model: 'haiku', permissionMode: 'acceptEdits' })
})

test('the keys people have become settings, and the own file counts before ~/.claude', async () => {
  await user({
    model: 'opus',
    permissions: { defaultMode: 'plan' },
    statusLine: { type: 'command', command: 'date' },
    theme: 'light',
    effortLevel: 'high',
    alwaysThinkingEnabled: false,
  })
  expect(read().below.raw).toMatchObject({ effort: 'high', thinking: 'off' })
  const load = async () => {
    const { above, below } = read()
    const file = join(root, 'data', 'settings.json')
    const store = createSettingsStore({ file, above, below })
    await store.load()
    store.close()
    const { model, permissionMode, statusLine, theme } = store.current
    return { model, permissionMode, statusLine, theme }
  }
  // Other keys of that file are not this program's.
  expect(await load()).toEqual({
    model: 'opus',
    permissionMode: 'plan',
    statusLine: { command: 'date' },
    theme: 'system',
  })
  await own({ model: 'haiku', statusLine: null })
  expect(await load()).toMatchObject({ model: 'haiku', permissionMode: 'plan', statusLine: null })
  await managed({ model: 'fable', permissions: { defaultMode: 'default' } })
  expect(await load()).toMatchObject({ model: 'fable', permissionMode: 'default' })
  expect(read().above.files).toMatchObject({ model: join(root, 'etc/settings.json') })
})

test.each(['{ "env": oops', '{ "env": "1" }', '[]', '{ "env": { "A B": "x", "N": null } }'])(
  'a file with %s is a problem, and says nothing',
  async (text) => {
    await user(text)
    expect(read()).toMatchObject({
      env: {},
      problems: [
        expect.stringContaining('settings.json'),
        ...(text.includes('A B') ? [expect.anything()] : []),
      ],
    })
  },
)

test('enabledPlugins turns plugins off', async () => {
  await user({ enabledPlugins: { 'tidy@market': false, 'neat@market': false, other: true } })
  await own({ enabledPlugins: { 'neat@market': true } })
  expect(read().turnedOffPlugins).toEqual(['tidy'])
})

test('cleanupPeriodDays is said to have no effect', async () => {
  await user({ cleanupPeriodDays: 30 })
  expect(read().problems).toEqual([expect.stringContaining('deletes no conversations')])
})

describe('variables of the settings', () => {
  const given = (environment: NodeJS.ProcessEnv, variables: Record<string, string>) =>
    withVariables(readEnvironment(environment), variables)

  test('count like the environment, which counts first', () => {
    const variables = {
      ANTHROPIC_API_KEY: 'sk-settings',
      ANTHROPIC_BASE_URL: 'https://settings',
      PATH: '/settings',
      MINE: '1',
    }
    expect(given({}, variables).api).toEqual({
      key: 'sk-settings',
      authToken: null,
      baseUrl: 'https://settings',
    })
    const both = given({ ANTHROPIC_AUTH_TOKEN: 'token', PATH: '/bin' }, variables)
    expect(both.api).toEqual({ key: null, authToken: 'token', baseUrl: 'https://settings' })
    expect(both.forChildren).toEqual({ PATH: '/bin', MINE: '1' })
  })

  test.each([
    [{ CLAUDE_CODE_COORDINATOR_MODE: '1' }, true],
    [{ TROUPE_COORDINATOR_MODE: '0', CLAUDE_CODE_COORDINATOR_MODE: '1' }, false],
    [{ TROUPE_COORDINATOR_MODE: '' }, null],
  ])('%j means coordinator mode %s', (variables, meant) => {
    expect(given({}, variables).coordinatorMode).toBe(meant)
  })

  test('never say where the settings are, or what the window loads', () => {
    expect(given({}, { TROUPE_HOME: '/other', ELECTRON_RENDERER_URL: 'http://x' })).toMatchObject({
      dataFolder: null,
      developmentServer: null,
    })
  })
})

test('the zoom of the first window is known, and an impossible one is none', async () => {
  await own({ zoom: 150 })
  expect(read().zoom).toBe(150)
  for (const zoom of [20, 201, 112.5, '150', null]) {
    await own({ zoom })
    expect(read().zoom).toBe(100)
  }
})

test('comments and trailing commas are read in every file, and a mistake has its place', async () => {
  await managed('{ /* all */ "model": "opus", }')
  await user('// mine\n{ "env": { "A": "1", }, }')
  await own('{ "theme": "dark", // at night\n}')
  expect(read()).toMatchObject({
    ...{ theme: 'dark', env: { A: '1' }, isBroken: false, problems: [] },
    above: { raw: { model: 'opus' } },
  })
  await user('{\n  "env": }')
  expect(read()).toMatchObject({
    isBroken: true,
    problems: [
      expect.stringContaining("settings.json doesn't apply: line 2, column 10: a value is missing."),
    ],
  })
})
