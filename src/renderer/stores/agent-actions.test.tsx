import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/agent-event.ts'
import { deferred } from '../testing/deferred.ts'
import { EventScript, stateAfter } from '../testing/event-script.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { Refusal } from '../testing/refusal.ts'
import { actOn, continueAll, pauseAll, useAgentActions } from './agent-actions.ts'
import { useConversation } from './conversation-store.ts'
import { onNotice } from './notice-store.ts'
import { mayResume, type ResumeChoice, useResume } from './resume-question.ts'
import { useStage } from './stage-store.ts'

let bridge: FakeBridge
let script: EventScript
const notices: string[] = []
onNotice(({ text }) => notices.push(text))

beforeEach(() => {
  notices.length = 0
  script = new EventScript()
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
/** Lets what is under way go as far as it can. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve))
async function choose(choice: ResumeChoice) {
  useResume.getState().questions.get('a')?.answer(choice)
  await settle()
}

describe('a command', () => {
  test('goes out once, however often it is asked for, and shows that it is on its way', async () => {
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

  test('is overtaken by a stop only', async () => {
    know(working('a'))
    bridge.answer({ 'agent.pause': () => deferred<void>().promise })
    void actOn('a', 'pause')
    await actOn('a', 'background')
    await actOn('a', 'stop')
    expect(bridge.inputsOf('agent.toBackground')).toEqual([])
    expect(bridge.inputsOf('agent.stop')).toEqual([A])
  })

  test('that is not possible any more is not sent', async () => {
    know(stopped('a'))
    await actOn('a', 'pause')
    await actOn('a', 'stop')
    await actOn('nobody', 'stop')
    expect(bridge.calls).toEqual([])
  })

  test('that is so already by the press before is no failure', async () => {
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

  test('that fails says why, and can be tried again', async () => {
    know(working('a'))
    bridge.answer({
      'agent.pause': () => {
        throw new Refusal('This agent does not work at the moment.')
      },
    })
    await actOn('a', 'pause')
    await actOn('a', 'pause')
    expect(notices).toEqual(Array(2).fill('This agent does not work at the moment.'))
  })
})

describe('all at once', () => {
  test('only those that work are paused; one that ended meanwhile needs no words', async () => {
    know(
      working('a'),
      working('b'),
      [...working('c'), script.next('c', { type: 'pause-changed', paused: true })],
      stopped('d'),
    )
    bridge.answer({
      'agent.pause': ({ agentId }) => {
        if (agentId === 'b') throw new Refusal('This agent does not work at the moment.', 'ended')
      },
    })
    await pauseAll()
    expect(bridge.inputsOf('agent.pause').map(({ agentId }) => agentId)).toEqual(['a', 'b'])
    await continueAll()
    expect(bridge.inputsOf('agent.continue').map(({ agentId }) => agentId)).toEqual(['c'])
    expect(notices).toEqual([])
  })

  test('several failures are said once', async () => {
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

describe('before an agent goes on', () => {
  const changes = (kind: 'changed' | 'gone') =>
    bridge.answer({ 'agent.definitionChange': () => ({ kind, what: ['its prompt'] }) })

  test('nothing is asked where its definition is the same', async () => {
    know(stopped('a'))
    await actOn('a', 'go-on')
    expect(bridge.calls.map(({ name }) => name)).toEqual(['agent.definitionChange', 'agent.continue'])
    expect(useStage.getState().reveal).toBeNull()
  })

  test('a changed one is asked about in its panel: as it was', async () => {
    know(stopped('a'))
    changes('changed')
    const going = actOn('a', 'go-on')
    await settle()
    expect(useResume.getState().questions.get('a')?.what).toEqual(['its prompt'])
    expect(useStage.getState().reveal).toEqual({ kind: 'agent', agentId: 'a' })
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    await choose('as-it-was')
    await going
    expect(bridge.inputsOf('agent.renew')).toEqual([])
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
    expect(useResume.getState().questions.size).toBe(0)
  })

  test('the new one is taken first; where that fails the question stays', async () => {
    know(stopped('a'))
    changes('changed')
    bridge.answer({
      'agent.renew': () => {
        throw new Refusal('Line 3 of its definition can’t be read.')
      },
    })
    const going = actOn('a', 'go-on')
    await settle()
    await choose('renew')
    expect(notices).toEqual(['Line 3 of its definition can’t be read.'])
    expect(useResume.getState().questions.get('a')?.busy).toBe(false)
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    bridge.answer({ 'agent.renew': () => undefined })
    await choose('renew')
    await going
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
  })

  test('cancelled, it stays as it is', async () => {
    know(stopped('a'))
    changes('changed')
    const going = actOn('a', 'go-on')
    await settle()
    await choose('cancel')
    await going
    expect(bridge.inputsOf('agent.continue')).toEqual([])
    expect(useAgentActions.getState().busy.size).toBe(0)
  })

  test('a message asks too; asked a second time meanwhile it is not sent', async () => {
    know(stopped('a'))
    changes('changed')
    const first = mayResume(agentA())
    await settle()
    expect(await mayResume(agentA())).toBe(false)
    expect(bridge.inputsOf('agent.definitionChange')).toHaveLength(1)
    await choose('as-it-was')
    expect(await first).toBe(true)
  })

  test('where it goes on by other means nothing is left to ask', async () => {
    know(stopped('a'))
    changes('changed')
    const first = mayResume(agentA())
    await settle()
    know(working('a'))
    expect(await first).toBe(true)
    expect(useResume.getState().questions.size).toBe(0)
  })

  test('one whose definition is gone goes on as it was, and a line says so', async () => {
    know(stopped('a'))
    changes('gone')
    await actOn('a', 'go-on')
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
    expect([...useResume.getState().gone]).toEqual(['a'])
  })

  test('what can’t be told is said, and stands in nobody’s way', async () => {
    know(stopped('a'))
    bridge.answer({
      'agent.definitionChange': () => {
        throw new Refusal('The folder is gone.')
      },
    })
    await actOn('a', 'go-on')
    expect(notices[0]).toContain('The folder is gone.')
    expect(bridge.inputsOf('agent.continue')).toEqual([A])
  })

  test('the main agent and forks have no definition of their own to take', async () => {
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
