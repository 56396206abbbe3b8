import { beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { madeUpWorktree, ReviewWorld } from '../features/worktrees/testing/review-world.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { useReview } from '../stores/review-store.ts'
import { useSession } from '../stores/session-store.ts'
import { useStage } from '../stores/stage-store.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { paletteCommands } from './palette-commands.ts'

let bridge: FakeBridge
let script: SampleLog
beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge({ 'agent.definitionChange': () => ({ kind: 'same', what: [] }) })
})

function know(...histories: (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    agents: new Map(states.map((state) => [state.id, state])),
  })
}
const working = (id: string) => [
  script.spawn(id, { parentId: 'main', task: 'look at routes' }),
  script.status(id, 'running'),
]
const titles = () => paletteCommands().map(({ title }) => title)
const run = (title: string) =>
  paletteCommands()
    .find((command) => command.title === title)
    ?.run()

test('each agent has the commands that its state allows', () => {
  know([script.spawn('main', { task: '' }), script.status('main', 'running')], working('Explore'))
  expect(titles()).toEqual(
    expect.arrayContaining([
      'Message: look at routes',
      'Pause: look at routes',
      'Move to background: look at routes',
      'Stop: look at routes',
      'Pause: Main agent',
      'Pause all agents',
    ]),
  )
  expect(titles()).not.toContain('Continue all agents')
  expect(titles()).not.toContain('Continue: look at routes')
})

test('a command goes to its agent; all agents are paused and continued together', async () => {
  const main = [script.spawn('main'), script.status('main', 'running')]
  const explore = working('Explore')
  know(main, explore)
  run('Pause: look at routes')
  run('Message: look at routes')
  expect(bridge.inputsOf('agent.pause')).toEqual([{ agentId: 'Explore', conversationId: 'c1' }])
  expect(useStage.getState().reveal).toEqual({ kind: 'line', agentId: 'Explore' })
  run('Pause all agents')
  expect(bridge.inputsOf('agent.pause').map(({ agentId }) => agentId)).toEqual(['Explore', 'main', 'Explore'])
  know(main, [...explore, script.next('Explore', { type: 'pause-changed', paused: true })])
  expect(titles()).toContain('Continue: look at routes')
  run('Continue all agents')
  expect(bridge.inputsOf('agent.continue').map(({ agentId }) => agentId)).toEqual(['Explore'])
})

test('a conversation that another program runs offers no commands for its agents', () => {
  know(working('Explore'))
  useConversation.setState({ readOnly: true })
  expect(titles().filter((title) => title.includes('Explore') || title.includes('all agents'))).toEqual([])
})

test('each worktree has a command to review it, and each ready worktree one to merge it', () => {
  const world = new ReviewWorld(() => '/work/shop')
  world.all = [
    madeUpWorktree({ id: 'one', agentName: 'refactorer', task: 'one key' }),
    madeUpWorktree({ id: 'two', agentName: 'doc-writer', state: 'working' }),
  ]
  const folder = { path: '/work/shop', name: 'shop', trusted: true, gitBranch: 'main' }
  useSession.setState({ view: 'stage', folder: { ...folder, dirtyFiles: 0, bypassAllowed: false } })
  useReview.setState({ snapshot: world.snapshot() })
  expect(titles()).toEqual(
    expect.arrayContaining(['Review', 'Review doc-writer', 'Merge refactorer into main…']),
  )
  expect(titles()).not.toContain('Merge doc-writer into main…')
  run('Review doc-writer')
  expect(useReview.getState()).toMatchObject({ selectedId: 'two', dialog: null })
  run('Merge refactorer into main…')
  expect(useSession.getState().view).toBe('review')
  expect(useReview.getState()).toMatchObject({ selectedId: 'one', dialog: { kind: 'merge', id: 'one' } })
  useReview.setState(useReview.getInitialState(), true)
  useSession.setState({ view: 'stage', folder: null })
})
