import { describe, expect, test } from 'vitest'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { AgentEvent, AgentEventDraft } from '../../../shared/events/agent-event.ts'
import { History } from '../loop/history.ts'
import type { InstructionFile, LoadedDefinition, MemorySource } from '../ports/definitions.ts'
import type { ModelRequest } from '../ports/model.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { lastWords, type Script } from '../testing/scripted-model.ts'
import { createTestRuntime, testDefinitions } from '../testing/test-runtime.ts'

const OWN = '/home/me/.claude/agent-memory/keeper'
const file = (path: string, text: string, scope: InstructionFile['scope'] = 'project'): InstructionFile => ({
  path,
  text,
  scope,
  importedBy: null,
  bytes: text.length,
  digest: text,
})

/** Files that a test changes while agents run. */
function changingFiles() {
  const start = new Map<string, InstructionFile>()
  const nested = new Map<string, string>()
  const source: MemorySource = {
    load: async (_folder, { name, memory, omitProjectInstructions }) => ({
      files: [
        ...(omitProjectInstructions ? [] : start.values()),
        ...(memory === null ? [] : [file(`${OWN}/MEMORY.md`, `${name} noted this.`, 'agent')]),
      ],
      folder: memory === null ? null : OWN,
      problems: memory === null ? [] : ['MEMORY.md is long.'],
    }),
    below: async (folder, path, { trusted }) =>
      !trusted
        ? []
        : [...nested].flatMap(([at, text]) =>
            at !== folder && path.startsWith(`${at}/`) ? [file(`${at}/CLAUDE.md`, text)] : [],
          ),
  }
  const put = (path: string, text: string) => start.set(path, file(path, text))
  return { source, put, remove: (path: string) => start.delete(path), nested }
}

const definition = (more: Partial<LoadedDefinition>): LoadedDefinition => ({
  ...plainDefinition('keeper', 'Keeps notes.'),
  prompt: 'You keep notes.',
  source: 'user',
  file: null,
  ...more,
})
const loadedIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'instructions-loaded' ? [event] : []))
const isMain = (request: ModelRequest) => request.system.includes('You are the main agent.')
const turnOf = (request: ModelRequest) => request.messages.filter(({ role }) => role === 'assistant').length
const reads =
  (...paths: readonly string[]): Script =>
  (request) => {
    const path = paths[turnOf(request)]
    return path === undefined ? { text: 'done' } : { calls: [['Read', { file_path: path }]] }
  }

describe('the start of an agent', () => {
  const start = (agent: LoadedDefinition) => {
    const files = changingFiles()
    files.put('/project/CLAUDE.md', 'Tabs, not spaces.')
    return createTestRuntime({
      memory: files.source,
      definitions: [...testDefinitions, agent],
      script: (request) => {
        if (!isMain(request) || turnOf(request) > 0) return { text: 'done' }
        return { calls: [['Agent', { description: 'x', prompt: 'Go.', subagent_type: agent.name }]] }
      },
    })
  }
  const run = async (agent: LoadedDefinition) => {
    const troupe = start(agent)
    await troupe.runtime.settled(await troupe.begin('Go'))
    const spawned = troupe.events.flatMap((event) =>
      event.type === 'agent-spawned' && event.parentId !== null ? [event] : [],
    )[0]
    return { troupe, spawned, request: troupe.model.requests.find((one) => !isMain(one)) }
  }

  test('puts the instructions into the prompt, and their files into the first event', async () => {
    const { troupe, spawned, request } = await run(definition({}))
    expect(request?.system).toContain('## From /project/CLAUDE.md\nTabs, not spaces.')
    expect(spawned?.instructions).toEqual([
      {
        path: '/project/CLAUDE.md',
        scope: 'project',
        importedBy: null,
        bytes: 17,
        digest: 'Tabs, not spaces.',
      },
    ])
    expect(troupe.model.requests[0]?.system).toContain('Tabs, not spaces.')
  })

  test('adds the agent’s own memory with its writable folder if the definition has memory', async () => {
    const { troupe, spawned, request } = await run(definition({ memory: 'user' }))
    expect(request?.system).toContain(`The folder ${OWN} belongs to you alone`)
    expect(request?.system).toContain('keeper noted this.')
    expect(spawned?.definition).toMatchObject({ writeFolders: [OWN], readFolders: [OWN], memory: 'user' })
    expect(spawned?.instructions.map(({ scope }) => scope)).toEqual(['project', 'agent'])
    expect(troupe.events).toContainEqual(
      expect.objectContaining({ type: 'notice', level: 'warning', text: 'MEMORY.md is long.' }),
    )
  })

  test('adds only the agent’s own memory if the definition omits instructions', async () => {
    const { request } = await run(definition({ memory: 'user', omitProjectInstructions: true }))
    expect(request?.system).not.toContain('Tabs')
    expect(request?.system).toContain('keeper noted this.')
  })

  test('adds the memory to the boundary of a fork, whose prompt is identical to its parent’s', async () => {
    const { troupe, spawned } = await run(definition({ memory: 'user', forkContext: true }))
    const [parent, fork] = troupe.model.requests
    expect(fork?.system).toBe(parent?.system)
    const said = JSON.stringify(fork?.messages)
    expect(said).toContain('keeper noted this.')
    expect(said).not.toContain('Tabs')
    expect(spawned?.instructions.map(({ scope }) => scope)).toEqual(['agent'])
    expect(spawned?.definition.writeFolders).toEqual([OWN])
  })
})

test('memory adds Read, Write and Edit for the agent’s own folder only', async () => {
  const troupe = createTestRuntime({
    memory: changingFiles().source,
    definitions: [...testDefinitions, definition({ memory: 'user', tools: ['Grep'] })],
    script: (request) => {
      if (isMain(request))
        return turnOf(request) === 0
          ? { calls: [['Agent', { description: 'x', prompt: 'Go.', subagent_type: 'keeper' }]] }
          : { text: 'done' }
      if (turnOf(request) > 0) return { text: 'done' }
      return {
        calls: [
          ['Write', { file_path: `${OWN}/notes.md`, content: 'x' }],
          ['Write', { file_path: '/project/notes.md', content: 'x' }],
          ['Read', { file_path: '/project/notes.md' }],
        ],
      }
    },
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const child = troupe.model.requests.find((one) => !isMain(one))
  expect(child?.tools.map(({ name }) => name)).toEqual(['Read', 'Write', 'Edit', 'Grep'])
  const ended = troupe.events.flatMap((event) =>
    event.type === 'tool-ended' && String(event.content).includes('definition allows only') ? ['denied'] : [],
  )
  expect(ended).toEqual(['denied', 'denied'])
})

describe('an agent’s own folder', () => {
  const writes = (agent: Partial<LoadedDefinition>, permissionMode: 'default' | 'plan' = 'default') => {
    const troupe = createTestRuntime({
      memory: changingFiles().source,
      definitions: [...testDefinitions, definition({ memory: 'user', ...agent })],
      script: (request) => {
        if (turnOf(request) > 0) return { text: lastWords(request) }
        return isMain(request)
          ? { calls: [['Agent', { description: 'x', prompt: 'Go.', subagent_type: 'keeper' }]] }
          : { calls: [['Write', { file_path: `${OWN}/tests.md`, content: 'Tests need Redis.\n' }]] }
      },
    })
    return { troupe, ended: troupe.begin('Go', { permissionMode }).then((id) => troupe.runtime.settled(id)) }
  }
  const writeOf = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'tool-ended' && event.name === 'Write' ? [event] : []))[0]

  test('is written without permission', async () => {
    const { troupe, ended } = writes({})
    await ended
    expect(writeOf(troupe.events)).toMatchObject({ isError: false, note: expect.stringContaining('1') })
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
  })

  test('is not written by read-only agents, nor in plan mode', async () => {
    for (const { troupe, ended } of [writes({ readOnly: true }), writes({}, 'plan')]) {
      await ended
      expect(writeOf(troupe.events)).toMatchObject({ isError: true })
    }
  })
})

describe('instructions of a subfolder', () => {
  const deep = '/project/api/deep/a.ts'

  test('are added to the next message after the first access, and only once', async () => {
    const files = changingFiles()
    files.nested.set('/project/api', 'Use zod.')
    const troupe = createTestRuntime({ memory: files.source, script: reads('/project/b.ts', deep, deep) })
    await troupe.runtime.settled(await troupe.begin('Go'))

    const received = troupe.model.requests.map((request) => lastWords(request).includes('Use zod.'))
    expect(received).toEqual([false, false, true, false])
    expect(new Set(troupe.model.requests.map(({ system }) => system)).size).toBe(1)
    expect(loadedIn(troupe.events).map(({ files }) => files.map(({ path }) => path))).toEqual([
      ['/project/api/CLAUDE.md'],
    ])
  })

  test('are added after a write, a search, or a command that changes the folder', async () => {
    const calls = [
      ['Write', { file_path: '/project/w/new.ts', content: 'x' }],
      ['Grep', { pattern: 'x', path: 'g/src' }],
      ['Glob', { pattern: '*.ts', path: 'l/src' }],
      ['Bash', { command: 'cd b/src' }],
    ] as const
    const files = changingFiles()
    for (const name of ['w', 'g', 'l', 'b']) files.nested.set(`/project/${name}`, `rules of ${name}`)
    const troupe = createTestRuntime({
      memory: files.source,
      policy: { bypassAllowed: () => true },
      shell: async () => ({ output: '', exitCode: 0, ended: 'exit', cwd: '/project/b/src' }),
      script: (request) => {
        const call = calls[turnOf(request)]
        return call === undefined ? { text: 'done' } : { calls: [call] }
      },
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const asked = await Promise.race([troupe.when('permission-asked'), troupe.runtime.settled(id)])
    if ('requestId' in asked)
      await troupe.runtime.dispatch({
        type: 'agent.answer',
        conversationId: id,
        agentId: asked.agentId,
        requestId: asked.requestId,
        answer: { decision: 'allow-once' },
      })
    await troupe.runtime.settled(id)
    const received = troupe.model.requests
      .slice(1)
      .map((request) => /rules of ./.exec(lastWords(request))?.[0])
    expect(received).toEqual(['rules of w', 'rules of g', 'rules of l', 'rules of b'])
  })

  test('are added for each agent separately, and never for agents that omit instructions', async () => {
    const files = changingFiles()
    files.nested.set('/project/api', 'Use zod.')
    const troupe = createTestRuntime({
      memory: files.source,
      definitions: [
        ...testDefinitions,
        definition({ name: 'one' }),
        definition({ name: 'two', prompt: 'You look.', omitProjectInstructions: true }),
      ],
      script: (request, signal) => {
        if (!isMain(request)) return reads(deep)(request, signal)
        const start = (name: string) =>
          ['Agent', { description: name, prompt: 'Go.', subagent_type: name }] as const
        return turnOf(request) === 0
          ? { calls: [start('one'), start('two')] }
          : reads('', deep)(request, signal)
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const names = troupe.events.flatMap((event) =>
      event.type === 'agent-spawned' ? [[event.agentId, event.definition.name] as const] : [],
    )
    const received = loadedIn(troupe.events).map(({ agentId }) => new Map(names).get(agentId))
    expect(received.sort()).toEqual(['main', 'one'])
  })

  test('are ignored in an untrusted folder', async () => {
    const files = changingFiles()
    files.nested.set('/project/api', 'Use zod.')
    const troupe = createTestRuntime({
      memory: files.source,
      policy: { trusted: () => false },
      script: reads(deep),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(loadedIn(troupe.events)).toEqual([])
  })

  test('are not repeated after a restart', async () => {
    const files = changingFiles()
    files.nested.set('/project/api', 'Use zod.')
    const store = createMemoryStore()
    const before = createTestRuntime({ store, memory: files.source, script: reads(deep) })
    const id = await before.begin('Go')
    await before.runtime.settled(id)
    await before.runtime.close()

    const script: Script = (request) =>
      turnOf(request) === 2 ? { calls: [['Read', { file_path: deep }]] } : { text: 'done' }
    const after = createTestRuntime({ store, memory: files.source, script })
    await after.say(id, 'And again')
    await after.runtime.settled(id)
    expect(after.model.requests).toHaveLength(2)
    expect(loadedIn(after.events)).toEqual([])
    expect(JSON.stringify(after.model.requests.at(-1)?.messages).match(/Use zod\./g)).toHaveLength(1)
  })
})

describe('instructions that change while the main agent runs', () => {
  test('are added to its next message; the cached prefix stays unchanged', async () => {
    const files = changingFiles()
    files.put('/project/CLAUDE.md', 'Tabs.')
    files.put('/project/AGENTS.md', 'Be brief.')
    const troupe = createTestRuntime({ memory: files.source, script: () => ({ text: 'done' }) })
    const id = await troupe.begin('One')
    await troupe.runtime.settled(id)
    const next = async (text: string) => {
      await troupe.say(id, text)
      await troupe.runtime.settled(id)
      return lastWords(troupe.model.requests.at(-1)!)
    }
    expect(await next('Two')).toBe('Two')
    files.put('/project/CLAUDE.md', 'Spaces.')
    expect(await next('Three')).toContain('## From /project/CLAUDE.md\nSpaces.')
    expect(await next('Four')).toBe('Four')
    files.remove('/project/AGENTS.md')
    expect(await next('Five')).toContain('no longer apply: /project/AGENTS.md')
    expect(await next('Six')).toBe('Six')
    files.put('/project/CLAUDE.md', 'Tabs.')
    expect(await next('Seven')).toContain('## From /project/CLAUDE.md\nTabs.')
    expect(new Set(troupe.model.requests.map(({ system }) => system)).size).toBe(1)
    expect(loadedIn(troupe.events).map((event) => event.files.map(({ bytes }) => bytes))).toEqual([
      [7],
      [0],
      [5],
    ])
  })

  test('are repeated after a compaction, as are those of subfolders', () => {
    const history = new History(null)
    const apply = (draft: AgentEventDraft) =>
      history.apply({ v: 2, agentId: 'a', seq: 0, order: 0, at: 0, ...draft } as AgentEvent)
    const loaded = { path: '/project/api/CLAUDE.md', scope: 'project', importedBy: null, bytes: 8 } as const
    apply({ type: 'instructions-loaded', files: [loaded], text: 'Use zod.' })
    expect(JSON.stringify(history.messages())).toContain('Use zod.')
    expect([...history.told.instructions.keys()]).toEqual([loaded.path])
    apply({ type: 'context-compacted', summary: 'All is well.' })
    expect([...history.told.instructions.keys()]).toEqual([])
  })

  test('are read once a second while the agent works, and with each message of the user', async () => {
    const files = changingFiles()
    let loads = 0
    let catalogs = 0
    const load: MemorySource['load'] = (...args) => {
      loads++
      return files.source.load(...args)
    }
    const troupe = createTestRuntime({
      memory: { ...files.source, load },
      definitions: () => {
        catalogs++
        return testDefinitions
      },
      script: (request) => {
        if (turnOf(request) === 15) troupe.advance(1000)
        return turnOf(request) % 20 === 19 ? { text: 'done' } : { calls: [['TodoWrite', { todos: [] }]] }
      },
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const before = { loads, catalogs }
    expect(troupe.model.requests).toHaveLength(20)
    // At the start, with the message, and once more after a second.
    expect(before.loads).toBe(3)
    await troupe.say(id, 'Again')
    await troupe.runtime.settled(id)
    expect(loads).toBe(before.loads + 1)
    expect(catalogs).toBeGreaterThan(before.catalogs)
    expect(catalogs).toBeLessThan(10)
  })

  test('are not sent to subagents', async () => {
    const files = changingFiles()
    files.put('/project/CLAUDE.md', 'Tabs.')
    const troupe = createTestRuntime({
      memory: files.source,
      script: (request, signal) => {
        if (!isMain(request)) {
          files.put('/project/CLAUDE.md', 'Spaces.')
          return reads('/project/x')(request, signal)
        }
        if (turnOf(request) > 0) return { text: 'done' }
        troupe.advance(1000)
        return { calls: [['Agent', { description: 'x', prompt: 'Go.', subagent_type: 'general-purpose' }]] }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const received = troupe.model.requests.filter((request) => lastWords(request).includes('Spaces.'))
    expect(received.map(isMain)).toEqual([true])
  })
})
