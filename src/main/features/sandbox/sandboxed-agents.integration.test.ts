/** Agents whose commands run in the real sandbox, through the whole runtime. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import { defaultSandboxSettings } from '../../../shared/settings/sandbox-settings.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { beginConversation, watchEvents } from '../../runtime/testing/event-watch.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'
import type { ScriptedServer } from '../rehearsal/scripted-server.ts'

const ROOT = join(import.meta.dirname, '../../../..')

let base: string
let folder: string
let server: ScriptedServer
let program: ComposedRuntime
let problems: string[]
let input: object
let tool: string

beforeEach(async () => {
  // The sandbox has its own devices, so memory folders below /dev are not in it.
  base = await realpath(await mkdtemp('/var/tmp/troupe-in-sandbox-'))
  folder = join(base, 'project')
  await mkdir(join(base, 'home', '.ssh'), { recursive: true })
  await mkdir(folder)
  problems = []
  tool = 'Bash'
})
afterEach(async () => {
  await program.close()
  await server.close()
  await rm(base, { recursive: true, force: true, maxRetries: 5 })
})

/** The model makes the call `input` and ends its turn; a subagent does the same. */
async function open(settings: Partial<Settings> = {}, path = process.env['PATH'] ?? ''): Promise<void> {
  server = await startScriptedServer({
    director: {
      reply: async ({ messages }) => {
        const turns = messages.filter(({ role }) => role === 'assistant').length
        if (turns > 0) return { blocks: [{ type: 'text', text: 'Done.' }] }
        const isSubagent = JSON.stringify(messages).includes('Do your part')
        const call = isSubagent ? { name: 'Bash', input } : { name: tool, input: inputOf() }
        return { blocks: [{ type: 'tool_use', ...call }] }
      },
    },
  })
  program = await composeRuntime({
    dataFolder: join(base, 'data'),
    home: join(base, 'home'),
    environment: { PATH: path, HOME: join(base, 'home') },
    managedSettings: [],
    settings: { current: { ...defaultSettings, trustedFolders: [folder], ...settings } },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
    onProblem: (problem) => problems.push(problem),
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
}

const inputOf = () =>
  tool === 'Agent' ? { description: 'Look', prompt: 'Do your part', subagent_type: 'Explore' } : input

/** Runs one call to its end. Requests of the agents are answered as given. */
async function run(
  call: object,
  answer: 'allow-once' | 'deny' = 'deny',
  permissionMode: PermissionMode = 'default',
): Promise<readonly AgentEvent[]> {
  input = call
  const { events } = watchEvents(program.runtime)
  program.runtime.subscribe((delta) => {
    if (delta.type !== 'event' || delta.event.type !== 'permission-asked') return
    const { agentId, requestId } = delta.event
    queueMicrotask(
      () =>
        void program.runtime.dispatch({
          type: 'agent.answer',
          conversationId,
          agentId,
          requestId,
          answer: answer === 'deny' ? { decision: 'deny', feedback: null } : { decision: 'allow-once' },
        }),
    )
  })
  const conversationId = await beginConversation(program.runtime, 'Go', { folder, permissionMode })
  await program.runtime.settled(conversationId)
  return events
}

const asked = (events: readonly AgentEvent[]) => events.filter((event) => event.type === 'permission-asked')
const startedBash = (events: readonly AgentEvent[]) =>
  events.find((event) => event.type === 'tool-started' && event.name === 'Bash')
const resultOf = (events: readonly AgentEvent[]) => {
  const ended = events.find((event) => event.type === 'tool-ended' && event.name === 'Bash')
  return ended?.type === 'tool-ended' ? String(ended.content) : ''
}

const hasSandbox =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/socat')

describe.runIf(hasSandbox)('where the sandbox runs', () => {
  test('a command that can only touch the folder needs no question, and the log says where it ran', async () => {
    await open()
    const events = await run({ command: "node -e \"require('fs').writeFileSync('made.txt', 'x')\"" })
    expect(asked(events)).toEqual([])
    expect(startedBash(events)).toMatchObject({ confinement: 'sandbox' })
    expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe('x')
    expect(problems).toEqual([])
  })

  test('a refused write is explained to the model, which may ask to run it outside', async () => {
    await open()
    const outside = join(base, 'outside.txt')
    const command = `python3 -c "open('${outside}', 'w').write('x')"`
    expect(resultOf(await run({ command }))).toContain('outside_sandbox: true')
    expect(existsSync(outside)).toBe(false)
    const denied = await run({ command, outside_sandbox: true })
    expect(asked(denied)).toMatchObject([{ subject: { confinement: 'outside' } }])
    expect(existsSync(outside)).toBe(false)
    const allowed = await run({ command, outside_sandbox: true }, 'allow-once')
    expect(startedBash(allowed)).toMatchObject({ confinement: 'outside' })
    expect(await readFile(outside, 'utf8')).toBe('x')
  })

  test('a known write elsewhere is asked about, and runs where it can work', async () => {
    await open()
    const outside = join(base, 'outside.txt')
    const events = await run({ command: `echo x > ${outside}` }, 'allow-once')
    expect(asked(events)).toMatchObject([{ subject: { confinement: 'outside' } }])
    expect(await readFile(outside, 'utf8')).toBe('x\n')
  })

  test('keys are not readable, also for a program that no rule knows', async () => {
    await writeFile(join(base, 'home', '.ssh', 'id_rsa'), 'PRIVATE')
    await open()
    const events = await run({
      command: `python3 -c "print(open('${base}/home/.s' + 'sh/id_' + 'rsa').read())"`,
    })
    expect(resultOf(events)).not.toContain('PRIVATE')
    expect(resultOf(events)).toMatch(/Error/)
  })

  test('a read-only agent runs any command, and changes nothing', async () => {
    await writeFile(join(folder, 'a.txt'), 'a')
    await open()
    tool = 'Agent'
    const events = await run({
      command: "node -e \"console.log(6*7); require('fs').writeFileSync('a.txt', 'b')\"",
    })
    expect(asked(events)).toEqual([])
    expect(startedBash(events)).toMatchObject({ confinement: 'read-only' })
    expect(resultOf(events)).toContain('42')
    expect(resultOf(events)).toContain('EROFS')
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('a')
  })

  test('the user can have each command asked about, and keep all of them inside', async () => {
    const sandbox = {
      ...defaultSandboxSettings,
      autoAllowBashIfSandboxed: false,
      allowUnsandboxedCommands: false,
    }
    await open({ sandbox })
    const events = await run({ command: 'touch made.txt' }, 'allow-once')
    expect(asked(events)).toMatchObject([{ subject: { confinement: 'sandbox' } }])
    expect(existsSync(join(folder, 'made.txt'))).toBe(true)
    const refused = await run({ command: 'touch made.txt', outside_sandbox: true }, 'allow-once')
    expect(asked(refused)).toEqual([])
    expect(resultOf(refused)).toContain('keep all commands in the sandbox')
  })

  test('a command in the background runs in it too', async () => {
    await open()
    const outside = join(base, 'outside.txt')
    const { when } = watchEvents(program.runtime)
    const events = await run({
      command: `python3 -c "open('${outside}', 'w').write('x')"; echo ended > ended.txt`,
      run_in_background: true,
    })
    await when('command-ended')
    expect(asked(events)).toEqual([])
    expect(await readFile(join(folder, 'ended.txt'), 'utf8')).toBe('ended\n')
    expect(existsSync(outside)).toBe(false)
  })
})

describe('where it can not run', () => {
  test('a command is asked about as ever, never run silently, and the user is told once', async () => {
    const programs = join(base, 'programs')
    await mkdir(programs)
    for (const name of ['bash', 'touch', 'git']) {
      const real = (process.env['PATH'] ?? '')
        .split(':')
        .map((each) => join(each, name))
        .find(existsSync)
      await writeFile(join(programs, name), `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 })
    }
    await open({}, programs)
    const events = await run({ command: 'touch made.txt' })
    expect(asked(events)).toHaveLength(1)
    expect(asked(events)[0]).not.toHaveProperty('subject.confinement')
    expect(existsSync(join(folder, 'made.txt'))).toBe(false)
    await run({ command: 'touch made.txt' })
    await program.close()
    await server.close()
    await open({}, programs)
    await run({ command: 'touch made.txt' })
    expect(problems).toEqual([expect.stringContaining('needs bubblewrap and socat')])
  })
})
