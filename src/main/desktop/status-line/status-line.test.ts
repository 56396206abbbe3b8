import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { type AgentState, startAgent } from '../../../shared/state/agent-state.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type {
  StatusLineCall,
  StatusLineContent,
  StatusLineRun,
} from '../../../shared/status-line/contract.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import { fakeSettings } from '../testing/fake-program.ts'
import { createStatusLine, STATUS_LINE_UNTRUSTED, type StatusLineService } from './status-line.ts'
import type { statusLineFacts } from './status-line-facts.ts'

let settings: ReturnType<typeof fakeSettings>
let folder: string | null
let branch: string | null
/** Called whenever the input is gathered. */
let onGather: () => void
let agents: AgentState[]
let title: string
let calls: StatusLineCall[]
let pushed: StatusLineContent[]
let answer: (call: StatusLineCall) => Partial<StatusLineRun> | Promise<Partial<StatusLineRun>>
let line: StatusLineService

const agent = (id: string, more: Partial<AgentState> = {}): AgentState => ({
  ...startAgent({
    type: 'agent-spawned',
    agentId: id,
    model: 'claude-opus',
    system: '',
    tools: [],
    at: 0,
  } as Partial<AgentEvent> as AgentEvent & { type: 'agent-spawned' }),
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
  pushed = []
  answer = () => ({ output: 'fine\n' })
  line = create(true)
})
afterEach(() => {
  line.stop()
  vi.useRealTimers()
})

function create(visible: boolean): StatusLineService {
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
    extras: async (_folder, main) => ({
      ...{ transcriptPath: main === null ? null : '/data/messages.jsonl', outputStyle: 'Terse' },
      ...{ addedFolders: ['/lib'], lines: { added: 7, removed: 2 } },
    }),
    version: '1.2.3',
    push: (content) => pushed.push(content),
    visible,
    now: () => Date.now(),
    timeNow: () => Date.now(),
  })
}

const pass = (ms = 1000) => vi.advanceTimersByTimeAsync(ms)
const facts = (): ReturnType<typeof statusLineFacts> => JSON.parse(calls.at(-1)?.input ?? 'null')
const event = (type: string, conversationId = 'c'): RuntimeDelta => ({
  type: 'event',
  conversationId,
  event: { type, agentId: 'a' } as AgentEvent,
})

describe('the command’s input', () => {
  test('before the first conversation', async () => {
    line.begin()
    await pass()
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ command: 'show', folder: '/shop' })
    expect(calls[0]?.input).not.toContain('\n')
    expect(facts()).toEqual({
      hook_event_name: 'Status',
      ...{ session_id: '', transcript_path: null, cwd: '/shop', version: '1.2.3' },
      model: { id: 'sonnet', display_name: 'sonnet' },
      workspace: { current_dir: '/shop', project_dir: '/shop', added_dirs: ['/lib'] },
      output_style: { name: 'Terse' },
      cost: { total_cost_usd: 0, total_duration_ms: 0, total_lines_added: 7, total_lines_removed: 2 },
      context_window: {
        ...{ total_input_tokens: 0, total_output_tokens: 0, context_window_size: null },
        ...{ used_percentage: null, remaining_percentage: null, current_usage: null },
      },
      ...{ exceeds_200k_tokens: false, effort: null, permission_mode: null },
      ...{ folder: '/shop', branch: 'main', conversation: null, agents: { running: 0, waiting: 0 } },
      ...{ costUsd: 0, tokens: 0 },
    })
  })

  test('describes the conversation on the screen', async () => {
    const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 }
    const countedTokens = 5051
    agents = [
      agent('a', {
        ...{
          status: 'waiting',
          usage,
          countedTokens,
          costUsd: 0.25,
          cwd: '/shop/a',
          effort: 'high',
          permissionMode: 'plan',
        },
        model: 'claude-opus-4-5-20251101',
        context: { prefix: 0, used: 250_000, window: 500_000 },
      }),
      agent('b', { status: 'running', usage, countedTokens, costUsd: 0.5, model: 'claude-haiku' }),
      agent('c', { status: 'waiting', requests: [{ requestId: 'p' } as never] }),
    ]
    line.begin()
    line.subscribed('c')
    await pass()
    expect(facts()).toMatchObject({
      conversation: { id: 'c', title: 'Tea' },
      agents: { running: 1, waiting: 1 },
      costUsd: 0.75,
      // As the status bar has it: cached tokens by their price.
      tokens: 10_102,
    })
    // The keys of Claude Code, which people's scripts read.
    expect(facts()).toMatchObject({
      ...{ session_id: 'c', transcript_path: '/data/messages.jsonl', cwd: '/shop/a' },
      model: { id: 'claude-opus-4-5-20251101', display_name: 'Opus 4.5' },
      workspace: { current_dir: '/shop/a', project_dir: '/shop' },
      cost: { total_cost_usd: 0.75, total_duration_ms: expect.any(Number) },
      context_window: {
        ...{ total_input_tokens: 4301, total_output_tokens: 20, context_window_size: 500_000 },
        ...{ used_percentage: 50, remaining_percentage: 50, current_usage: { input_tokens: 250_000 } },
      },
      ...{ exceeds_200k_tokens: true, effort: { level: 'high' }, permission_mode: 'plan' },
    })
    line.unsubscribed('c')
    await pass()
    expect(facts().conversation).toBeNull()
  })

  test('says that a cost is unknown, and never a part of it', async () => {
    agents = [agent('a', { costUsd: 0.25 }), agent('b', { costUsd: 0, priced: false })]
    line.begin()
    line.subscribed('c')
    await pass()
    expect(facts().costUsd).toBeNull()
  })

  test('does not include a conversation that an earlier page showed', async () => {
    line.subscribed('c')
    line.begin()
    await pass()
    expect(facts().conversation).toBeNull()
  })

  test('does not include a removed conversation', async () => {
    line.begin()
    line.subscribed('gone')
    await pass()
    expect(facts().conversation).toBeNull()
  })
})

describe('a run starts', () => {
  beforeEach(async () => {
    line.begin()
    line.subscribed('c')
    await pass()
    calls.length = 0
  })

  test.each(['assistant-message', 'agent-ended', 'agent-spawned', 'status-changed', 'permission-asked'])(
    'after %s in the conversation, not in another',
    async (type) => {
      line.onDelta(event(type, 'other'))
      await pass()
      expect(calls).toHaveLength(0)
      line.onDelta(event(type))
      await pass()
      expect(calls).toHaveLength(1)
    },
  )

  test('after no event that leaves the input unchanged', async () => {
    line.onDelta(event('tool-started'))
    line.onDelta(event('notice'))
    await pass()
    expect(calls).toHaveLength(0)
  })

  test('after a change of the title', async () => {
    const named = (content: string): RuntimeDelta => ({
      type: 'conversation',
      summary: { id: 'c', title: content } as ConversationSummary,
    })
    line.onDelta(named('Tea'))
    line.onDelta(named('Tea'))
    await pass()
    expect(calls).toHaveLength(0)
    line.onDelta(named('Coffee'))
    await pass()
    expect(calls).toHaveLength(1)
  })

  test('after a change of the folder', async () => {
    folder = '/other'
    line.update()
    expect(pushed.at(-1)).toEqual({ text: null, problem: null })
    await pass()
    expect(calls.map((call) => call.folder)).toEqual(['/other'])
    expect(pushed.at(-1)).toEqual({ text: 'fine', problem: null })
  })

  test('for a thousand events at most three times a second', async () => {
    for (let at = 0; at < 2000; at += 2) {
      line.onDelta(event('assistant-message'))
      await pass(2)
    }
    expect(calls.length).toBeLessThanOrEqual(7)
    expect(calls.length).toBeGreaterThanOrEqual(5)
  })
})

describe('no command runs', () => {
  const silent = async () => {
    line.begin()
    line.subscribed('c')
    line.onDelta(event('agent-ended'))
    expect(vi.getTimerCount()).toBe(0)
    await pass(5000)
    expect(calls).toEqual([])
    expect(onGather).not.toHaveBeenCalled()
  }

  test('without a configured command', async () => {
    for (const none of [null, { command: '' }, { command: '  ' }]) {
      settings.current = { ...settings.current, statusLine: none }
      await silent()
      expect(pushed.at(-1)).toEqual({ text: null, problem: null })
    }
  })

  test('without a folder', async () => {
    folder = null
    await silent()
  })

  test('in an untrusted folder, with the reason; it runs once the folder is trusted', async () => {
    settings.current = { ...settings.current, trustedFolders: [] }
    await silent()
    expect(pushed.at(-1)).toEqual({ text: null, problem: STATUS_LINE_UNTRUSTED })
    settings.current = { ...settings.current, trustedFolders: ['/shop'] }
    line.update()
    await pass()
    expect(pushed.at(-1)).toEqual({ text: 'fine', problem: null })
  })

  test('for a hidden window; once it is visible, one run', async () => {
    line.stop()
    line = create(false)
    await silent()
    line.setVisible(true)
    await pass(5000)
    expect(calls).toHaveLength(1)
  })

  test('if the window was hidden while the input was gathered', async () => {
    onGather = () => line.setVisible(false)
    line.begin()
    await pass(5000)
    expect(calls).toHaveLength(0)
    onGather = () => {}
    line.setVisible(true)
    await pass()
    expect(calls).toHaveLength(1)
  })

  test('if the folder lost its trust before the run', async () => {
    line.begin()
    settings.current = { ...settings.current, trustedFolders: [] }
    await pass(5000)
    expect(calls).toEqual([])
  })
})

describe('the window gets', () => {
  test('the content again after a reload, without another run', async () => {
    line.begin()
    await pass()
    pushed.length = 0
    line.begin()
    expect(pushed).toEqual([{ text: 'fine', problem: null }])
  })

  test('the same content only once', async () => {
    line.begin()
    await pass()
    const before = pushed.length
    line.update()
    await pass()
    expect(calls).toHaveLength(2)
    expect(pushed).toHaveLength(before)
  })

  test('no output of a command that was changed during its run', async () => {
    let finish = (_: Partial<StatusLineRun>): void => {}
    answer = () => new Promise((resolve) => (finish = resolve))
    line.begin()
    await pass()
    settings.current = { ...settings.current, statusLine: { command: 'other' } }
    line.update()
    answer = (call) => ({ output: call.command })
    finish({ output: 'old' })
    await pass()
    expect(pushed.map((content) => content.text)).not.toContain('old')
    expect(pushed.at(-1)).toEqual({ text: 'other', problem: null })
  })

  test('the reason of a failure; after a pause the fixed command runs at once', async () => {
    answer = () => ({ exitCode: 3, errors: 'no branch' })
    line.begin()
    for (let at = 0; at < 10_000; at += 100) {
      line.update()
      await pass(100)
    }
    expect(pushed.at(-1)?.problem).toContain('no branch')
    expect(calls.length).toBeLessThanOrEqual(4)
    answer = () => ({ output: 'fixed' })
    settings.current = { ...settings.current, statusLine: { command: 'better' } }
    line.update()
    await pass(500)
    expect(pushed.at(-1)).toEqual({ text: 'fixed', problem: null })
  })
})

describe('a test', () => {
  test('runs the typed command in the folder and reports the result; the status line stays', async () => {
    line.begin()
    await pass()
    answer = () => ({ output: 'typed\n', exitCode: 0, ms: 12 })
    expect(await line.test('other')).toEqual(ok({ output: 'typed\n', problem: null, exitCode: 0, ms: 12 }))
    expect(calls.at(-1)).toMatchObject({ command: 'other', folder: '/shop' })
    await pass()
    expect(pushed.at(-1)?.text).toBe('fine')
  })

  test('that succeeds ends the backoff of a failed command', async () => {
    answer = () => ({ exitCode: 1 })
    line.begin()
    await pass()
    answer = () => ({ output: 'again' })
    await line.test('show')
    await pass(500)
    expect(pushed.at(-1)).toEqual({ text: 'again', problem: null })
  })

  test('is refused without a folder and in an untrusted one', async () => {
    settings.current = { ...settings.current, trustedFolders: [] }
    expect(await line.test('x')).toMatchObject({ ok: false, failure: { type: 'not-trusted' } })
    folder = null
    expect(await line.test('x')).toMatchObject({ ok: false, failure: { type: 'no-folder' } })
    expect(calls).toEqual([])
  })
})
