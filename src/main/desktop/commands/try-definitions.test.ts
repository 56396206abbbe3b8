import { describe, expect, test, vi } from 'vitest'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { dispatchTo } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { DefinitionSource, LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { Runtime, RuntimeDelta, Trial } from '../../runtime/ports/runtime.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { tryDefinitionCommands } from './try-definitions.ts'

const call = () => ({ stream: new DeltaStream({ now: () => 0 }), hold: vi.fn() })
const writer: LoadedDefinition = {
  ...plainDefinition('agent-writer', 'Writes.'),
  source: 'project',
  file: null,
}
const entry = (more: Partial<CatalogEntry>): CatalogEntry =>
  ({
    id: '/p/.claude/agents/a.md',
    path: 'a.md',
    name: 'a',
    plugin: null,
    file: '/p/.claude/agents/a.md',
    ...more,
  }) as CatalogEntry

interface Model {
  /** The answers, in order; null: the agent never answers. */
  readonly answers?: readonly (string | null)[]
  readonly failure?: { readonly type: string; readonly message: string }
  readonly entries?: readonly CatalogEntry[]
  readonly definitions?: readonly LoadedDefinition[]
  /** Runs while a message is being sent. */
  readonly meanwhile?: () => void
}

/** A fake runtime with one conversation at a time. */
function commandsWith({
  answers = [],
  failure,
  entries = [],
  definitions = [writer],
  meanwhile = () => {},
}: Model = {}) {
  const created: Trial[] = []
  const asked: string[] = []
  const trashed: string[] = []
  const listeners = new Set<(delta: RuntimeDelta) => void>()
  let stop: () => void = () => {}
  let isStopped = false
  let answered: Promise<void> = Promise.resolve()
  const runtime: Partial<Runtime> = {
    tryOut: async (options) => {
      created.push(options)
      return ok({ id: `c-${created.length}`, title: 'Try: a' } as ConversationSummary)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settled: async () => {
      await answered
      return { status: isStopped ? 'stopped' : 'waiting', failure: failure ?? null } as never
    },
    dispatch: dispatchTo({
      'conversation.send': async ({ conversationId, content }) => {
        asked.push(String(content))
        isStopped = false
        meanwhile()
        const said = answers[asked.length - 1] ?? null
        answered = new Promise((resolve) => {
          stop = resolve
          if (said !== null || failure) resolve()
        })
        const event = { type: 'assistant-message', content: [{ type: 'text', text: said ?? '' }] }
        for (const listener of listeners) listener({ type: 'event', conversationId, event } as never)
        return ok({ messageId: 'm', queued: false })
      },
      'conversation.stop': async () => {
        isStopped = true
        stop()
        return ok(undefined)
      },
      'conversation.trash': async ({ conversationId }) => {
        trashed.push(conversationId)
        return ok(undefined)
      },
    }) as Runtime['dispatch'],
  }
  const source: Partial<DefinitionSource> = {
    load: async () => ({ definitions, problems: [] }),
    catalog: async () => ({ entries, problems: [], watched: [] }),
  }
  const commands = tryDefinitionCommands({
    program: async () =>
      fakeProgram({
        runtime,
        definitions: source as DefinitionSource,
      }),
    settings: fakeSettings(),
  })
  return { commands, created, asked, trashed, listeners }
}

const folder = '/p'
const good = '---\nname: a\ndescription: b\n---\n\nYou are.\n'

describe('trying out a definition', () => {
  test('starts a conversation with the text in the editor', async () => {
    const { commands, created } = commandsWith({ entries: [entry({ source: 'user' })] })
    const id = '/p/.claude/agents/a.md'
    expect(
      await commands['definition.tryOut']({ folder, id, text: good, worktree: false }, call()),
    ).toMatchObject({
      ok: true,
    })
    expect(created).toMatchObject([
      {
        folder,
        definition: { name: 'a', description: 'b', prompt: 'You are.', source: 'user', file: id },
      },
    ])
  })

  test('a text without a file counts as the project’s; a plugin’s agent keeps its full name', async () => {
    const { commands, created } = commandsWith({
      entries: [entry({ source: 'plugin', plugin: 'ops', name: 'ops:a' })],
    })
    await commands['definition.tryOut']({ folder, id: null, text: good, worktree: false }, call())
    await commands['definition.tryOut'](
      { folder, id: '/p/.claude/agents/a.md', text: good, worktree: false },
      call(),
    )
    expect(created.map(({ definition }) => [definition.name, definition.source])).toEqual([
      ['a', 'project'],
      ['ops:a', 'plugin'],
    ])
  })

  test.each([true, false])(
    'works in its own worktree: %s, whatever the definition says',
    async (worktree) => {
      const { commands, created } = commandsWith()
      const text = good.replace(
        'description: b\n',
        `description: b\n${worktree ? '' : 'isolation: worktree\n'}`,
      )
      await commands['definition.tryOut']({ folder, id: null, text, worktree }, call())
      expect(created[0]?.definition.isolation).toBe(worktree ? 'worktree' : null)
    },
  )

  test.each([
    ['is no agent', 'Just words.', 'Line 1: The file has no frontmatter'],
    ['is not safe to start', '---\nname: a\nreadOnly: perhaps\n---\n', 'Line 3: '],
  ])('a text that %s is refused with the line', async (_, text, message) => {
    const { commands, created } = commandsWith()
    expect(
      await commands['definition.tryOut']({ folder, id: null, text, worktree: false }, call()),
    ).toMatchObject({
      ok: false,
      failure: { type: 'unreadable', message: expect.stringContaining(message) },
    })
    expect(created).toEqual([])
  })
})

describe('drafting a definition', () => {
  const draft = (commands: ReturnType<typeof commandsWith>['commands']) =>
    commands['definition.draft']({ folder, description: 'Reviews SQL.' }, call())

  test('an agent without tools gets the description; its conversation is trashed afterwards', async () => {
    const { commands, created, asked, trashed, listeners } = commandsWith({
      answers: [`\`\`\`\n${good}\`\`\``],
    })
    expect(await draft(commands)).toEqual(ok({ text: good }))
    expect(created).toMatchObject([{ definition: { name: 'agent-writer', tools: [] } }])
    expect(asked).toEqual([expect.stringContaining('Reviews SQL.')])
    expect(trashed).toEqual(['c-1'])
    expect(listeners.size).toBe(0)
  })

  test('an unusable draft is sent back once, with its problems', async () => {
    const { commands, asked } = commandsWith({ answers: ['---\nname: a\nreadOnly: perhaps\n---\n', good] })
    expect(await draft(commands)).toEqual(ok({ text: good }))
    expect(asked[1]).toContain('- line 3: ')
    expect(asked).toHaveLength(2)
  })

  test('a second draft with problems is returned; text without a definition is not', async () => {
    const unsafe = '---\nname: a\nreadOnly: perhaps\n---\n'
    expect(await draft(commandsWith({ answers: ['Sorry.', unsafe] }).commands)).toEqual(ok({ text: unsafe }))
    expect(await draft(commandsWith({ answers: ['Sorry.', 'No.'] }).commands)).toMatchObject({
      ok: false,
      failure: { type: 'no-draft' },
    })
  })

  test('a failure of the model is returned with its message, and leaves nothing behind', async () => {
    const failure = { type: 'auth', message: 'The key was refused.' }
    const { commands, trashed } = commandsWith({ failure })
    expect(await draft(commands)).toEqual(fail(failure))
    expect(trashed).toEqual(['c-1'])
  })

  test('a draft can be stopped; only one runs at a time; then the next can start', async () => {
    const { commands, trashed, asked } = commandsWith({ answers: [null, null] })
    const first = draft(commands)
    expect(await draft(commands)).toMatchObject({ ok: false, failure: { type: 'busy' } })
    await expect.poll(() => asked).toHaveLength(1)
    await commands['definition.stopDraft']({}, call())
    expect(await first).toMatchObject({ ok: false, failure: { type: 'stopped' } })
    expect(trashed).toEqual(['c-1'])
    const next = draft(commands)
    // Stops before anything has started.
    await commands['definition.stopDraft']({}, call())
    expect(await next).toMatchObject({ ok: false, failure: { type: 'stopped' } })
    expect(asked).toHaveLength(1)
    expect(await commands['definition.stopDraft']({}, call())).toEqual(ok(undefined))
  })

  test('the next draft may be requested before the stopped one has ended', async () => {
    const { commands, asked, trashed } = commandsWith({ answers: [null, good] })
    const first = draft(commands)
    await expect.poll(() => asked).toHaveLength(1)
    const stopping = commands['definition.stopDraft']({}, call())
    expect(await draft(commands)).toEqual(ok({ text: good }))
    expect(await first).toMatchObject({ failure: { type: 'stopped' } })
    await stopping
    expect(trashed).toEqual(['c-1', 'c-2'])
  })

  test('a draft can be stopped while its message is being sent', async () => {
    const { commands }: ReturnType<typeof commandsWith> = commandsWith({
      answers: [null],
      meanwhile: () => void commands['definition.stopDraft']({}, call()),
    })
    expect(await draft(commands)).toMatchObject({ ok: false, failure: { type: 'stopped' } })
  })

  test('without the writer agent the failure names it', async () => {
    expect(await draft(commandsWith({ definitions: [] }).commands)).toMatchObject({
      ok: false,
      failure: { type: 'no-writer', message: expect.stringContaining('agent-writer') },
    })
  })
})
