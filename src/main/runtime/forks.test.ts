import { describe, expect, test } from 'vitest'
import { asReminder } from './loop/system-reminder.ts'
import type { ModelRequest } from './ports/model.ts'
import { addedTool } from './testing/added-tool.ts'
import { lastWords, type Scripted } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, isFork, isMain, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const definitions = [
  ...testDefinitions,
  {
    ...testDefinitions[1]!,
    name: 'critic',
    description: 'Looks at what was planned.',
    prompt: 'You find what is wrong with a plan.',
    forkContext: true,
    model: 'haiku',
    tools: ['Read', 'Bash'],
    reminder: 'Be kind.',
  },
]
const forking = (more: object = {}): Scripted => ({
  text: 'Two at once.',
  calls: [
    agentCall('one', { subagent_type: 'critic', ...more }),
    ['Read', { file_path: '/project/none' }],
    agentCall('two', { subagent_type: 'critic' }),
  ],
})
const forksOf = (troupe: TestRuntime): readonly ModelRequest[] => troupe.model.requests.filter(isFork)

async function forked(
  first: Scripted = forking(),
  child = (_: ModelRequest): Scripted => ({ text: 'fine' }),
) {
  const troupe = createTestRuntime({ definitions, script: script([first, echo], child) })
  const id = await troupe.begin('Plan it')
  await troupe.runtime.settled(id)
  return { troupe, id }
}

describe('a fork', () => {
  test('hears of a tool that was removed, and not of those that it still has', async () => {
    let remove = (): void => {}
    const troupe = createTestRuntime({
      definitions,
      script: script([forking(), echo], (request) => {
        if (turnOf(request) === 3) remove()
        return turnOf(request) < 5 ? { calls: [['Read', { file_path: '/project/none' }]] } : { text: 'fine' }
      }),
    })
    troupe.runtime.tools.add('mcp:a', [addedTool('mcp__a__find', { source: 'mcp:a', kind: 'other' })])
    remove = troupe.runtime.tools.add('mcp:b', [addedTool('mcp__b__old', { source: 'mcp:b', kind: 'other' })])
    await troupe.runtime.settled(await troupe.begin('Plan it'))
    const forks = forksOf(troupe)
    expect(forks[0]?.tools.map(({ name }) => name)).toContain('mcp__a__find')
    const told = JSON.stringify(forks.map(({ messages }) => messages))
    expect(told).toContain('These tools were removed, so calls of them fail: mcp__b__old. Continue')
    expect(told).not.toMatch(/removed[^.]*mcp__a__find/)
  })

  test('sends its parent’s tools, prompt, model and messages byte for byte', async () => {
    const { troupe } = await forked()
    const [main] = troupe.model.requests.filter(isMain)
    const forks = forksOf(troupe)
    expect(forks).toHaveLength(2)
    for (const fork of forks) {
      expect(fork.model).toBe(main?.model)
      expect(fork.system).toBe(main?.system)
      expect(JSON.stringify(fork.tools)).toBe(JSON.stringify(main?.tools))
      expect(JSON.stringify(fork.messages.slice(0, main?.messages.length))).toBe(
        JSON.stringify(main?.messages),
      )
    }
    // The two requests are identical up to their own prompts.
    const [a, b] = forks.map((fork) => fork.messages.slice(0, -1))
    expect(JSON.stringify(a)).toBe(JSON.stringify(b))
  })

  test('gets results for its own call and its siblings’, then the boundary, then its task', async () => {
    const { troupe } = await forked()
    const last = forksOf(troupe)[0]?.messages.at(-1)?.content ?? []
    const results = last.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : []))
    expect(results).toHaveLength(3)
    expect(results.filter((text) => text.includes('sub_agent_entered'))).toHaveLength(1)
    expect(results.filter((text) => text.includes('handled_elsewhere'))).toHaveLength(2)
    const texts = last.flatMap((block) => (block.type === 'text' ? [block.text] : []))
    expect(texts[0]).toContain('The 2 messages above are your parent’s conversation')
    expect(texts[0]).toContain('You find what is wrong with a plan.')
    expect(texts[0]).toContain('Your tools: Read, Bash.')
    expect(texts[1]).toMatch(/^Do (one|two)\.$/)
    expect(texts.at(-1)).toBe(asReminder('Be kind.'))
  })

  test('can’t use tools that are not allowed', async () => {
    const { troupe } = await forked({ calls: [agentCall('one', { subagent_type: 'critic' })] }, (request) =>
      lastWords(request).includes('not available')
        ? { text: lastWords(request) }
        : { calls: [['Write', { file_path: '/project/a', content: '' }], agentCall('three')] },
    )
    const told = lastWords(troupe.model.requests.filter(isMain).at(-1)!)
    expect(told).toContain('Write is not available to you: the definition does not list it (tools)')
    expect(told).toContain('Agent is not available to you: a fork starts no agents')
    expect(childrenOf(troupe)).toHaveLength(1)
  })

  test('runs on its parent’s model, with a notice if the call names another', async () => {
    const { troupe } = await forked(forking({ model: 'opus' }))
    for (const { agentId, model } of childrenOf(troupe)) {
      expect(model).toBe('claude-sonnet')
      expect(eventsOf(troupe, agentId).filter((event) => event.type === 'notice')).toHaveLength(1)
    }
  })

  test('continues after a restart with the same history', async () => {
    const { troupe, id } = await forked()
    const [fork] = childrenOf(troupe)
    const before = forksOf(troupe)[0]
    const after = createTestRuntime({ definitions, store: troupe.store.afterCrash(), script: echo })
    const sent = await after.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: fork?.agentId ?? '',
      content: 'Are you sure?',
    })
    expect(sent.ok).toBe(true)
    await after.when('agent-ended', (event) => event.agentId === fork?.agentId)
    const again = after.model.requests[0]
    expect(again?.system).toBe(before?.system)
    expect(JSON.stringify(again?.tools)).toBe(JSON.stringify(before?.tools))
    expect(JSON.stringify(again?.messages.slice(0, before?.messages.length))).toBe(
      JSON.stringify(before?.messages),
    )
  })

  test('is a subagent without a type in fork mode; a type makes a plain subagent', async () => {
    const troupe = createTestRuntime({
      policy: { forkSubagents: true },
      script: script(
        [{ calls: [agentCall('one'), agentCall('two', { subagent_type: 'Explore' })] }, echo],
        (request) => ({ text: isFork(request) ? 'I am a fork' : `I know ${turnOf(request)} turn` }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Plan it'))
    const told = lastWords(troupe.model.requests.filter(isMain).at(-1)!)
    expect(told).toContain('The agent fork (one) reports')
    expect(told).toContain('I am a fork')
    expect(told).toContain('I know 1 turn')
  })
})
