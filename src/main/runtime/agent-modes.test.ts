/** The permission mode that an agent gets from the user, its parent and its definition. */
import { describe, expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import { permissionModes } from '../../shared/permissions/permission-modes.ts'
import type { LoadedDefinition } from './ports/definitions.ts'
import { agentCall, childrenOf, echo, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

type Mode = LoadedDefinition['permissionMode']

const named = (name: string, more: Partial<LoadedDefinition>): LoadedDefinition => {
  const found = testDefinitions.find((definition) => definition.name === name)
  if (!found) throw new Error(`no definition ${name}`)
  return { ...found, source: 'project', ...more }
}
const withModes = (main: Mode, general: Mode = null) => [
  named('main', { permissionMode: main }),
  named('general-purpose', { permissionMode: general }),
]
const policy = { bypassAllowed: () => true }
const reads = { calls: [['Read', { file_path: '/etc/hosts' }]] } as const
const acts = {
  calls: [
    ['Write', { file_path: 'x', content: '' }],
    ['Bash', { command: 'touch x' }],
  ],
} as const

const spawnedIn = ({ events }: TestRuntime) =>
  events.filter((event): event is EventOf<'agent-spawned'> => event.type === 'agent-spawned')
const noticesOf = ({ events }: TestRuntime) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
const resultsOf = ({ events }: TestRuntime) =>
  events.flatMap((event) => (event.type === 'tool-ended' ? [String(event.content)] : []))
const isAsked = ({ events }: TestRuntime) => events.some(({ type }) => type === 'permission-asked')

describe('a main agent’s definition', () => {
  test.each([
    ['plan', 'acceptEdits'],
    ['plan', 'default'],
    ['dontAsk', 'default'],
    ['dontAsk', 'acceptEdits'],
    ['plan', 'bypassPermissions'],
    ['dontAsk', 'bypassPermissions'],
    ['default', 'bypassPermissions'],
  ] as const)('never raises the user’s mode %s to %s', async (user, file) => {
    const troupe = createTestRuntime({ policy, definitions: withModes(file), script: () => ({ text: 'hi' }) })
    const id = await troupe.begin('Go', { permissionMode: user })
    await troupe.runtime.settled(id)
    expect(spawnedIn(troupe)).toMatchObject([{ permissionMode: user }])
    expect(noticesOf(troupe)).toEqual([
      `The definition's permission mode ${file} has no effect: it allows more than ${user}, the user's mode.`,
    ])
  })

  test('that bubbles has the user’s mode', async () => {
    for (const user of ['plan', 'dontAsk', 'acceptEdits'] as const) {
      const troupe = createTestRuntime({ definitions: withModes('bubble'), script: () => ({ text: 'hi' }) })
      await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: user }))
      expect(spawnedIn(troupe)).toMatchObject([{ permissionMode: user }])
    }
  })

  test('does not let a write or a command through', async () => {
    const troupe = createTestRuntime({
      policy,
      definitions: withModes('bypassPermissions'),
      script: script([acts, echo], echo),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'plan' }))
    for (const result of resultsOf(troupe)) expect(result).toContain('Plan mode is read-only')
  })

  test('lowers the user’s mode, without a notice, until the user chooses another', async () => {
    const troupe = createTestRuntime({ definitions: withModes('plan'), script: () => ({ text: 'hi' }) })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const main = await troupe.runtime.settled(id)
    expect(main.permissionMode).toBe('plan')
    expect(noticesOf(troupe)).toEqual([])
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'acceptEdits',
    })
    expect(troupe.runtime.state(id, main.id)?.permissionMode).toBe('acceptEdits')
  })

  test('does not raise the mode when the agent takes the changed definition', async () => {
    let definitions = withModes(null)
    const troupe = createTestRuntime({ definitions: () => definitions, script: () => ({ text: 'hi' }) })
    const id = await troupe.begin('Go', { permissionMode: 'plan' })
    const main = await troupe.runtime.settled(id)
    definitions = withModes('acceptEdits')
    expect(
      (await troupe.runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId: main.id })).ok,
    ).toBe(true)
    expect(troupe.runtime.state(id, main.id)?.permissionMode).toBe('plan')
  })

  test.each(['acceptEdits', 'bypassPermissions'] as const)(
    'that takes the place of general-purpose has at most the user’s mode as a main agent: %s',
    async (file) => {
      const troupe = createTestRuntime({
        policy,
        definitions: withModes(null, file),
        script: () => ({ text: 'hi' }),
      })
      const created = await troupe.runtime.dispatch({
        type: 'conversation.create',
        folder: FOLDER,
        model: 'sonnet',
        permissionMode: 'default',
        agent: 'general-purpose',
      })
      expect(created.ok).toBe(true)
      expect(spawnedIn(troupe)).toMatchObject([
        { definition: { name: 'general-purpose', source: 'project' }, permissionMode: 'default' },
      ])
    },
  )
})

describe('a subagent', () => {
  test('has at most its parent’s mode, whatever both definitions say, and its panel says why', async () => {
    for (const user of permissionModes.filter((mode) => mode !== 'bypassPermissions')) {
      const troupe = createTestRuntime({
        policy,
        definitions: withModes('bypassPermissions', 'bypassPermissions'),
        script: script([{ calls: [agentCall('one')] }, echo], echo),
      })
      await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: user }))
      expect(childrenOf(troupe)).toMatchObject([{ permissionMode: user }])
      expect(noticesOf(troupe)).toContain(
        `The definition's permission mode bypassPermissions has no effect: it allows more than ${user}, its parent's mode.`,
      )
    }
  })

  const readsOutside = (main: Mode, child: Mode) =>
    createTestRuntime({
      definitions: withModes(main, child),
      script: script([{ calls: [agentCall('one')] }, echo], (request) =>
        request.messages.length === 1 ? reads : { text: 'done' },
      ),
    })

  test.each([
    ['dontAsk', null, 'plan'],
    ['acceptEdits', 'dontAsk', 'plan'],
    ['plan', null, 'dontAsk'],
    ['acceptEdits', 'plan', 'dontAsk'],
  ] as const)('of %s, with main %s and itself %s, reads only and never asks', async (user, main, child) => {
    const troupe = readsOutside(main, child)
    const id = await troupe.begin('Go', { permissionMode: user })
    await troupe.runtime.settled(id)
    expect(isAsked(troupe)).toBe(false)
    const [result] = resultsOf(troupe)
    expect(result).toContain('Permission denied: your permission mode denies instead of asking.')
    expect(childrenOf(troupe)).toMatchObject([{ permissionMode: 'plan', neverAsks: true }])
  })

  test('in plan mode below a parent that asks may ask', async () => {
    const troupe = readsOutside(null, 'plan')
    const id = await troupe.begin('Go', { permissionMode: 'default' })
    const { agentId } = await troupe.when('permission-asked')
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ permissionMode: 'plan', neverAsks: false })
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
  })

  test('in plan mode stops asking when the user changes the main agent to dontAsk', async () => {
    const troupe: TestRuntime = createTestRuntime({
      definitions: withModes(null, 'plan'),
      script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
        if (request.messages.length > 1) return { text: 'done' }
        const [main] = spawnedIn(troupe)
        await troupe.runtime.dispatch({
          type: 'conversation.setMode',
          conversationId: main?.conversationId ?? '',
          permissionMode: 'dontAsk',
        })
        return reads
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'default' }))
    expect(isAsked(troupe)).toBe(false)
    expect(resultsOf(troupe)[0]).toContain('Permission denied')
  })

  test('that ended in plan mode does not ask when it is resumed below a parent in dontAsk', async () => {
    const troupe: TestRuntime = createTestRuntime({
      definitions: withModes(null, 'plan'),
      script: (request) => {
        const turn = request.messages.filter(({ role }) => role === 'assistant').length
        if (!isMain(request)) return turn === 1 ? reads : { text: 'done' }
        if (turn === 0) return { calls: [agentCall('one')] }
        return turn === 2
          ? { calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })] }
          : { text: 'done' }
      },
    })
    const id = await troupe.begin('Go', { permissionMode: 'default' })
    await troupe.runtime.settled(id)
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'dontAsk',
    })
    await troupe.say(id, 'More')
    await troupe.runtime.settled(id)
    expect(resultsOf(troupe).join('\n')).toContain('Permission denied')
    expect(isAsked(troupe)).toBe(false)
  })
})

test('a main agent in plan mode by its definition never asks a user who chose dontAsk', async () => {
  const troupe = createTestRuntime({ definitions: withModes('plan'), script: script([reads, echo], echo) })
  const id = await troupe.begin('Go', { permissionMode: 'dontAsk' })
  const main = await troupe.runtime.settled(id)
  expect(main).toMatchObject({ permissionMode: 'plan', neverAsks: true })
  expect(isAsked(troupe)).toBe(false)
  await troupe.runtime.dispatch({ type: 'conversation.setMode', conversationId: id, permissionMode: 'plan' })
  expect(troupe.runtime.state(id, main.id)).toMatchObject({ permissionMode: 'plan', neverAsks: false })
})
