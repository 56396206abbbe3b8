import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConversationEventOf } from '../events/conversation-event.ts'
import { sampleEvent } from '../testing/sample-events.ts'
import {
  completedSteps,
  emptyTutorial,
  foldTutorial,
  nextStep,
  TUTORIAL_STEPS,
  type TutorialFact,
} from './tutorial.ts'

const undone = (redoOf: string | null): ConversationEventOf<'changes-undone'> => ({
  ...{ v: 1, conversationId: 'c-1', seq: 9, order: 9, at: 0, type: 'changes-undone', undoId: 'u-1', redoOf },
  ...{ scope: { kind: 'all' }, changes: [], files: [] },
})
const MAIN = 'a-main'
const SUB = 'a-sub'
const spawned = [
  sampleEvent('agent-spawned', { agentId: MAIN, parentId: null }),
  sampleEvent('agent-spawned', { agentId: SUB, parentId: MAIN }),
]
const message = (agentId: string) => sampleEvent('user-message', { agentId, from: 'user' })
const answered = (more: object) => sampleEvent('permission-answered', more)
const ended = (more: object) => sampleEvent('agent-ended', { agentId: SUB, seq: 10, ...more })
const running = (seq: number) =>
  sampleEvent('status-changed', { agentId: SUB, seq, status: 'running', waitingFor: null })

/** A whole tutorial, in the order of the guide. */
const ALL: readonly TutorialFact[] = [
  ...spawned,
  message(MAIN),
  answered({ decision: 'deny', answeredBy: undefined }),
  sampleEvent('agent-ended', { agentId: SUB, seq: 4, status: 'stopped', stoppedBy: 'user' }),
  message(SUB),
  undone(null),
  { type: 'worktree-merged' },
  ended({ status: 'interrupted', stoppedBy: undefined }),
  running(12),
]
/** With a second end, after which the agent did not run, and an earlier run. */
const MORE = [...ALL, ended({ seq: 20, status: 'interrupted', stoppedBy: undefined }), running(5)]
const stepsOf = (facts: readonly TutorialFact[]) => completedSteps(facts.reduce(foldTutorial, emptyTutorial))

test('each step is completed by its own fact', () => {
  const steps = ALL.map((_, index) => stepsOf(ALL.slice(0, index + 1)).length)
  expect(steps).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 6, 7])
  expect(stepsOf(ALL)).toEqual(TUTORIAL_STEPS)
})

test('any order of the facts completes the same steps', () => {
  const subsets = fc.shuffledSubarray([...MORE], { minLength: 0 })
  fc.assert(
    fc.property(
      subsets.chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
      ),
      ([facts, shuffled]) => {
        expect(stepsOf(shuffled)).toEqual(stepsOf(facts))
        // A fact that is read twice, from the log and from a delta, changes nothing.
        expect(stepsOf([...shuffled, ...facts])).toEqual(stepsOf(facts))
      },
    ),
  )
})

test.each<[string, readonly TutorialFact[]]>([
  ['a rule answers the request', [answered({ decision: 'allow-once', answeredBy: 'rules' })]],
  ['the request is withdrawn', [answered({ decision: 'withdrawn', answeredBy: undefined })]],
  ['a parent stops the agent', [ended({ status: 'stopped', stoppedBy: 'agent' })]],
  [
    'the agent is interrupted and not resumed',
    [running(3), ended({ status: 'interrupted', stoppedBy: undefined })],
  ],
  ['another agent writes', [...spawned, sampleEvent('user-message', { agentId: SUB, from: 'agent' })]],
  ['an undo is taken back', [undone('u-0')]],
])('nothing is completed when %s', (_, facts) => {
  expect(stepsOf(facts)).toEqual([])
})

test('an agent that the closing program stopped counts once it runs again', () => {
  const closed = ended({ status: 'stopped', stoppedBy: 'program' })
  expect(stepsOf([closed])).toEqual([])
  expect(stepsOf([running(12), closed])).toEqual(['restart'])
})

test('the next step is the first that is neither done nor skipped', () => {
  expect(nextStep({ done: [], skipped: [] })).toBe('send')
  expect(nextStep({ done: ['send', 'stop'], skipped: ['answer'] })).toBe('message')
  expect(nextStep({ done: TUTORIAL_STEPS, skipped: [] })).toBe(null)
})
