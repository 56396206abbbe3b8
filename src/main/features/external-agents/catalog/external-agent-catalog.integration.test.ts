/** Which programs are found, which of them are agents, and how they are started. Nothing is started here. */

import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { ok } from '../../../../shared/kernel/result.ts'
import type { Settings } from '../../../../shared/settings/settings.ts'
import { createApprovals } from '../../../platform/approvals/approvals.ts'
import { createNodeFileSystem } from '../../../platform/files/node-file-system.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createDefinitionApprovals } from '../../definitions/definition-approvals.ts'
import { createDefinitionFiles } from '../../definitions/definition-files.ts'
import { createDefinitionSource } from '../../definitions/definition-source.ts'
import { createPendingWrites } from '../../definitions/pending-writes.ts'
import { createExternalAgentCatalog } from './external-agent-catalog.ts'
import type { NodeRuntimes } from './node-runtime.ts'

let root: string
let used: Settings['programs']
let path: readonly string[]
let newest: number
let variables: Readonly<Record<string, string>>
let mainAgent: string | null

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-programs-')))
  used = {}
  path = [join(root, 'bin')]
  newest = 24
  variables = {}
  mainAgent = null
})
afterEach(() => rm(root, { recursive: true, force: true }))

const nodes: NodeRuntimes = {
  fit: async (major) =>
    major > newest ? null : { command: '/usr/bin/node', env: {}, version: `${newest}.0.0` },
  versions: async () => [`${newest}.0.0`],
}

const programs = () =>
  createExternalAgentCatalog({
    folder: join(root, 'data', 'agents'),
    path: path.join(delimiter),
    home: join(root, 'home'),
    platform: 'linux',
    nodes,
    npm: { run: () => Promise.reject(new Error('Nothing is installed here.')) },
    clock: createSystemClock(),
    environment: {},
    variables,
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
  })

async function put(file: string, text: string, mode = 0o644): Promise<string> {
  const whole = join(root, file)
  await mkdir(dirname(whole), { recursive: true })
  await writeFile(whole, text)
  await chmod(whole, mode)
  return whole
}

/** A package as npm leaves it. */
async function install(modules: string, name: string, version: string, bin: Record<string, string>) {
  await put(`${modules}/${name}/package.json`, JSON.stringify({ name, version, bin }))
  for (const file of Object.values(bin))
    await put(`${modules}/${name}/${file}`, '#!/usr/bin/env node\n', 0o755)
}

const state = async (id: string) => (await programs().list()).find((each) => each.id === id)
const agents = async (project = join(root, 'project')) => programs().agents.definitions(project)

test('without any program, none is an agent', async () => {
  expect((await programs().list()).map(({ id, place, isUsed }) => [id, place, isUsed])).toEqual([
    ['claude-code', 'none', false],
    ['codex', 'none', false],
    ['gemini', 'none', false],
    ['opencode', 'none', false],
  ])
  expect(await agents()).toEqual({})
})

test('a program on PATH is an agent once the user uses it', async () => {
  await install('lib/node_modules', '@google/gemini-cli', '0.60.0', { gemini: 'bundle/gemini.js' })
  await mkdir(join(root, 'bin'))
  await symlink('../lib/node_modules/@google/gemini-cli/bundle/gemini.js', join(root, 'bin', 'gemini'))
  expect(await state('gemini')).toMatchObject({
    place: 'path',
    file: join(root, 'bin', 'gemini'),
    version: '0.60.0',
    isUsed: false,
    // Only what Troupe installed is updated by it.
    update: null,
    problem: null,
  })
  expect(await agents()).toEqual({})

  const ours = programs()
  let changes = 0
  ours.agents.watch(() => changes++)
  expect((await ours.use('gemini', true)).ok).toBe(true)
  expect(changes).toBe(1)
  const { 'gemini.md': text = '', ...others } = await ours.agents.definitions(join(root, 'project'))
  expect(others).toEqual({})
  const read = readDefinition(text, { stem: 'gemini', source: 'the program' })
  expect(read).toMatchObject({ offered: true, diagnostics: [] })
  expect(read.definition).toMatchObject({
    name: 'gemini',
    aliases: ['gemini-cli'],
    program: {
      command: '/usr/bin/node',
      args: [join(root, 'lib/node_modules/@google/gemini-cli/bundle/gemini.js'), '--acp'],
      env: {},
    },
  })
})

test('a program that is no longer used is no main agent either; another main agent stays', async () => {
  await put('bin/opencode', '\u007fELF', 0o755)
  used = { opencode: true }
  mainAgent = 'reviewer'
  await programs().use('opencode', false)
  expect([used, mainAgent]).toEqual([{ opencode: false }, 'reviewer'])
  mainAgent = 'opencode'
  await programs().use('opencode', true)
  expect(mainAgent).toBe('opencode')
  await programs().use('opencode', false)
  expect(mainAgent).toBeNull()
})

test('a program gets the keys of its maker where the user has them, and no others', async () => {
  await put('bin/gemini', '\u007fELF', 0o755)
  used = { gemini: true }
  const env = async () => {
    const text = (await agents())['gemini.md'] ?? ''
    return readDefinition(text, { stem: 'gemini', source: 'the program' }).definition?.program?.env
  }
  expect(await env()).toEqual({})
  variables = { GEMINI_API_KEY: 'secret', OPENAI_API_KEY: 'other' }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
  expect(await env()).toEqual({ GEMINI_API_KEY: '${GEMINI_API_KEY}' })
})

test('Claude Code gets the address, Bedrock and Vertex variables of the user, and never Troupe’s key', async () => {
  await put('bin/claude-agent-acp', '\u007fELF', 0o755)
  used = { 'claude-code': true }
  const mine = [
    ...[
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_USE_BEDROCK',
      'AWS_REGION',
      'AWS_PROFILE',
      'AWS_BEARER_TOKEN_BEDROCK',
    ],
    ...['CLAUDE_CODE_USE_VERTEX', 'ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION'],
  ]
  variables = Object.fromEntries(
    [...mine, 'ANTHROPIC_API_KEY', 'DATABASE_URL'].map((name) => [name, 'value']),
  )
  const text = (await agents())['claude-code.md'] ?? ''
  const env = readDefinition(text, { stem: 'x', source: 'the program' }).definition?.program?.env ?? {}
  expect(Object.keys(env).sort()).toEqual([...mine].sort())
  expect(env['AWS_PROFILE']).toBe(['$', '{AWS_PROFILE}'].join(''))
})

test('what is not here can’t be used', async () => {
  expect(await programs().use('codex', true)).toMatchObject({
    failure: { type: 'not-here', message: 'Codex is not installed. Install it first.' },
  })
  expect(used).toEqual({})
})

test('a program that is no script is started by itself', async () => {
  const file = await put('bin/opencode', '\u007fELF', 0o755)
  used = { opencode: true }
  const text = (await agents())['opencode.md'] ?? ''
  expect(readDefinition(text, { stem: 'opencode', source: 'the program' }).definition?.program).toEqual({
    command: file,
    args: ['acp'],
    env: {},
  })
})

test('a file that may not be run, and a folder, are no programs', async () => {
  await put('bin/opencode', '\u007fELF', 0o644)
  await mkdir(join(root, 'bin', 'gemini'))
  expect((await state('opencode'))?.place).toBe('none')
  expect((await state('gemini'))?.place).toBe('none')
})

test('a project chooses no program: not by a folder of its own on PATH, not by a link, not by a relative entry', async () => {
  used = { opencode: true }
  await put('project/bin/opencode', 'a trap', 0o755)
  const good = await put('good/opencode', 'the real one', 0o755)
  await put('elsewhere/opencode', 'a trap', 0o755)
  const fromHere = relative(process.cwd(), join(root, 'elsewhere'))
  path = [fromHere, join(root, 'project', 'bin'), join(root, 'good')]
  expect((await agents())['opencode.md']).toContain(JSON.stringify(good))
  // In another project's folder the first one counts: the user put it on PATH.
  expect((await agents(join(root, 'other')))['opencode.md']).toContain(join('project', 'bin'))

  await mkdir(join(root, 'links'))
  await symlink(join(root, 'project', 'bin', 'opencode'), join(root, 'links', 'opencode'))
  path = [join(root, 'links')]
  expect(await agents()).toEqual({})
  // The project behind a link is the same project.
  await symlink(join(root, 'project'), join(root, 'links', 'project'))
  path = [join(root, 'project', 'bin')]
  expect(await agents(join(root, 'links', 'project'))).toEqual({})
})

test('what Troupe installed counts before PATH, and is an agent at once', async () => {
  const modules = 'data/agents/claude-code/node_modules'
  await install(modules, '@agentclientprotocol/claude-agent-acp', '0.99.0', {
    'claude-agent-acp': 'dist/index.js',
  })
  await put('bin/claude-agent-acp', '#!/bin/sh\n', 0o755)
  expect(await state('claude-code')).toMatchObject({
    place: 'own',
    version: '0.99.0',
    update: '0.100.0',
    isUsed: true,
  })
  expect((await agents())['claude-code.md']).toContain(join(root, modules))
  used = { 'claude-code': false }
  expect(await agents()).toEqual({})
})

test('the program for this system is found in the package that holds it', async () => {
  const modules = 'data/agents/opencode/node_modules'
  await install(modules, 'opencode-ai', '1.18.33', { opencode: './bin/opencode.exe' })
  expect((await state('opencode'))?.place).toBe('none')
  const file = await put(`${modules}/opencode-linux-${process.arch}/bin/opencode`, '\u007fELF', 0o755)
  expect(await state('opencode')).toMatchObject({ place: 'own', file, version: '1.18.33', update: null })
  const plain = await put(
    `${modules}/opencode-linux-${process.arch}-baseline/bin/opencode`,
    '\u007fELF',
    0o755,
  )
  expect((await state('opencode'))?.file).toBe(plain)
})

test('claude alone does not speak the protocol: the note says so', async () => {
  const file = await put('bin/claude', '#!/bin/sh\n', 0o755)
  const { note, place } = (await state('claude-code')) ?? {}
  expect(place).toBe('none')
  expect(note).toContain(file)
  expect(note).toContain('does not speak the Agent Client Protocol')
})

test('a Node that is too old is a problem, and the program is no agent', async () => {
  newest = 20
  expect((await state('claude-code'))?.problem).toContain('needs Node 22 or newer (found: 20.0.0)')
  expect((await state('gemini'))?.problem).toBeNull()
  expect((await state('opencode'))?.problem).toBeNull()
  await install('data/agents/claude-code/node_modules', '@agentclientprotocol/claude-agent-acp', '0.100.0', {
    'claude-agent-acp': 'dist/index.js',
  })
  expect(await agents()).toEqual({})
})

test('the catalog shows a program as built in, and a definition of the user wins over it', async () => {
  await put('bin/opencode', '\u007fELF', 0o755)
  used = { opencode: true }
  const definitions = createDefinitionSource({
    builtIn: {},
    home: join(root, 'home'),
    programs: programs().agents,
  })
  await mkdir(join(root, 'project'))
  const entries = async () => (await definitions.catalog(join(root, 'project'), { trusted: false })).entries
  expect(await entries()).toMatchObject([
    { id: 'built-in:opencode.md', name: 'opencode', source: 'built-in', locked: true, state: 'offered' },
  ])
  const files = createDefinitionFiles({
    ...{ now: Date.now, newKey: randomUUID },
    ...{ definitions, home: join(root, 'home'), dataFolder: join(root, 'data'), programs: programs().agents },
    files: createNodeFileSystem(),
    isTrusted: () => false,
    writes: createPendingWrites(),
    approvals: createDefinitionApprovals(createApprovals({ dataFolder: join(root, 'data') })),
  })
  const opened = await files.open({ folder: join(root, 'project'), id: 'built-in:opencode.md' })
  expect(opened).toMatchObject({ value: { text: expect.stringContaining('backing: acp'), version: null } })
  await put('home/.claude/agents/opencode.md', '---\nname: opencode\ndescription: Mine.\n---\nx')
  expect((await entries()).find(({ source }) => source === 'built-in')).toMatchObject({ state: 'shadowed' })
})
