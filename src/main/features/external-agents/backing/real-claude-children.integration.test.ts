/** Subagents of the real Claude Code as agents of the tree, with a scripted API instead of models. */
import { afterEach, expect, test } from 'vitest'
import { type AgentState, foldAgent } from '../../../../shared/state/agent-state.ts'
import { childrenOf, eventsOf, gate } from '../../../runtime/testing/scripts.ts'
import type { ScriptedReply } from '../../rehearsal/director.ts'
import type { TaskScript } from './testing/foreign-api.ts'
import { calls, type ProgramRuntime, programRuntime, said } from './testing/program-runtime.ts'
import { realClaude, withClaude } from './testing/real-programs.ts'
import { UNHEARD } from './untold-subagents.ts'

let troupe: ProgramRuntime

afterEach(() => troupe.close())

const begin = async (tasks: TaskScript): Promise<string> => {
  troupe = await programRuntime(realClaude, tasks)
  return troupe.begin()
}

/** Calls that start subagents, in one message. */
const starts = (
  ...tasks: readonly (readonly [description: string, prompt: string, background?: true])[]
): ScriptedReply => ({
  blocks: tasks.map(([description, prompt, background]) => ({
    type: 'tool_use',
    name: 'Agent',
    input: {
      description,
      prompt,
      subagent_type: 'general-purpose',
      ...(background && { run_in_background: true }),
    },
  })),
})

const children = (): readonly AgentState[] =>
  childrenOf(troupe)
    .filter(({ backing }) => backing === 'acp-child')
    .flatMap(({ agentId }) => eventsOf(troupe, agentId).reduce<AgentState | null>(foldAgent, null) ?? [])

const child = (name: string): AgentState => {
  const found = children().find(({ definition }) => definition.name === name)
  if (found === undefined) throw new Error(`There is no subagent ${name}.`)
  return found
}

withClaude('subagents of Claude Code', () => {
  test('three work at once; one asks, one is stopped, and each reports', async () => {
    const [asked, held] = [gate(), gate()]
    const id = await begin({
      'Do outside': [
        starts(['Read routes', 'Look at A'], ['Run tests', 'Look at B'], ['Wait', 'Look at C']),
        said('Summed up.'),
      ],
      'Look at A': [asked.opened.then(() => said('A has four routes.'))],
      'Look at B': [
        calls('Bash', { command: 'echo b > b.txt', description: 'Makes a file' }),
        said('B is made.'),
      ],
      'Look at C': [held.opened.then(() => said('C was not stopped.'))],
    })
    const { agentId, requestId, subject } = await troupe.when('permission-asked')
    await expect
      .poll(() =>
        children()
          .map(({ status }) => status)
          .sort(),
      )
      .toEqual(['running', 'running', 'waiting'])
    expect(agentId).toBe(child('Run tests').id)
    expect(subject).toMatchObject({ kind: 'command', text: 'echo b > b.txt' })
    expect(
      await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: child('Wait').id }),
    ).toMatchObject({ ok: true })
    expect(child('Wait').status).toBe('stopped')
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    asked.open()
    const state = await troupe.ended(id)
    held.open()
    expect(state).toMatchObject({ status: 'completed', report: expect.stringMatching(/Summed up\.$/) })
    // It had all results, so it was not told to continue.
    expect(JSON.stringify(troupe.api.requests)).not.toContain(UNHEARD)
    expect(child('Read routes')).toMatchObject({
      status: 'completed',
      report: 'A has four routes.',
      parentId: troupe.childId(),
      task: 'general-purpose',
      child: { canStop: true },
    })
    expect(child('Run tests')).toMatchObject({ status: 'completed', report: 'B is made.' })
  })

  test('a subagent of a subagent is below it', async () => {
    const id = await begin({
      'Do outside': [starts(['Outer', 'Look at A']), said('Summed up.')],
      'Look at A': [starts(['Inner', 'Look at B']), said('A is done.')],
      'Look at B': [said('B is done.')],
    })
    await troupe.ended(id)
    expect(children().map(({ definition, report, status }) => [definition.name, report, status])).toEqual([
      ['Outer', 'A is done.', 'completed'],
      ['Inner', 'B is done.', 'completed'],
    ])
    expect(child('Inner').parentId).toBe(child('Outer').id)
  })

  test('the run of Claude Code goes on until its subagents in the background have ended', async () => {
    const held = gate()
    const id = await begin({
      'Do outside': [
        starts(['Later', 'Look at A', true]),
        said('It works in the background.'),
        said('Now it is done.'),
      ],
      'Look at A': [held.opened.then(() => said('A is done.'))],
    })
    // The parent has said that it does not wait, and the subagent works.
    const streamed = () => JSON.stringify(troupe.runtime.live(troupe.childId()))
    await expect.poll(streamed).toContain('works in the background')
    await expect.poll(() => troupe.api.requests.length).toBe(3)
    expect(child('Later').status).toBe('running')
    held.open()
    expect(await troupe.ended(id)).toMatchObject({
      status: 'completed',
      report: expect.stringMatching(/Now it is done\.$/),
    })
    expect(child('Later')).toMatchObject({ status: 'completed', report: 'A is done.' })
  })

  test('a subagent that ends while Claude Code finishes its turn is part of the report', async () => {
    const ended = gate()
    const id = await begin({
      'Do outside': [
        starts(['Later', 'Look at A', true]),
        ended.opened.then(() => said('It works in the background.')),
        said('Now it is done.'),
      ],
      'Look at A': [said('A is done.')],
    })
    await expect.poll(() => children().map(({ status }) => status)).toEqual(['completed'])
    ended.open()
    expect(await troupe.ended(id)).toMatchObject({
      status: 'completed',
      report: expect.stringMatching(/Now it is done\.$/),
    })
    // The transcript says why it had to continue.
    expect(JSON.stringify(eventsOf(troupe, troupe.childId()))).toContain(UNHEARD)
  })
})
