/** The real opencode as a subagent, through the whole runtime, with a scripted API instead of a model. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { TaskScript } from './testing/foreign-api.ts'
import { calls, type ProgramRuntime, programRuntime, said } from './testing/program-runtime.ts'
import { realOpencode, withOpencode } from './testing/real-programs.ts'

let troupe: ProgramRuntime

afterEach(() => troupe.close())

const begin = async (tasks: TaskScript): Promise<string> => {
  troupe = await programRuntime(realOpencode, tasks)
  return troupe.begin()
}

withOpencode('opencode', () => {
  test('its last message is the report, and its name and version are shown', async () => {
    const id = await begin({ 'Do outside': [said('All is well.')] })
    const state = await troupe.ended(id)
    expect(state).toMatchObject({
      status: 'completed',
      report: 'All is well.',
      model: expect.stringMatching(/^OpenCode 1\.18\.33/),
    })
    expect(state.costUsd).toBeGreaterThan(0)
  })

  test('a command waits in the queue, and runs once it is allowed', async () => {
    const id = await begin({
      'Do outside': [
        calls('bash', { command: 'echo done > made.txt', description: 'Makes a file' }),
        said('Made.'),
      ],
    })
    const { requestId, subject } = await troupe.when('permission-asked')
    expect(subject).toMatchObject({ kind: 'command', text: 'echo done > made.txt' })
    const request = { conversationId: id, agentId: troupe.childId(), requestId }
    await troupe.runtime.dispatch({ type: 'agent.answer', ...request, answer: { decision: 'allow-once' } })
    expect(await troupe.ended(id)).toMatchObject({ report: 'Made.' })
    expect(await readFile(join(troupe.folder, 'made.txt'), 'utf8')).toBe('done\n')
  })

  test('a message after its end continues its session, with the model that the user chose', async () => {
    const id = await begin({ 'Do outside': [said('The word is apple.')], 'Which word': [said('Apple.')] })
    await troupe.ended(id)
    const agent = { conversationId: id, agentId: troupe.childId() }
    const choice = { ...agent, optionId: 'model', value: 'anthropic/claude-haiku-4-5' }
    expect(await troupe.runtime.dispatch({ type: 'agent.setProgramOption', ...choice })).toMatchObject({
      ok: true,
    })
    await troupe.runtime.dispatch({ type: 'conversation.send', ...agent, content: 'Which word?' })
    expect(await troupe.ended(id)).toMatchObject({ status: 'completed', report: 'Apple.' })
    expect(JSON.stringify(troupe.api.requests.at(-1))).toContain('The word is apple.')
    expect(troupe.api.requests.map(({ model }) => model.includes('haiku'))).toEqual([false, true])
    expect(await troupe.pids()).toHaveLength(1)
  })
})
