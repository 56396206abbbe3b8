import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { type AgentState, startAgent } from '../../../shared/agent-state.ts'
import type { ConversationSummary } from '../../../shared/ipc-contract.ts'
import { fail, ok } from '../../../shared/result.ts'
import type { StatusLineCall, StatusLineFacts, StatusLineRun } from '../../../shared/status-line.ts'
import type { RuntimeDelta } from '../../runtime/runtime.ts'
import { fakeSettings } from '../testing/fake-program.ts'
import { createStatusLine, type StatusLine } from './status-line.ts'
import { type StatusLineWords, UNTRUSTED } from './status-line-words.ts'

let settings: ReturnType<typeof fakeSettings>
let folder: string | null
let branch: string | null
/** Called whenever facts are gathered. */
let onGather: () => void
let agents: AgentState[]
let title: string
let calls: StatusLineCall[]
let told: StatusLineWords[]
let answer: (call: StatusLineCall) => Partial<StatusLineRun> | Promise<Partial<StatusLineRun>>
let line: StatusLine

const agent = (id: string, more: Partial<AgentState> = {}): AgentState => ({
  ...startAgent({ type: 'agent-spawned', agentId: id, model: 'claude-opus', at: 0 } as AgentEvent & {
    type: 'agent-spawned'
  }),
  ...more,
})

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  settings = fakeSettings({ statusLine: { command: 'show' }, trustedFolders: ['/shop', '/other'] })
  folder = '/shop'
  branch = 'main'
  onGather = vi.fn()
  agents = [agent('a')]
  title = 'Tea'
  calls = []
  told = []
  answer = () => ({ output: 'fine\n' })
  line = create(true)
})
afterEach(() => {
  line.stop()
  vi.useRealTimers()
})

function create(visible: boolean): StatusLine {
  return createStatusLine({
    runner: {
      async run(call) {
        calls.push(call)
        return { ended: 'exit', exitCode: 0, output: '', errors: '', ms: 7, ...(await answer(call)) }
      },
    },
    settings,
    folder: () => folder,
    branchOf: async () => {
      onGather()
      return branch
    },
    snapshot: async (id) =>
      id === 'gone'
        ? fail({ type: 'not-found', message: '' })
        : ok({ record: { id, title, mainAgentId: 'a' } as never, agents }),
    tell: (words) => told.push(words),
    visible,
    now: () => Date.now(),
  })
}

const pass = (ms = 1000) => vi.advanceTimersByTimeAsync(ms)
const facts = (): StatusLineFacts => JSON.parse(calls.at(-1)?.input ?? 'null')
const event = (type: string, conversationId = 'c'): RuntimeDelta => ({
  type: 'event',
  conversationId,
  event: { type, agentId: 'a' } as AgentEvent,
})

describe('what the command is told', () => {
  test('before there is a conversation', async () => {
    line.begin()
    await pass()
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ command: 'show', folder: '/shop' })
    expect(calls[0]?.input).not.toContain('\n')
    expect(facts()).toEqual({
      folder: '/shop',
      branch: 'main',
      conversation: null,
      model: 'sonnet',
      agents: { running: 0, waiting: 0 },
      costUsd: 0,
      tokens: 0,
    })
  })

  test('of the conversation that the window shows', async () => {
    const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 }
    agents = [
      agent('a', { status: 'waiting', usage, costUsd: 0.25 }),
      agent('b', { status: 'running', usage, costUsd: 0.5, model: 'claude-haiku' }),
      agent('c', { status: 'waiting', prompts: [{ promptId: 'p' } as never] }),
    ]
    line.begin()
    line.begun('c')
    await pass()
    expect(facts()).toMatchObject({
      conversation: { id: 'c', title: 'Tea' },
      model: 'claude-opus',
      agents: { running: 1, waiting: 1 },
      costUsd: 0.75,
      tokens: 8642,
    })
    line.ended('c')
    await pass()
    expect(facts().conversation).toBeNull()
  })

  test('nothing of a conversation that a page before had shown', async () => {
    line.begun('c')
    line.begin()
    await pass()
    expect(facts().conversation).toBeNull()
  })

  test('nothing of a conversation that is gone', async () => {
    line.begin()
    line.begun('gone')
    await pass()
    expect(facts().conversation).toBeNull()
  })
})

describe('when it runs', () => {
  beforeEach(async () => {
    line.begin()
    line.begun('c')
    await pass()
    calls.length = 0
  })

  test.each(['assistant-message', 'agent-ended', 'agent-spawned', 'status-changed', 'permission-asked'])(
    'after %s in the conversation, not in another',
    async (type) => {
      line.hear(event(type, 'other'))
      await pass()
      expect(calls).toHaveLength(0)
      line.hear(event(type))
      await pass()
      expect(calls).toHaveLength(1)
    },
  )

  test('not for what changes no figure', async () => {
    line.hear(event('tool-started'))
    line.hear(event('notice'))
    await pass()
    expect(calls).toHaveLength(0)
  })

  test('when the title is another one', async () => {
    const named = (words: string): RuntimeDelta => ({
      type: 'conversation',
      summary: { id: 'c', title: words } as ConversationSummary,
    })
    line.hear(named('Tea'))
    line.hear(named('Tea'))
    await pass()
    expect(calls).toHaveLength(0)
    line.hear(named('Coffee'))
    await pass()
    expect(calls).toHaveLength(1)
  })

  test('in another folder', async () => {
    folder = '/other'
    line.look()
    expect(told.at(-1)).toEqual({ text: null, problem: null })
    await pass()
    expect(calls.map((call) => call.folder)).toEqual(['/other'])
    expect(told.at(-1)).toEqual({ text: 'fine', problem: null })
  })

  test('a thousand events are three runs a second', async () => {
    for (let at = 0; at < 2000; at += 2) {
      line.hear(event('assistant-message'))
      await pass(2)
    }
    expect(calls.length).toBeLessThanOrEqual(7)
    expect(calls.length).toBeGreaterThanOrEqual(5)
  })
})

describe('nothing runs', () => {
  const silent = async () => {
    line.begin()
    line.begun('c')
    line.hear(event('agent-ended'))
    expect(vi.getTimerCount()).toBe(0)
    await pass(5000)
    expect(calls).toEqual([])
    expect(onGather).not.toHaveBeenCalled()
  }

  test('without a command', async () => {
    for (const none of [null, { command: '' }, { command: '  ' }]) {
      settings.current = { ...settings.current, statusLine: none }
      await silent()
      expect(told.at(-1)).toEqual({ text: null, problem: null })
    }
  })

  test('without a folder', async () => {
    folder = null
    await silent()
  })

  test('in a folder that is not trusted, which is told; once it is trusted it runs', async () => {
    settings.current = { ...settings.current, trustedFolders: [] }
    await silent()
    expect(told.at(-1)).toEqual({ text: null, problem: UNTRUSTED })
    settings.current = { ...settings.current, trustedFolders: ['/shop'] }
    line.look()
    await pass()
    expect(told.at(-1)).toEqual({ text: 'fine', problem: null })
  })

  test('for a window that nobody sees; once it is seen, once', async () => {
    line.stop()
    line = create(false)
    await silent()
    line.setVisible(true)
    await pass(5000)
    expect(calls).toHaveLength(1)
  })

  test('where the window went out of sight while the facts were gathered', async () => {
    onGather = () => line.setVisible(false)
    line.begin()
    await pass(5000)
    expect(calls).toHaveLength(0)
    onGather = () => {}
    line.setVisible(true)
    await pass()
    expect(calls).toHaveLength(1)
  })

  test('where the folder is no longer trusted when its turn comes', async () => {
    line.begin()
    settings.current = { ...settings.current, trustedFolders: [] }
    await pass(5000)
    expect(calls).toEqual([])
  })
})

describe('what the window is told', () => {
  test('a page that is loaded again is told again, without a run of its own having ended', async () => {
    line.begin()
    await pass()
    told.length = 0
    line.begin()
    expect(told).toEqual([{ text: 'fine', problem: null }])
  })

  test('the same is told once', async () => {
    line.begin()
    await pass()
    const before = told.length
    line.look()
    await pass()
    expect(calls).toHaveLength(2)
    expect(told).toHaveLength(before)
  })

  test('what a command said that was changed meanwhile is not told', async () => {
    let finish = (_: Partial<StatusLineRun>): void => {}
    answer = () => new Promise((resolve) => (finish = resolve))
    line.begin()
    await pass()
    settings.current = { ...settings.current, statusLine: { command: 'other' } }
    line.look()
    answer = (call) => ({ output: call.command })
    finish({ output: 'old' })
    await pass()
    expect(told.map((words) => words.text)).not.toContain('old')
    expect(told.at(-1)).toEqual({ text: 'other', problem: null })
  })

  test('a command that fails says so, rests, and is run at once when it is mended', async () => {
    answer = () => ({ exitCode: 3, errors: 'no branch' })
    line.begin()
    for (let at = 0; at < 10_000; at += 100) {
      line.look()
      await pass(100)
    }
    expect(told.at(-1)?.problem).toContain('no branch')
    expect(calls.length).toBeLessThanOrEqual(4)
    answer = () => ({ output: 'mended' })
    settings.current = { ...settings.current, statusLine: { command: 'better' } }
    line.look()
    await pass(500)
    expect(told.at(-1)).toEqual({ text: 'mended', problem: null })
  })
})

describe('a test', () => {
  test('runs what is typed in the folder, and tells how it went; the line stays', async () => {
    line.begin()
    await pass()
    answer = () => ({ output: 'typed\n', exitCode: 0, ms: 12 })
    expect(await line.test('other')).toEqual(ok({ output: 'typed\n', problem: null, exitCode: 0, ms: 12 }))
    expect(calls.at(-1)).toMatchObject({ command: 'other', folder: '/shop' })
    await pass()
    expect(told.at(-1)?.text).toBe('fine')
  })

  test('that works ends the rest of a command that had failed', async () => {
    answer = () => ({ exitCode: 1 })
    line.begin()
    await pass()
    answer = () => ({ output: 'again' })
    await line.test('show')
    await pass(500)
    expect(told.at(-1)).toEqual({ text: 'again', problem: null })
  })

  test('is refused without a folder, and in one that is not trusted', async () => {
    settings.current = { ...settings.current, trustedFolders: [] }
    expect(await line.test('x')).toMatchObject({ ok: false, failure: { type: 'not-trusted' } })
    folder = null
    expect(await line.test('x')).toMatchObject({ ok: false, failure: { type: 'no-folder' } })
    expect(calls).toEqual([])
  })
})
