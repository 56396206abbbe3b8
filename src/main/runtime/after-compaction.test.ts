/** Summaries: what they are made from, what the first request after one says, and prompts that are too long. */
import { describe, expect, test } from 'vitest'
import type { ModelRequest } from './ports/model.ts'
import type { ShellRun } from './ports/shell.ts'
import { addedTool } from './testing/added-tool.ts'
import { lastWords, type Script, type Scripted } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, isFork, isMain, script, wantsText } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages)
const isSummary = (request: ModelRequest) => lastWords(request).includes('Write a summary')
const afterSummary = (requests: readonly ModelRequest[]) =>
  requests.find((request) => textOf(request).includes('SUMMARY') && !isSummary(request))

/** Fills the context with a call at this turn; the summary follows. */
const filling = (calls: Scripted['calls'] = [['Glob', { pattern: '*' }]]): Scripted => ({
  calls: calls ?? [],
  usage: { input: 990 },
})

describe('the first request after a summary says', () => {
  test('the mode, the to-do list, the work in the background, the agents and the removed tools', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      shell: (run) =>
        new Promise((resolve) =>
          run.signal.addEventListener('abort', () =>
            resolve({ output: '', exitCode: null, ended: 'aborted', cwd: run.cwd }),
          ),
        ),
      script: (request) => {
        if (!isMain(request)) return { text: 'report' }
        if (isSummary(request)) return { text: 'SUMMARY' }
        const words = lastWords(request)
        if (words.includes('First'))
          return {
            calls: [
              ['TodoWrite', { todos: [{ content: 'Mend the parser', status: 'in_progress' }] }],
              ['Bash', { command: 'npm run dev', run_in_background: true }],
              agentCall('look around', { subagent_type: 'Explore' }),
            ],
          }
        return words.includes('Fill') ? filling() : { text: 'ok' }
      },
      policy: { bypassAllowed: () => true },
    })
    const remove = troupe.runtime.tools.add('mcp:a', [addedTool('mcp__a__old')])
    const id = await troupe.begin('First', { permissionMode: 'acceptEdits' })
    void troupe.when('permission-asked').then(({ agentId, requestId }) =>
      troupe.runtime.dispatch({
        type: 'agent.answer',
        conversationId: id,
        agentId,
        requestId,
        answer: { decision: 'allow-once' },
      }),
    )
    await troupe.runtime.settled(id)
    remove()
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.say(id, 'Fill')
    await troupe.runtime.settled(id)

    const request = afterSummary(troupe.model.requests)
    const text = textOf(request)
    expect(request?.messages).toHaveLength(1)
    expect(text).toContain('Mode: plan.')
    expect(text).toContain('in_progress: Mend the parser')
    expect(text).toMatch(/b-\d+ \(npm run dev\)/)
    expect(text).toContain(`${childrenOf(troupe)[0]?.agentId}: Explore (look around), completed`)
    expect(text).toContain('removed, so calls of them fail:\\n- mcp__a__old')
  })

  test('that the mode is the first one again, for a summary may repeat a notice', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      script: (request) =>
        isSummary(request)
          ? { text: 'SUMMARY: mode plan' }
          : lastWords(request).includes('Fill')
            ? filling()
            : { text: 'ok' },
    })
    const id = await troupe.begin('Go')
    for (const mode of ['plan', 'default'] as const) {
      await troupe.runtime.settled(id)
      await troupe.runtime.dispatch({
        type: 'conversation.setMode',
        conversationId: id,
        permissionMode: mode,
      })
      await troupe.say(id, mode === 'plan' ? 'Next' : 'Fill')
    }
    await troupe.runtime.settled(id)
    expect(textOf(afterSummary(troupe.model.requests))).toContain('Mode: default.')
  })

  test('to a fork that it is one', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'critic', forkContext: true, prompt: 'Be strict.' },
      ],
      script: (request) => {
        if (isSummary(request)) return { text: 'SUMMARY' }
        if (textOf(request).includes('SUMMARY')) return { text: 'done' }
        if (isFork(request)) return filling()
        return request.messages.length === 1
          ? { calls: [agentCall('one', { subagent_type: 'critic' })] }
          : { text: 'ok' }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const text = textOf(afterSummary(troupe.model.requests))
    expect(text).toContain('You are a subagent now: critic')
    expect(text).toContain('Be strict.')
  })
})

describe('a summary', () => {
  test('is made from the whole context, with the tools on, so that it reads the cache', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      shell: async (run) => ({ output: 'x'.repeat(400), exitCode: 0, ended: 'exit', cwd: run.cwd }),
      script: (request) => {
        if (isSummary(request)) return { text: 'SUMMARY' }
        if (textOf(request).includes('SUMMARY')) return { text: 'done' }
        const turn = request.messages.length
        return { calls: [['Bash', { command: 'ls' }]], usage: { input: turn > 8 ? 990 : 10 } }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const at = troupe.model.requests.findIndex(isSummary)
    const [before, summary] = [troupe.model.requests[at - 1]!, troupe.model.requests[at]!]
    expect(summary.toolChoice).toBe('auto')
    expect(summary.messages.slice(0, before.messages.length)).toEqual(before.messages)
    expect(troupe.events.some(({ type }) => type === 'context-cleared')).toBe(false)
  })

  test('of a model that calls a tool instead is asked for again without tools', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      script: (request) => {
        if (isSummary(request))
          return request.toolChoice === 'none'
            ? { text: 'SUMMARY' }
            : { text: 'I look first.', calls: [['TodoWrite', { todos: [] }]] }
        return textOf(request).includes('SUMMARY') ? { text: 'done' } : filling()
      },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state.lastLine).toBe('done')
    expect(textOf(afterSummary(troupe.model.requests))).not.toContain('I look first')
  })
})

describe('a subagent whose prompt is too long', () => {
  const tooLong: Scripted = { failure: { type: 'prompt-too-long', message: 'prompt is too long' } }
  const delegate = (child: Script) => script([{ calls: [agentCall('one')] }, echo], child)

  test('goes on without the newest results, which alone are too long', async () => {
    const troupe = createTestRuntime({
      shell: async (run) => ({ output: 'y'.repeat(12_000), exitCode: 0, ended: 'exit', cwd: run.cwd }),
      script: delegate((request) => {
        if (textOf(request).length > 8000) return tooLong
        return request.messages.length === 1
          ? { calls: [['Bash', { command: 'ls' }]] }
          : { text: 'came through' }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('came through')
    const retried = troupe.model.requests.find((request) =>
      textOf(request).includes('This result was left out'),
    )
    expect(textOf(retried)).toContain('Run the tool again for a smaller part')
  })

  test('that can’t be made shorter fails', async () => {
    const troupe = createTestRuntime({ script: delegate(() => tooLong) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('prompt is too long')
  })
})

describe('a conversation that is resumed by a model with a small window', () => {
  const WINDOW = 2000
  /** Eight turns with a large window, then a message to a model whose window holds 8,000 characters. */
  async function resumed(said: string, output: string, message: string): Promise<TestRuntime> {
    const shell = async ({ cwd }: ShellRun) => ({ output, exitCode: 0, ended: 'exit' as const, cwd })
    const first = createTestRuntime({
      shell,
      script: ({ messages: { length } }) =>
        length < 16
          ? { text: `Step ${length}. ${said}`, calls: [['Bash', { command: 'ls' }]] }
          : { text: 'done' },
    })
    const id = await first.begin('Sort the notes.', { permissionMode: 'dontAsk' })
    await first.runtime.settled(id)
    await first.runtime.close()
    const second = createTestRuntime({
      store: first.store,
      contextTokens: WINDOW,
      script: (request) => ({ text: isSummary(request) ? 'SUMMARY' : 'resumed' }),
    })
    await second.say(id, message)
    await second.runtime.settled(id)
    expect(
      second.model.requests.map((request) => textOf(request).length).filter((length) => length > 8000),
    ).toEqual([])
    return second
  }

  test('sends no older results', async () => {
    const { events, model } = await resumed('', 'x'.repeat(3000), 'And now?')
    expect(events.some(({ type }) => type === 'context-cleared')).toBe(true)
    expect(lastWords(model.requests.at(-1)!)).toContain('And now?')
  })

  test('goes on from a summary of the task and of the newest part', async () => {
    const { model } = await resumed('y'.repeat(1500), 'z', 'And now?')
    const [summary, next] = model.requests
    expect(isSummary(summary!)).toBe(true)
    expect(textOf(summary)).toContain('Sort the notes.')
    expect(textOf(summary)).toContain('And now?')
    expect(textOf(summary)).not.toContain('Step 1.')
    expect(textOf(next)).toContain('SUMMARY')
  })

  test('is refused before any request if its last message alone does not fit', async () => {
    const { events, model } = await resumed('', 'z', 'w'.repeat(20_000))
    expect(model.requests).toEqual([])
    expect(events.flatMap((event) => (event.type === 'agent-ended' ? [event.failure?.message] : []))).toEqual(
      [expect.stringContaining('This conversation is too long for')],
    )
  })
})

test('a model that calls a tool instead of its report is asked again without tools', async () => {
  const troupe = createTestRuntime({
    script: script([{ calls: [agentCall('one', { max_turns: 1 })] }, echo], (request) =>
      request.toolChoice === 'none'
        ? { text: 'my report' }
        : { text: 'Let me look.', calls: [['TodoWrite', { todos: [] }]] },
    ),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(troupe.model.requests.filter((request) => !isMain(request)).map(wantsText)).toEqual([
    false,
    true,
    true,
  ])
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('my report')
})
