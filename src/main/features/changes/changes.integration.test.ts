/** Changes of files through the whole runtime: real tools on a real folder, recorded, told, undone. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { createGit } from '../../platform/git/git-client.ts'
import { createShell } from '../../platform/shell/create-shell.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../platform/transcripts/create-transcript-store.ts'
import type { MemoryStore } from '../../runtime/testing/memory-store.ts'
import type { Script } from '../../runtime/testing/scripted-model.ts'
import {
  agentCall,
  allIsDone,
  type Call,
  childrenOf,
  echo,
  gate,
  isMain,
  script,
  turnOf,
} from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestOptions } from '../../runtime/testing/test-runtime.ts'
import { createChangeJournal } from './change-journal.ts'
import { createChanges } from './changes-service.ts'

interface Ground {
  readonly folder: string
  readonly data: string
}

function ground(): Ground {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-changes-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  return { folder, data: join(top, 'data') }
}

const environment = { PATH: process.env['PATH'] ?? '' }

async function program(
  { folder, data }: Ground,
  options: { readonly script: Script; readonly store?: MemoryStore; readonly ports?: TestOptions['ports'] },
) {
  const git = createGit({ environment })
  const journal = createChangeJournal({ git, now: Date.now, folderOf: (id) => join(data, id) })
  const shell = createShell({ environment })
  const troupe = createTestRuntime({
    ...options,
    policy: { bypassAllowed: () => true },
    ports: { files: createNodeFileSystem(), shell: shell.shell, changes: journal, ...options.ports },
  })
  const changes = createChanges({
    git,
    store: options.ports?.store ?? troupe.store,
    runtime: troupe.runtime,
    journal,
    folder: data,
    limits: () => ({ days: 30, megabytes: 100 }),
    ...{ now: Date.now, newKey: randomUUID },
    onProblem: (message) => {
      throw new Error(message)
    },
  })
  const begin = (text: string) => troupe.begin(text, { folder, permissionMode: 'bypassPermissions' })
  onTestFinished(() => shell.killAll())
  return { ...troupe, changes, begin }
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

const notices = (events: readonly AgentEvent[], agentId: string | undefined) =>
  events.flatMap((event) => (event.type === 'notice' && event.agentId === agentId ? [event.text] : []))

test('edits and commands of two agents are recorded, both are told of a shared file, and one is undone', async () => {
  const place = ground()
  const file = join(place.folder, 'f.txt')
  writeFileSync(file, 'one\ntwo\nthree\n')
  const troupe = await program(place, {
    script: script(
      [
        { calls: [['Read', { file_path: file }]] },
        { calls: [['Edit', { file_path: file, old_string: 'one', new_string: 'ONE' }]] },
        { calls: [agentCall('ben')] },
        echo,
      ],
      (request) => {
        const turn = request.messages.filter(({ role }) => role === 'assistant').length
        if (turn === 0) return { calls: [['Read', { file_path: file }]] }
        if (turn === 1)
          return { calls: [['Edit', { file_path: file, old_string: 'three', new_string: 'THREE' }]] }
        if (turn === 2)
          return { calls: [['Bash', { command: 'mkdir -p out && echo made > out/made.txt; ls' }]] }
        return { text: 'Done.' }
      },
    ),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const list = must(await troupe.changes.list({ conversationId: id }))
  expect(
    list.calls.map(({ label, files }) => [
      label.split(' ')[0],
      files.map(({ letter, shown }) => `${letter} ${shown}`),
    ]),
  ).toEqual([
    ['Edit', ['M f.txt']],
    ['Edit', ['M f.txt']],
    ['mkdir', ['A out/made.txt']],
  ])
  const [main, ben] = list.agents
  expect(list.calls[0]?.files[0]).toMatchObject({ added: 1, removed: 1, alsoBy: [ben?.agentId], kept: 'yes' })
  expect(notices(troupe.events, main?.agentId)).toEqual([
    'general-purpose changed f.txt, which this agent has changed.',
  ])
  expect(notices(troupe.events, ben?.agentId)).toEqual([
    'The main agent has changed f.txt too, in the same folder.',
  ])

  const scope = { kind: 'agent', agentId: ben?.agentId ?? '' } as const
  const { version } = must(await troupe.changes.preview({ conversationId: id, scope, choices: {} }))
  const done = must(
    await troupe.changes.undo({ conversationId: id, scope, version, choices: {}, continues: false }),
  )
  expect(done).toMatchObject({ restored: 1, deleted: 1, left: [] })
  expect(readFileSync(file, 'utf8')).toBe('ONE\ntwo\nthree\n')
  await troupe.say(id, 'Go on')
  await troupe.runtime.settled(id)
  const said = JSON.stringify(troupe.model.requests.at(-1)?.messages)
  expect(said).toContain('The user undid changes that agents made.')
  expect(said).toContain(file)
})

test('an agent that has ended is told too when another one changes its file, also by a command; not of the file in a worktree', async () => {
  const place = ground()
  const file = join(place.folder, 'f.txt')
  const elsewhere = join(place.folder, 'worktree', 'f.txt')
  const troupe = await program(place, {
    script: script(
      [
        { calls: [agentCall('ben')] },
        { calls: [['Bash', { command: 'echo more >> f.txt' }]] },
        { calls: [['Write', { file_path: elsewhere, content: 'other' }]] },
        echo,
      ],
      (request) =>
        turnOf(request) === 1
          ? { calls: [['Write', { file_path: file, content: 'mine\n' }]] }
          : { text: 'Done.' },
    ),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const [ben] = childrenOf(troupe)
  const main = troupe.events.find(({ type }) => type === 'agent-spawned')?.agentId
  const told = 'The main agent changed f.txt, which this agent has changed.'
  await expect.poll(() => notices(troupe.events, ben?.agentId)).not.toEqual([])
  expect(troupe.runtime.state(id, ben?.agentId ?? '')?.status).toBe('completed')
  expect(notices(troupe.events, ben?.agentId)).toEqual([told])
  expect(notices(troupe.events, main)).toEqual(['general-purpose has changed f.txt too, in the same folder.'])
})

test('the user is told of a command that changed what agents are told from', async () => {
  const place = ground()
  writeFileSync(
    join(place.folder, 'make.sh'),
    'mkdir -p .claude/agents; tee CLAUDE.md .claude/agents/x.md plain.txt < make.sh',
  )
  const command = 'sh make.sh'
  const troupe = await program(place, {
    script: script([{ calls: [['Bash', { command }]] }, echo], () => ({ text: '' })),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const main = troupe.events.find(({ type }) => type === 'agent-spawned')?.agentId
  const told = notices(troupe.events, main)
  expect(told.map((text) => /^A command changed (\S+)\./.exec(text)?.[1]).sort()).toEqual([
    '.claude/agents/x.md',
    'CLAUDE.md',
  ])
})

test('back to a message: agents stop, the files go back, and a new conversation ends before the message; a redo', async () => {
  const place = ground()
  const file = join(place.folder, 'f.txt')
  const works = gate()
  const troupe = await program(place, {
    script: (request, signal) => {
      if (!isMain(request))
        return new Promise((resolve) => {
          works.open()
          signal.addEventListener('abort', () => resolve({ text: 'Stopped.' }), { once: true })
        })
      const last = JSON.stringify(request.messages.at(-1)?.content)
      const wish = /write (\w+)/.exec(last)?.[1]
      if (!wish || last.includes('tool_result')) return { text: 'Done.' }
      const write: Call = [
        'Write',
        { file_path: wish === 'third' ? `${file}.new` : file, content: `${wish}\n` },
      ]
      return { calls: wish === 'second' ? [write, agentCall('slow', { run_in_background: true })] : [write] }
    },
  })
  const id = await troupe.begin('write first')
  await troupe.runtime.settled(id)
  await troupe.say(id, 'write second')
  await works.opened
  expect(readFileSync(file, 'utf8')).toBe('second\n')
  const { messages } = must(await troupe.changes.list({ conversationId: id }))
  const scope = { kind: 'message', seq: messages[1]?.seq ?? -1 } as const
  const preview = must(await troupe.changes.preview({ conversationId: id, scope, choices: {} }))
  expect(preview).toMatchObject({ messages: 1, messageText: 'write second', files: [{ action: 'restored' }] })
  const [slow] = childrenOf(troupe)
  expect(preview.stops.map(({ agentId }) => agentId)).toContain(slow?.agentId)
  const { version } = preview
  const outcome = must(
    await troupe.changes.undo({ conversationId: id, scope, version, choices: {}, continues: true }),
  )
  expect(readFileSync(file, 'utf8')).toBe('first\n')
  expect(troupe.runtime.state(id, slow?.agentId ?? '')?.status).toBe('stopped')
  const branchId = outcome.conversationId ?? ''
  const branch = must(await troupe.runtime.snapshot(branchId))
  const events: AgentEvent[] = []
  for await (const batch of troupe.store.events(branch.record.mainAgentId)) events.push(...must(batch))
  const texts = JSON.stringify(events.filter(({ type }) => type === 'user-message'))
  expect(texts).toContain('write first')
  expect(texts).not.toContain('write second')
  expect(texts).toContain('The changes that agents made to files after this point were undone')

  // The branch shows what was changed before it, and goes on.
  const inherited = must(await troupe.changes.list({ conversationId: branchId }))
  expect(inherited.calls).toMatchObject([
    { label: `Write f.txt`, files: [{ letter: 'A', cannot: expect.stringContaining('before the branch') }] },
  ])
  const { agentId = '', toolUseId = '' } = inherited.calls[0] ?? {}
  const shown = { conversationId: branchId, path: file, agentId, toolUseId }
  expect(must(await troupe.changes.file(shown))).toEqual({ kind: 'text', before: null, after: 'first\n' })
  const again = must(await troupe.changes.previewRedo({ conversationId: id, choices: {} }))
  must(await troupe.changes.redo({ conversationId: id, version: again.version, choices: {} }))
  expect(readFileSync(file, 'utf8')).toBe('second\n')
  await troupe.say(branchId, 'write third')
  await troupe.runtime.settled(branchId)
  const goneOn = must(await troupe.changes.list({ conversationId: branchId }))
  expect(goneOn.calls.map(({ label, files }) => [label, files[0]?.cannot === null])).toEqual([
    ['Write f.txt', false],
    ['Write f.txt.new', true],
  ])
})

test('a command in the background: what it changed until its end is its own', async () => {
  const place = ground()
  const command = 'echo one > one.txt; while [ ! -e go ]; do sleep 0.01; done; echo two > two.txt'
  const troupe = await program(place, {
    script: script(
      [
        { calls: [['Bash', { command, run_in_background: true }]] },
        { calls: [['Write', { file_path: join(place.folder, 'go'), content: '' }]] },
        echo,
      ],
      echo,
    ),
  })
  const id = await troupe.begin('Go')
  await troupe.when('command-ended')
  await troupe.runtime.settled(id)
  const { calls } = must(await troupe.changes.list({ conversationId: id }))
  // The command may end before the Write's change is recorded.
  const changed = Object.fromEntries(
    calls.map(({ label, files }) => [label, files.map(({ shown }) => shown).sort()]),
  )
  expect(changed).toEqual({ 'Write go': ['go'], [command]: ['one.txt', 'two.txt'] })
})

test('a command that ran when the program died: its changes are in the list after the next start', async () => {
  const place = ground()
  const file = join(place.folder, 'half.txt')
  const before = await program(place, {
    script: () => ({ calls: [['Bash', { command: 'make half' }]] }),
    ports: {
      shell: {
        run: () => {
          writeFileSync(file, 'half\n')
          return new Promise(() => {})
        },
      },
    },
  })
  const id = await before.begin('Go')
  await before.when('tool-started')
  while (!existsSync(file)) await allIsDone()
  const after = await program(place, { script: echo, store: before.store.afterCrash() })
  await after.say(id, 'Continue')
  await after.runtime.settled(id)
  const { calls } = must(await after.changes.list({ conversationId: id }))
  expect(calls).toMatchObject([{ label: 'make half', files: [{ letter: 'A', shown: 'half.txt' }] }])
  expect(calls[0]?.note).toContain('The program ended during this call.')
})

for (const [way, expected] of [
  ['write', ['M old.txt']],
  ['command', ['A half.txt', 'D old.txt']],
] as const)
  test(`a process that is killed during a ${way}: its changes are the agent’s, also those of a command in the background`, async () => {
    const place = ground()
    const old = join(place.folder, 'old.txt')
    writeFileSync(old, 'old\n')
    const args = [join(import.meta.dirname, '../../testing/killed-changes.ts'), place.data, place.folder, way]
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
    const store = createTranscriptStore({ dataFolder: place.data, clock: createSystemClock() })
    const after = await program(
      { ...place, data: join(place.data, 'kept') },
      { script: echo, ports: { store } },
    )
    const [id = ''] = readdirSync(join(place.data, 'kept'))
    await after.say(id, 'Continue')
    await after.runtime.settled(id)
    const { calls, user } = must(await after.changes.list({ conversationId: id }))
    expect(calls.map(({ files }) => files.map(({ letter, shown }) => `${letter} ${shown}`).sort())).toEqual([
      expected,
      ['A ready', 'A slow.txt'],
    ])
    expect(user).toEqual([])
    const scope = { kind: 'all' } as const
    const { version } = must(await after.changes.preview({ conversationId: id, scope, choices: {} }))
    must(await after.changes.undo({ conversationId: id, scope, version, choices: {}, continues: false }))
    expect([readdirSync(place.folder), readFileSync(old, 'utf8')]).toEqual([['old.txt'], 'old\n'])
    writeFileSync(join(place.folder, 'go'), '')
    await after.runtime.close()
  })
