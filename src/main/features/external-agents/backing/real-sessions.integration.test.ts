/** Sessions of the real Claude Code: its choices, and how they continue. */
import { afterEach, expect, test } from 'vitest'
import type { TaskScript } from './testing/foreign-api.ts'
import { type ProgramRuntime, programRuntime, said } from './testing/program-runtime.ts'
import { realClaude, withClaude } from './testing/real-programs.ts'

let troupe: ProgramRuntime

afterEach(() => troupe.close())

const begin = async (tasks: TaskScript): Promise<string> => {
  troupe = await programRuntime(realClaude, tasks)
  return troupe.begin()
}

withClaude('Claude Code', () => {
  test('a message after its end continues its session, in the same process', async () => {
    const id = await begin({ 'Do outside': [said('The word is apple.')], 'Which word': [said('Apple.')] })
    await troupe.ended(id)
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: troupe.childId(),
      content: 'Which word?',
    })
    expect(await troupe.ended(id)).toMatchObject({ status: 'completed', report: 'Apple.' })
    // Its model got the whole conversation.
    expect(JSON.stringify(troupe.api.requests.at(-1))).toContain('The word is apple.')
    expect(await troupe.pids()).toHaveLength(1)
  })

  test('its choices are known, and the chosen model is used', async () => {
    const id = await begin({ 'Do outside': [said('Done.')], Again: [said('Done again.')] })
    const state = await troupe.ended(id)
    expect(state.program?.options.map(({ category }) => category)).toEqual(
      expect.arrayContaining(['mode', 'model', 'effort']),
    )
    const agent = { conversationId: id, agentId: troupe.childId() }
    const set = await troupe.runtime.dispatch({
      type: 'agent.setProgramOption',
      ...agent,
      optionId: 'model',
      value: 'haiku',
    })
    expect(set).toMatchObject({ ok: true })
    await troupe.runtime.dispatch({ type: 'conversation.send', ...agent, content: 'Again' })
    await troupe.ended(id)
    expect(troupe.api.requests.map(({ model }) => model.includes('haiku'))).toEqual([false, true])
  })
})
