/** The texts to agents about their permissions: at the start, and at a change. */
import { describe, expect, test } from 'vitest'
import type { ModelRequest } from './ports/model.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, echo, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const NOTICE = 'Your permissions are now the following.'

async function firstPrompt(
  permissionMode: 'default' | 'acceptEdits' | 'plan' | 'dontAsk',
  policy: TestOptions['policy'] = {},
): Promise<string> {
  const troupe = createTestRuntime({ policy, script: echo })
  await troupe.runtime.settled(await troupe.begin('Go', { permissionMode }))
  expect(JSON.stringify(troupe.model.requests)).not.toContain(NOTICE)
  return troupe.model.requests[0]?.system ?? ''
}

describe('the system prompt says', () => {
  test.each([
    ['default', /Mode: default\. Without asking, you can read in your folder, .*the user is asked/],
    [
      'acceptEdits',
      /Mode: acceptEdits\. Without asking, you can read and change files in your folder \(other than/,
    ],
    ['plan', /Mode: plan\. You can read .*Every change is denied/],
    ['dontAsk', /Mode: dontAsk\. .*Every other call is denied: this mode never asks the user/],
  ] as const)('the mode %s and what it allows', async (mode, text) => {
    const system = await firstPrompt(mode)
    expect(system).toMatch(text)
    expect(system).toContain('Do not try to get the same effect in another way.')
    expect(system).not.toContain('No user is present')
  })

  test.each([
    ['default', /run commands in the sandbox \(they can change only your folder/],
    ['plan', /run any command in the sandbox: it can change no file/],
  ] as const)('in %s that commands run in the sandbox', async (permissionMode, text) => {
    const sandbox = {
      isOpen: () => true,
      state: async () => ({ kind: 'on' }) as const,
      policy: async () => ({ autoAllow: true, mayLeave: true, excluded: [], alsoWrites: [], domains: [] }),
    }
    const troupe = createTestRuntime({ script: echo, ports: { sandbox } })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode }))
    const system = troupe.model.requests[0]?.system ?? ''
    expect(system).toMatch(text)
    expect(system).not.toContain('known to be read-only')
  })

  test('nothing new to a resumed agent whose commands run in the sandbox as before', async () => {
    const sandbox = () => {
      let known = false
      return {
        isOpen: () => known,
        state: async () => ({ kind: 'on' }) as const,
        policy: async () => {
          known = true
          return { autoAllow: true, mayLeave: true, excluded: [], alsoWrites: [], domains: [] }
        },
      }
    }
    const first = createTestRuntime({ script: echo, ports: { sandbox: sandbox() } })
    const conversationId = await first.begin('Go')
    await first.runtime.settled(conversationId)
    await first.runtime.close()
    const second = createTestRuntime({ script: echo, store: first.store, ports: { sandbox: sandbox() } })
    const content = [{ type: 'text' as const, text: 'Go on' }]
    await second.runtime.dispatch({ type: 'conversation.send', conversationId, agentId: null, content })
    await second.runtime.settled(conversationId)
    expect(second.model.requests).toHaveLength(1)
    expect(JSON.stringify(second.model.requests)).not.toContain(NOTICE)
  })

  test('that a plan agent below one that never asks does not ask', async () => {
    const definitions = [
      ...testDefinitions,
      { ...testDefinitions[1]!, name: 'p', permissionMode: 'plan' as const },
    ]
    const call = agentCall('one', { subagent_type: 'p' })
    const troupe = createTestRuntime({ definitions, script: script([{ calls: [call] }, echo], echo) })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    expect(troupe.model.requests.find((request) => !isMain(request))?.system).toMatch(
      /Mode: plan\. .*Reading outside your folder is denied unless a rule of the user allows it/,
    )
  })

  test('that no user is present', async () => {
    const system = await firstPrompt('default', { attended: false })
    expect(system).toContain('Every other call is denied.\n')
    expect(system).toContain('\nNo user is present in this run')
    expect(system).not.toContain('the user is asked')
  })

  test('that the folder is not trusted', async () => {
    expect(await firstPrompt('acceptEdits', { trusted: () => false })).toContain(
      'You can read its files; every other call is denied',
    )
  })

  test('that bypassing does not apply in a folder that is not marked', async () => {
    const policy = { bypassAllowed: () => marked }
    let marked = true
    const troupe = createTestRuntime({ policy, script: echo })
    const created = await troupe.runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      model: 'sonnet',
      permissionMode: 'bypassPermissions',
    })
    if (!created.ok) throw new Error(created.failure.message)
    marked = false
    await troupe.say(created.value.id, 'Go')
    await troupe.runtime.settled(created.value.id)
    const [request] = troupe.model.requests
    expect(request?.system).toContain('Mode: bypassPermissions.')
    expect(lastWords(request as ModelRequest)).toContain('Mode: default.')
  })
})

describe('a change of the mode', () => {
  test('is told once, with the next message, and the system prompt stays', async () => {
    const troupe = createTestRuntime({ script: echo })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    // The change alone is no reason for a request.
    expect(troupe.model.requests).toHaveLength(1)
    for (const text of ['Next', 'And next']) {
      await troupe.say(id, text)
      await troupe.runtime.settled(id)
    }
    const [first, second, third] = troupe.model.requests
    expect(lastWords(second as ModelRequest)).toMatch(
      /^Next\n<system-reminder>\nYour permissions are now the following\.[\s\S]*Mode: plan\./,
    )
    expect(lastWords(third as ModelRequest)).toBe('And next')
    expect(second?.system).toBe(first?.system)
  })

  test('that was undone before the next message is not told', async () => {
    const troupe = createTestRuntime({ script: echo })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'default',
    })
    await troupe.say(id, 'Next')
    await troupe.runtime.settled(id)
    expect(JSON.stringify(troupe.model.requests)).not.toContain(NOTICE)
  })

  test('that came during a request is told with the results, also to subagents', async () => {
    const asked = gate()
    const changed = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
        if (request.messages.length > 1) return { text: 'done' }
        asked.open()
        await changed.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      }),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    await asked.opened
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'default',
    })
    changed.open()
    await troupe.runtime.settled(id)
    const told = troupe.model.requests.filter((request) => lastWords(request).includes(NOTICE))
    expect(told.map(isMain)).toEqual([false, true])
    for (const request of told) expect(lastWords(request)).toContain('Mode: default.')
  })

  test('is told again after a compaction', async () => {
    const troupe = createTestRuntime({
      contextTokens: 1000,
      script: (request) => {
        if (lastWords(request).includes('Write a summary')) return { text: 'Summary.' }
        const turn = request.messages.filter(({ role }) => role === 'assistant').length
        return lastWords(request).includes('Fill')
          ? { calls: [['TodoWrite', { todos: [] }]], usage: { input: 950 } }
          : { text: `turn ${turn}` }
      },
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    for (const text of ['Fill', 'Next']) {
      await troupe.say(id, text)
      await troupe.runtime.settled(id)
    }
    const compacted = troupe.model.requests.filter((request) =>
      JSON.stringify(request.messages[0]).includes('was summarized'),
    )
    expect(JSON.stringify(compacted.at(-1)?.messages)).toContain(NOTICE)
  })
})

test('an agent in the background shares the system prompt of the foreground, and learns that the user is not asked', async () => {
  const main = [
    { calls: [agentCall('one'), agentCall('two', { run_in_background: true })] },
    { text: 'I wait.' },
  ]
  const troupe = createTestRuntime({ script: script(main, () => ({ text: 'done' })) })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const children = troupe.model.requests.filter((request) => !isMain(request))
  const [one, two] = ['one', 'two'].map((task) =>
    children.find((request) => lastWords(request).includes(`Do ${task}.`)),
  )
  expect(two?.system).toBe(one?.system)
  expect(lastWords(one as ModelRequest)).toBe('Do one.')
  expect(lastWords(two as ModelRequest)).toContain('you work in the background, where the user is not asked')
})

test('in fork mode the Agent tool, its row and the fork itself say that it is a fork', async () => {
  const call = ['Agent', { description: 'look', prompt: 'Look.' }] as const
  const troupe = createTestRuntime({
    policy: { forkSubagents: true },
    script: script([{ calls: [call] }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const [request] = troupe.model.requests
  const tool = request?.tools.find(({ name }) => name === 'Agent')
  expect(tool?.description).toContain('without a type: a fork, which continues from this whole conversation')
  expect(JSON.stringify(tool)).not.toMatch(/general-purpose by default|does not see this conversation/)
  expect((await troupe.when('tool-started')).summary).toBe('fork: look')
  const fork = troupe.model.requests.find((other) => !isMain(other))
  expect(JSON.stringify(fork?.messages)).toContain('You are a fork of the agent above')
})
