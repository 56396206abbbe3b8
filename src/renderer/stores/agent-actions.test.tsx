import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { deferred } from '../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { Refusal } from '../testing/fake-handlers.ts'
import { actOn, continueAll, pauseAll, useAgentActions, workingSubagents } from './agent-actions.ts'
import { useConversation } from './conversation-store.ts'
import { onNotice } from './overlay-store.ts'
import { mayResume, type ResumeChoice, useResume } from './resume-question.ts'
import { useStage } from './stage-store.ts'

let bridge: FakeBridge
let script: SampleLog
const notices: string[] = []
onNotice(({ text }) => notices.push(text))

beforeEach(() => {
  notices.length = 0
  script = new SampleLog()
  bridge = installFakeBridge({ 'agent.definitionChange': () => ({ kind: 'same', what: [] }) })
  useAgentActions.setState({ busy: new Map() })
  useResume.setState({ questions: new Map(), gone: new Set(), pending: new Set() })
  useStage.setState({ reveal: null, selectedAgentId: null })
})

function know(...histories: (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    agents: new Map(states.map((state) => [state.id, state])),
  })
}
const working = (id: string) => [script.spawn(id, { parentId: 'main' }), script.status(id, 'running')]
const stopped = (id: string) => [
  ...working(id),
  script.next(id, {
    type: 'agent-ended',
    status: 'stopped',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  }),
]
const A = { agentId: 'a', conversationId: 'c1' }
const agentA = () => useConversation.getState().agents.get('a')
/** Lets pending work finish. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve))
async function choose(choice: ResumeChoice) {
  useResume.getState().questions.get('a')?.answer(choice)
  await settle()
}

describe('a command', () => {
  test('is sent once, however often it is requested, and shows as busy', async () => {
    know(working('a'))
    const answered = deferred<void>()
    bridge.answer({ 'agent.pause': () => answered.promise })
    const first = actOn('a', 'pause')
    await actOn('a', 'pause')
    expect(useAgentActions.getState().busy.get('a')).toBe('pause')
    expect(bridge.inputsOf('agent.pause')).toEqual([A])
    answered.resolve()
    await first
    expect(useAgentActions.getState().busy.has('a')).toBe(false)
  })

  test('can be replaced only by a stop while pending', async () => {
    know(working('a'))
    bridge.answer({ 'agent.pause': () => deferred<void>().promise })
    void actOn('a', 'pause')
    await actOn('a', 'background')
    await actOn('a', 'stop')
    expect(bridge.inputsOf('agent.toBackground')).toEqual([])
    expect(bridge.inputsOf('agent.stop')).toEqual([A])
  })

  test('is not sent when the agent’s state no longer allows it', async () => {
    know(stopped('a'))
    await actOn('a', 'pause')
    await actOn('a', 'stop')
    await actOn('nobody', 'stop')
    expect(bridge.calls).toEqual([])
  })

  test('shows no error when the agent is already in that state', async () => {
    know([script.spawn('main'), script.status('main', 'running')], working('a'))
    const refuse = (type: string) => () => {
      throw new Refusal('It is so already.', type)
    }
    bridge.answer({ 'agent.toBackground': refuse('not-possible'), 'agent.stop': refuse('ended') })
    await actOn('a', 'background')
    await actOn('a', 'stop')
    expect(bridge.inputsOf('agent.toBackground')).toHaveLength(1)
    expect(bridge.inputsOf('agent.stop')).toHaveLength(1)
    expect(notices).toEqual([])
  })

  test('shows the reason of a failure and can be retried', async () => {
    know(working('a'))
    bridge.answer({
      'agent.pause': () => {
        throw new Refusal('This agent is not running.')
      },
    })
    await actOn('a', 'pause')
    await actOn('a', 'pause')
    expect(notices).toEqual(Array(2).fill('This agent is not running.'))
  })
})

describe('commands for all agents', () => {
  test('pause only working agents; an agent that ended meanwhile is no error', async () => {
    know(
      working('a'),
      working('b'),
      [...working('c'), script.next('c', { type: 'pause-changed', paused: true })],
      stopped('d'),
    )
    bridge.answer({
      'agent.pause': ({ agentId }) => {
        if (agentId === 'b') throw new Refusal('This agent is not running.', 'ended')
      },
    })
    await pauseAll()
    expect(bridge.inputsOf('agent.pause').map(({ agentId }) => agentId)).toEqual(['a', 'b'])
    expect(notices).toEqual([])
    await continueAll()
    expect(bridge.inputsOf('agent.continue').map(({ agentId }) => agentId)).toEqual(['c'])
    // The user reads which agents go on.
    expect(notices).toEqual(['Continued: c.'])
  })

  test('report several failures in one notice', async () => {
    know(working('a'), working('b'))
    bridge.answer({
      'agent.pause': () => {
        throw new Refusal('The disk is full.')
      },
    })
    await pauseAll()
    expect(notices).toEqual(['2 agents could not be reached. The disk is full.'])
  })
})

describe('before an agent resumes', () => {
  const changes = (kind: 'changed' | 'gone') =>
    bridge.answer({ 'agent.definitionChange': () => ({ kind, what: ['its prompt'] }) })

  test('an unchanged definition causes no question', async () => {
    know(stopped('a'))
    await actOn('a', 'resume')
    expect(bridge.calls.map(({ name }) => name)).toEqual(['agent.definitionChange', 'agent.continue'])
    expect(useStage.getState().reveal).toBeNull()
  })

  test('a changed definition causes a question in the panel; the old definition can be kept', async () => {
    know(stopped('a'))
    changes('changed')
    const resuming = actOn('a', 'resume')
    await settle()
    expect(useResume.getState().questions.get('a')?.what).toEqual(['its prompt'])
    expect(useStage.getState().reveal).toEqual({ kind: 'agent', agentId: 'a' })
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    await choose('as-it-was')
    await resuming
    expect(bridge.inputsOf('agent.renew')).toEqual([])
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
    expect(useResume.getState().questions.size).toBe(0)
  })

  test('the new definition is loaded first; if that fails, the question stays', async () => {
    know(stopped('a'))
    changes('changed')
    bridge.answer({
      'agent.renew': () => {
        throw new Refusal('Line 3 of its definition can’t be read.')
      },
    })
    const resuming = actOn('a', 'resume')
    await settle()
    await choose('renew')
    expect(notices).toEqual(['Line 3 of its definition can’t be read.'])
    expect(useResume.getState().questions.get('a')?.busy).toBe(false)
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    bridge.answer({ 'agent.renew': () => undefined })
    await choose('renew')
    await resuming
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
  })

  test('canceling the question leaves the agent stopped', async () => {
    know(stopped('a'))
    changes('changed')
    const resuming = actOn('a', 'resume')
    await settle()
    await choose('cancel')
    await resuming
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    expect(useAgentActions.getState().busy.size).toBe(0)
  })

  test('a message causes the question, too; a second message meanwhile is not sent', async () => {
    know(stopped('a'))
    changes('changed')
    const first = mayResume(agentA())
    await settle()
    expect(await mayResume(agentA())).toBe(false)
    expect(bridge.inputsOf('agent.definitionChange')).toHaveLength(1)
    await choose('as-it-was')
    expect(await first).toBe(true)
  })

  test('the question disappears when the agent resumes by other means', async () => {
    know(stopped('a'))
    changes('changed')
    const first = mayResume(agentA())
    await settle()
    know(working('a'))
    expect(await first).toBe(true)
    expect(useResume.getState().questions.size).toBe(0)
  })

  test('an agent without a definition file resumes with the old definition, and a line says so', async () => {
    know(stopped('a'))
    changes('gone')
    await actOn('a', 'resume')
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
    expect([...useResume.getState().gone]).toEqual(['a'])
  })

  test('a failed check for changes shows a notice and does not prevent resuming', async () => {
    know(stopped('a'))
    bridge.answer({
      'agent.definitionChange': () => {
        throw new Refusal('The folder is gone.')
      },
    })
    await actOn('a', 'resume')
    expect(notices[0]).toContain('The folder is gone.')
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
  })

  test('the main agent and forks are never checked', async () => {
    know(
      [script.spawn('a'), ...stopped('a').slice(2)],
      [
        script.spawn('f', { parentId: 'main', inherits: { agentId: 'main', seq: 1 } }),
        ...stopped('f').slice(2),
      ],
    )
    for (const id of ['a', 'f']) await mayResume(useConversation.getState().agents.get(id))
    expect(bridge.calls).toEqual([])
  })
})

test('the main agent takes no slot of subagents', () => {
  know([script.spawn('main'), script.status('main', 'running')], working('a'), stopped('b'))
  expect(workingSubagents(useConversation.getState().agents)).toBe(1)
})
