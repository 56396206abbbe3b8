/** Installing, updating and removing with the real npm, from a registry on this machine. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import type { Settings } from '../../../../shared/settings/settings.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createExternalAgentCatalog } from './external-agent-catalog.ts'
import type { KnownProgram } from './known-programs.ts'
import { createNpm } from './npm.ts'
import { type PackageRegistry, startPackageRegistry } from './testing/package-registry.ts'

let root: string
let registry: PackageRegistry
let path: string
let mainAgent: string | null
let used: Settings['programs']

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-install-')))
  path = process.env['PATH'] ?? ''
  mainAgent = null
  used = {}
  registry = await startPackageRegistry()
})
afterEach(async () => {
  await registry.close()
  await rm(root, { recursive: true, force: true })
})

/** Answers the handshake in the way that its argument says. */
const AGENT = `#!/usr/bin/env node
const [mode] = process.argv.slice(2)
if (mode === 'breaks') { console.error('no disk'); process.exit(3) }
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (mode === 'silent') return
  if (method === 'initialize')
    write({ id, result: {
      protocolVersion: mode === 'newer' ? 2 : 1,
      agentInfo: { name: 'tiny', title: 'Tiny Agent', version: '1.0.0' },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true }, mcpCapabilities: { http: true } },
      authMethods: [{ id: 'web', name: 'In the browser', description: 'Opens a page' }],
    } })
  else if (mode === 'login') write({ id, error: { code: -32000, message: 'No key' } })
  else {
    write({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'of-tomorrow' } } })
    if (mode === 'says') write({ method: '_auth/status_update', params: { authStatus: { kind: 'none', label: 'Not logged in' } } })
    write({ id, result: { sessionId: 's' } })
  }
})
`

const TINY: KnownProgram = {
  id: 'gemini',
  title: 'Tiny Agent',
  maker: 'Nobody',
  about: 'For tests.',
  description: 'For tests.',
  color: 'blue',
  aliases: [],
  command: 'tiny-agent',
  args: [],
  package: '@example/tiny-agent',
  version: '1.0.0',
  node: 18,
  binary: null,
  part: null,
  partner: null,
  env: [],
  login: 'None.',
  lacks: [],
  megabytes: 1,
}

function publish(version: string, fields: object = {}): void {
  registry.add({
    name: TINY.package,
    version,
    publisher: 'ada',
    files: { 'dist/index.js': AGENT },
    fields: {
      bin: { 'tiny-agent': 'dist/index.js' },
      // Would leave a file beside the package.
      scripts: { postinstall: 'touch ../../../ran' },
      ...fields,
    },
  })
}

const programs = (known: Partial<KnownProgram> = {}) =>
  createExternalAgentCatalog({
    folder: join(root, 'agents'),
    path,
    home: join(root, 'home'),
    platform: process.platform,
    nodes: {
      fit: async () => ({ command: process.execPath, env: {}, version: '24.0.0' }),
      versions: async () => [],
    },
    npm: createNpm({
      path,
      node: join(root, 'no-node', 'node'),
      platform: process.platform,
      environment: {
        PATH: path,
        HOME: join(root, 'home'),
        npm_config_registry: registry.url,
        npm_config_cache: join(root, 'cache'),
      },
    }),
    clock: createSystemClock(),
    environment: { PATH: path, HOME: root },
    variables: {},
    settings: {
      get current() {
        return { programs: used, mainAgent }
      },
      change: async (patch) => {
        used = patch.programs ?? used
        mainAgent = patch.mainAgent === undefined ? mainAgent : patch.mainAgent
        return ok({})
      },
    },
    known: [{ ...TINY, ...known }],
  })

const folders = () => readdir(join(root, 'agents'))
const messageOf = (result: { ok: boolean; failure?: { type: string; message: string } }) =>
  result.ok ? 'It worked.' : `${result.failure?.type}: ${result.failure?.message}`

test('an offer says what would come, from whom, and leaves nothing', async () => {
  publish('1.0.0')
  const offer = await programs().offer('gemini')
  expect(offer).toMatchObject({
    ok: true,
    value: {
      package: TINY.package,
      version: '1.0.0',
      former: null,
      publisher: 'ada',
      bytes: 1024 * 1024,
      folder: join(root, 'agents', 'gemini'),
      problem: null,
    },
  })
  expect(await folders()).toEqual([])
})

test('an installed program is an agent at once; no script of the package has run', async () => {
  publish('1.0.0')
  const ours = programs()
  const lines = new Set<string>()
  let agents = 0
  ours.watch(([state]) => state?.work && lines.add(state.work.line))
  ours.agents.watch(() => agents++)
  expect(await ours.list()).toMatchObject([{ place: 'none', isUsed: false }])

  expect(messageOf(await ours.install('gemini', '1.0.0'))).toBe('It worked.')

  expect(await ours.list()).toMatchObject([{ place: 'own', version: '1.0.0', isUsed: true, work: null }])
  expect(await folders()).toEqual(['gemini'])
  expect(await readdir(join(root, 'agents', 'gemini'))).not.toContain('ran')
  expect([...lines].filter((line) => line.startsWith('Fetched'))).toEqual(['Fetched 1 package'])
  expect(agents).toBe(1)
  expect((await ours.agents.definitions(root))['gemini.md']).toContain('tiny-agent/dist/index.js')
})

test('a program that was turned off is used again once it is installed', async () => {
  publish('1.0.0')
  used = { gemini: false }
  const ours = programs()
  await ours.install('gemini', '1.0.0')
  expect(await ours.list()).toMatchObject([{ isUsed: true }])
  // An update keeps what the user chose.
  await ours.use('gemini', false)
  await ours.install('gemini', '1.0.0')
  expect(await ours.list()).toMatchObject([{ isUsed: false }])
})

test('another version than the one that was offered is not installed', async () => {
  publish('1.0.0')
  expect(messageOf(await programs().install('gemini', '0.9.0'))).toMatch(/^moved: .*Look at the offer again/)
  await expect(folders()).rejects.toThrow('ENOENT')
})

test('an update keeps the former version until the new one is complete', async () => {
  publish('1.0.0')
  await programs().install('gemini', '1.0.0')
  publish('2.0.0')
  const newer = programs({ version: '2.0.0' })
  expect(await newer.list()).toMatchObject([{ version: '1.0.0', update: '2.0.0' }])
  expect(await newer.offer('gemini')).toMatchObject({ value: { former: '1.0.0', version: '2.0.0' } })

  registry.tarballs = 'broken'
  expect(messageOf(await newer.install('gemini', '2.0.0'))).toMatch(/^npm: .*\nnpm said:\nnpm err/is)
  expect(await newer.list()).toMatchObject([{ version: '1.0.0', place: 'own' }])
  expect(await folders()).toEqual(['gemini'])

  registry.tarballs = 'served'
  expect(messageOf(await newer.install('gemini', '2.0.0'))).toBe('It worked.')
  expect(await newer.list()).toMatchObject([{ version: '2.0.0', update: null }])
  expect(await folders()).toEqual(['gemini'])
})

test('an update finds a version that came after this Troupe, and the Node that it needs', async () => {
  publish('1.0.0')
  const known = programs()
  await known.install('gemini', '1.0.0')
  expect(await known.offer('gemini')).toMatchObject({ value: { former: '1.0.0', version: '1.0.0' } })
  publish('1.10.0', { engines: { node: '^20.1 || >=22' } })
  expect(await known.list()).toMatchObject([{ update: null }])
  expect(await known.offer('gemini')).toMatchObject({
    value: { former: '1.0.0', version: '1.10.0', problem: null },
  })
  expect(await known.list()).toMatchObject([{ version: '1.0.0', update: '1.10.0' }])
  expect(messageOf(await known.install('gemini', '1.0.0'))).toMatch(/^moved: /)
  expect(messageOf(await known.install('gemini', '1.10.0'))).toBe('It worked.')
  // An older pinned version is no update, and an older "latest" is none.
  expect(await programs().list()).toMatchObject([{ version: '1.10.0', update: null }])
  publish('1.9.0')
  expect(await programs().offer('gemini')).toMatchObject({ value: { former: '1.10.0', version: '1.10.0' } })
})

test('a canceled installation leaves nothing, and other work waits until it is over', async () => {
  publish('1.0.0')
  registry.tarballs = 'silent'
  const ours = programs()
  const asked = registry.asked()
  const installing = ours.install('gemini', '1.0.0')
  await asked
  expect(messageOf(await ours.remove('gemini'))).toMatch(/^busy: Tiny Agent is busy: it is being installed/)
  ours.cancel('gemini')
  expect(messageOf(await installing)).toMatch(/^canceled: /)
  expect(await folders()).toEqual([])
  expect(await ours.list()).toMatchObject([{ place: 'none', work: null }])
})

test('the end of Troupe ends an installation', async () => {
  publish('1.0.0')
  registry.tarballs = 'silent'
  const ours = programs()
  const asked = registry.asked()
  const installing = ours.install('gemini', '1.0.0')
  await asked
  await ours.close()
  expect(messageOf(await installing)).toMatch(/^canceled: /)
  expect(await folders()).toEqual([])
})

const hideNpm = () => {
  path = join(root, 'empty')
}

test.each([
  ['without npm', hideNpm, /^no-npm: npm was not found\. It comes with Node/],
  [
    'without a network',
    () => registry.close(),
    /^npm: The registry could not be reached\. Check the network/,
  ],
  ['a version that is gone', () => publish('0.1.0'), /^npm: The registry does not have this version\./],
])('%s: the message says what to do', async (_, prepare, expected) => {
  await prepare()
  const ours = programs()
  expect(messageOf(await ours.offer('gemini'))).toMatch(expected)
  expect(messageOf(await ours.install('gemini', '1.0.0'))).toMatch(expected)
  expect(await folders()).toEqual([])
})

test('a package without its part for this system is not installed', async () => {
  const part = `@example/native-${process.platform}-${process.arch}`
  publish('1.0.0', { optionalDependencies: { [part]: '1.0.0' } })
  const ours = programs({ part: '@example/native' })
  expect(messageOf(await ours.install('gemini', '1.0.0'))).toMatch(
    /^not-installed: No program for this system/,
  )
  expect(await folders()).toEqual([])
  registry.add({ name: part, version: '1.0.0', files: { native: '' } })
  expect(messageOf(await ours.install('gemini', '1.0.0'))).toBe('It worked.')
})

test('what a killed process left is put back or deleted', async () => {
  const left = join(root, 'agents')
  // No process has this id.
  const [draft, old] = [`.gemini.4194305.00000000.new`, `.gemini.4194305.00000001.old`]
  const ofOther = `.gemini.${process.pid}.00000002.new`
  for (const name of [draft, `${old}/node_modules/${TINY.package}/dist`, ofOther])
    await mkdir(join(left, name), { recursive: true })
  const manifest = { name: TINY.package, version: '1.0.0', bin: { 'tiny-agent': 'dist/index.js' } }
  await writeFile(join(left, old, 'node_modules', TINY.package, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(left, old, 'node_modules', TINY.package, 'dist', 'index.js'), AGENT)
  expect(await programs().list()).toMatchObject([{ place: 'own', version: '1.0.0' }])
  expect((await folders()).sort()).toEqual([ofOther, 'gemini'].sort())
})

test('only what Troupe installed is removed', async () => {
  publish('1.0.0')
  const ours = programs()
  await ours.install('gemini', '1.0.0')
  mainAgent = 'gemini'
  expect(messageOf(await ours.remove('gemini'))).toBe('It worked.')
  // It would begin the next conversation.
  expect(mainAgent).toBeNull()
  expect(await folders()).toEqual([])
  expect(await ours.list()).toMatchObject([{ place: 'none', isUsed: false }])
  expect(messageOf(await ours.remove('gemini'))).toBe(
    'not-here: Tiny Agent is not installed. Install it first.',
  )

  const file = join(root, 'bin', 'tiny-agent')
  await mkdir(dirname(file))
  await writeFile(file, AGENT, { mode: 0o755 })
  path = `${dirname(file)}:${path}`
  expect(messageOf(await programs().remove('gemini'))).toMatch(/^not-here: Troupe did not install Tiny Agent/)
  expect(await readFile(file, 'utf8')).toBe(AGENT)
})

async function checked(...args: readonly string[]) {
  publish('1.0.0')
  const ours = programs({ args })
  await ours.install('gemini', '1.0.0')
  return ours.check('gemini')
}

test('a check says what the program is and can do', async () => {
  expect(await checked()).toMatchObject({
    ok: true,
    value: {
      ...{ id: 'gemini', name: 'Tiny Agent', version: '1.0.0', login: null },
      can: { resume: true, images: true, mcp: ['http'] },
    },
  })
})

test.each([
  ['login', 'No key'],
  ['says', 'Not logged in'],
])('a check says that a login is needed (%s)', async (mode, message) => {
  expect(await checked(mode)).toMatchObject({
    value: {
      login: {
        message,
        methods: [{ id: 'web', name: 'In the browser', description: 'Opens a page' }],
      },
    },
  })
})

test('the end of Troupe ends a check of a program that does not answer', async () => {
  publish('1.0.0')
  const ours = programs({ args: ['silent'] })
  await ours.install('gemini', '1.0.0')
  const checking = ours.check('gemini')
  await ours.close()
  expect(messageOf(await checking)).toContain('You canceled the check.')
})

test('a check says why a program can’t be used', async () => {
  expect(messageOf(await checked('breaks'))).toBe(
    'no-answer: Tiny Agent does not answer as it should. It ended with the exit code 3.\nIts last output:\nno disk',
  )
  expect(messageOf(await checked('newer'))).toContain('It speaks version 2 of the Agent Client Protocol')
  expect(messageOf(await programs({ package: 'not-here' }).check('gemini'))).toBe(
    'not-here: Tiny Agent is not installed. Install it first.',
  )
})
