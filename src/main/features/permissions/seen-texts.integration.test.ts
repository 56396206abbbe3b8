/** Texts that agents are told, through the whole program: a new version counts once the user has seen it. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { composeRuntime } from '../../features.ts'
import { withoutSandbox } from '../../testing/without-sandbox.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'

const ROOT = join(import.meta.dirname, '../../../..')

let top: string
let folder: string

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-texts-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  folder = join(top, 'project')
  mkdirSync(join(top, 'home'))
  put('CLAUDE.md', 'OLD-CLAUDE\n@docs/style.md\n')
  put('docs/style.md', 'OLD-STYLE\n')
  put('api/CLAUDE.md', 'OLD-NESTED\n')
  put('api/a.ts', 'x\n')
  put('.claude/skills/ship/SKILL.md', '---\ndescription: OLD-SKILL\n---\nOLD-SKILL-BODY\n')
  put('.claude/commands/go.md', 'OLD-COMMAND\n')
  put(
    '.claude/agents/keeper.md',
    '---\nname: keeper\ndescription: OLD-AGENT\nmemory: project\n---\nOLD-BODY\n',
  )
  put('.claude/agent-memory/keeper/MEMORY.md', 'OLD-NOTES\n')
})

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Whatever another program does with the files. */
const changeAll = () => {
  for (const path of [
    ...['CLAUDE.md', 'docs/style.md', 'api/CLAUDE.md', '.claude/skills/ship/SKILL.md'],
    ...['.claude/commands/go.md', '.claude/agents/keeper.md', '.claude/agent-memory/keeper/MEMORY.md'],
  ])
    put(path, readFileSync(join(folder, path), 'utf8').replaceAll('OLD', 'NEW'))
}

type Calls = readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[]

/** Everything that makes a prompt: a nested folder, a skill, and an agent with memory. */
const LOOK: Calls = [
  ['Read', { file_path: 'api/a.ts' }],
  ['Skill', { skill: 'ship' }],
  ['Agent', { description: 'x', prompt: 'Report.', subagent_type: 'keeper' }],
]

async function program(trusted = [folder]) {
  let calls: Calls = []
  const requests: string[] = []
  const server = await startScriptedServer({
    director: {
      async reply(request) {
        requests.push(JSON.stringify(request))
        const isMain = !JSON.stringify(request.messages).includes('Report.') || request.messages.length > 1
        const turn = request.messages.filter(({ role }) => role === 'assistant').length
        const call = isMain ? calls[turn] : undefined
        if (call === undefined) return { blocks: [{ type: 'text', text: 'Done.' }] }
        return { blocks: [{ type: 'tool_use', name: call[0], input: call[1] }] }
      },
    },
  })
  const troupe = await composeRuntime({
    dataFolder: join(top, 'data'),
    home: join(top, 'home'),
    environment: { PATH: process.env['PATH'] ?? '', HOME: join(top, 'home') },
    managedSettings: [],
    settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: trusted } },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  await troupe.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  onTestFinished(async () => {
    await troupe.close()
    await server.close()
  })
  const events: AgentEvent[] = []
  let current = ''
  troupe.runtime.subscribe((delta) => {
    if (delta.type !== 'event') return
    events.push(delta.event)
    const { event } = delta
    if (event.type === 'permission-asked')
      void Promise.resolve().then(() =>
        troupe.runtime.dispatch({
          type: 'agent.answer',
          conversationId: current,
          agentId: event.agentId,
          requestId: event.requestId,
          answer: { decision: 'allow-once' },
        }),
      )
  })
  return {
    ...troupe,
    /** Runs the calls in a new conversation. @returns all that the model was told, and the notices */
    async run(wanted: Calls, at = folder) {
      calls = wanted
      requests.length = 0
      events.length = 0
      const created = await troupe.runtime.dispatch({
        type: 'conversation.create',
        folder: at,
        model: 'sonnet',
        permissionMode: 'default',
      })
      if (!created.ok) throw new Error(created.failure.message)
      const { id } = created.value
      current = id
      await troupe.runtime.dispatch({
        type: 'conversation.send',
        conversationId: id,
        agentId: null,
        content: 'Go',
      })
      await troupe.runtime.settled(id)
      return {
        told: requests.join('\n'),
        notices: events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])).join('\n'),
      }
    },
    names: async () => (await troupe.texts.waiting(folder)).map(({ name }) => name),
    async approveAll() {
      for (const text of await troupe.texts.waiting(folder))
        expect(await troupe.texts.approve(folder, text)).toMatchObject({ ok: true })
    },
  }
}

const WORDS = ['CLAUDE', 'STYLE', 'NESTED', 'SKILL', 'SKILL-BODY', 'AGENT', 'BODY', 'NOTES']
const all = (age: string) => WORDS.map((word) => `${age}-${word}`)
const found = (told: string) =>
  [...all('OLD'), ...all('NEW')].filter((word) => new RegExp(`${word}\\b`).test(told))

test('texts that changed are told in their former version until the user has seen them, also in a later run', async () => {
  const one = await program()
  expect(found((await one.run(LOOK)).told)).toEqual(all('OLD'))
  changeAll()
  const held = await one.run(LOOK)
  expect(found(held.told)).toEqual(all('OLD'))
  expect(held.notices).toContain(
    'CLAUDE.md changed since you last saw it, so agents are told its former text.',
  )

  const two = await program()
  const again = await two.run(LOOK)
  expect(found(again.told)).toEqual(all('OLD'))
  expect(again.notices).toContain('troupe permissions approve')
  expect(await two.names()).toEqual([
    '.claude/agent-memory/keeper/MEMORY.md',
    '.claude/commands/go.md',
    '.claude/skills/ship/SKILL.md',
    'CLAUDE.md',
    'api/CLAUDE.md',
    'docs/style.md',
  ])
  await two.approveAll()
  const catalog = await two.definitions.catalog(folder, { trusted: true })
  const keeper = catalog.entries.find(({ name }) => name === 'keeper')
  expect(keeper).toMatchObject({ state: 'waits', description: 'OLD-AGENT' })
  const pending = await two.definitionFiles.pending({ folder, id: keeper?.id ?? '' })
  if (!pending.ok) throw new Error(pending.failure.message)
  expect(pending.value).toMatchObject({ former: expect.stringContaining('OLD-BODY'), gained: [] })
  expect(await two.definitionFiles.approve({ folder, ...pending.value })).toMatchObject({ ok: true })
  expect(found((await two.run(LOOK)).told)).toEqual(all('NEW'))
  expect(await two.names()).toEqual([])
})

test('a version that was seen once counts again, as when a branch is checked out', async () => {
  const troupe = await program()
  await troupe.run(LOOK)
  put('CLAUDE.md', 'NEW-CLAUDE\n')
  await troupe.approveAll()
  put('CLAUDE.md', 'OLD-CLAUDE\n@docs/style.md\n')
  expect(await troupe.names()).toEqual([])
  put('CLAUDE.md', 'NEW-CLAUDE\n')
  expect(await troupe.names()).toEqual([])
})

test('a new text is told to nobody until the user has seen it', async () => {
  rmSync(join(folder, '.claude'), { recursive: true })
  rmSync(join(folder, 'CLAUDE.md'))
  const troupe = await program()
  await troupe.run([])
  put('AGENTS.md', 'NEW-CLAUDE\n')
  put('web/CLAUDE.md', 'NEW-NESTED\n')
  put('web/a.ts', 'x\n')
  put('.claude/skills/ship/SKILL.md', '---\ndescription: NEW-SKILL\n---\nNEW-SKILL-BODY\n')
  put('.claude/commands/go.md', 'NEW-COMMAND\n')
  symlinkSync(join(folder, 'docs/style.md'), join(folder, 'CLAUDE.md'))
  const look: Calls = [
    ['Read', { file_path: 'web/a.ts' }],
    ['Skill', { skill: 'ship' }],
  ]
  expect(found((await troupe.run(look)).told)).toEqual([])
  expect(await troupe.names()).toEqual([
    '.claude/commands/go.md',
    '.claude/skills/ship/SKILL.md',
    'AGENTS.md',
    'CLAUDE.md',
    'web/CLAUDE.md',
  ])
  const { slash } = troupe
  expect(JSON.stringify(await slash.list(folder))).toContain('came after you trusted')
  await troupe.approveAll()
  expect(found((await troupe.run(look)).told)).toEqual([
    'OLD-STYLE',
    'NEW-CLAUDE',
    'NEW-NESTED',
    'NEW-SKILL',
    'NEW-SKILL-BODY',
  ])
})

test('a new empty file has nothing to see, and what is written into it waits; an emptied one waits', async () => {
  const troupe = await program()
  await troupe.run([])
  // As the sandbox places them while commands run.
  for (const name of ['AGENTS.md', 'CLAUDE.local.md', 'web/CLAUDE.md']) put(name, '')
  put('CLAUDE.md', '')
  await troupe.run([])
  expect(await troupe.names()).toEqual(['CLAUDE.md'])
  put('CLAUDE.local.md', 'NEW-CLAUDE\n')
  expect(found((await troupe.run([])).told)).not.toContain('NEW-CLAUDE')
  expect(await troupe.names()).toEqual(['CLAUDE.local.md', 'CLAUDE.md'])
})

test('what Write and Edit change counts at once: the user allowed it', async () => {
  const troupe = await program()
  await troupe.run([
    ['Write', { file_path: 'AGENTS.md', content: 'NEW-CLAUDE\n' }],
    ['Read', { file_path: 'docs/style.md' }],
    ['Edit', { file_path: 'docs/style.md', old_string: 'OLD', new_string: 'NEW' }],
    ['Write', { file_path: '.claude/skills/other/SKILL.md', content: 'NEW-SKILL' }],
  ])
  expect(await troupe.names()).toEqual([])
  expect(found((await troupe.run([])).told)).toEqual(expect.arrayContaining(['NEW-CLAUDE', 'NEW-STYLE']))
})

test('an approval is of the text that was shown', async () => {
  const troupe = await program()
  await troupe.run([])
  put('CLAUDE.md', 'NEW-CLAUDE\n')
  const [shown] = await troupe.texts.waiting(folder)
  appendFileSync(join(folder, 'CLAUDE.md'), 'And more.\n')
  expect(await troupe.texts.approve(folder, shown!)).toMatchObject({
    ok: false,
    failure: { type: 'changed' },
  })
  expect((await troupe.texts.waiting(folder))[0]?.text).toContain('And more.')
})

test('in a folder that is trusted with the one around it, nothing counts at first', async () => {
  const inner = join(folder, 'inner')
  put('inner/.git/HEAD', 'ref: refs/heads/main\n')
  put('inner/CLAUDE.md', 'NEW-CLAUDE\n')
  put('inner/.claude/agents/other.md', '---\nname: other\ndescription: NEW-AGENT\n---\nNEW-BODY\n')
  const troupe = await program()
  expect(found((await troupe.run([], inner)).told)).toEqual([])
})
