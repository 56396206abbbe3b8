import { beforeEach, expect, test, vi } from 'vitest'
import { scenes } from './scenes.ts'
import { World } from './world.ts'

beforeEach(() => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', { setItem: (key: string, value: string) => items.set(key, value) })
})

async function statesIn(scene: string, options = 'still'): Promise<Readonly<Record<string, string>>> {
  const world = new World()
  scenes[scene]?.(world, new URLSearchParams(options))
  const answer = await world.bridge.command('conversation.subscribe', { conversationId: 'conversation-1' })
  if (!answer.ok) throw new Error(answer.failure.message)
  return Object.fromEntries(answer.value.agents.map(({ id, status }) => [id, status]))
}

test.each(Object.keys(scenes))('the scene %s can be prepared', async (name) => {
  const world = new World()
  scenes[name]?.(world, new URLSearchParams('still&events=500'))
  expect(await world.bridge.command('conversation.list', {})).toMatchObject({ ok: true })
})

test('the stage has one agent that ended and four at work', async () => {
  expect(await statesIn('stage')).toEqual({
    main: 'waiting',
    plan: 'completed',
    explore: 'running',
    tests: 'running',
    refactor: 'waiting',
    security: 'running',
  })
})

test('the lifecycle scene has agents in every state', async () => {
  const states = Object.values(await statesIn('lifecycle'))
  for (const status of ['running', 'paused', 'waiting', 'stopped', 'completed', 'failed', 'interrupted'])
    expect(states).toContain(status)
})

test('at the limit of the conversation the main agent ends', async () => {
  expect(await statesIn('limits', 'still&reached')).toMatchObject({ main: 'completed', explore: 'stopped' })
})

test('messages wait for agents that are busy', async () => {
  expect(await statesIn('messages')).toMatchObject({
    explore: 'completed',
    tests: 'running',
    main: 'running',
  })
})
