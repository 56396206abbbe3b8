import { expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { fateOf, forecast } from './board.ts'

const WORKER = { workerId: 'w', host: 'build-9', pid: 1, cores: 4, tmux: null, epoch: 1 }

function agent(more: Parameters<SampleLog['next']>[1][] = [], choices = {}) {
  const script = new SampleLog()
  const spawned = script.spawn('one', { parentId: 'main', ...choices })
  return stateAfter([
    spawned,
    script.status('one', 'running'),
    ...more.map((draft) => script.next('one', draft)),
  ])
}

const ended = (status: 'completed' | 'interrupted') =>
  ({
    type: 'agent-ended',
    status,
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  }) as const
const silent = (state: 'silent' | 'gone' | 'running') =>
  ({ type: 'worker-changed', worker: WORKER, state, jobId: null, note: '' }) as never

test.each([
  ['a running agent', agent(), 'next-turn'],
  ['a paused one', agent([{ type: 'pause-changed', paused: true }]), 'when-continued'],
  ['one that has ended', agent([ended('completed')]), 'resumes'],
  ['an interrupted one', agent([ended('interrupted')]), 'resumes'],
  ['one on a machine that is silent', agent([silent('silent')], { backing: 'remote' }), 'kept'],
  ['one on a machine that is lost', agent([silent('gone')], { backing: 'remote' }), 'kept'],
  ['one on a machine that answers', agent([silent('running')], { backing: 'remote' }), 'next-turn'],
  [
    'a main agent that waits',
    agent([{ type: 'status-changed', status: 'waiting', waitingFor: 'message' }], { parentId: null }),
    'starts',
  ],
])('%s: %#', (_, state, fate) => {
  expect(fateOf(state)).toBe(fate)
})

test('the sentence names up to three receivers, and counts more', () => {
  const of = (fate: Parameters<typeof forecast>[0][number]['fate'], ...names: string[]) =>
    names.map((name) => ({ name, fate }))
  expect(forecast(of('next-turn', 'a'))).toBe('a reads it in its next turn.')
  expect(
    forecast([
      ...of('resumes', 'doc-writer'),
      ...of('kept', 'fuzzer'),
      ...of('next-turn', 'a', 'b', 'c', 'd', 'e'),
    ]),
  ).toBe(
    '5 read it in their next turn; doc-writer has ended and resumes; fuzzer can’t be reached: kept in its mailbox.',
  )
  expect(forecast(of('after-answer', 'a', 'b'))).toBe(
    'a and b read it after you answer their permission requests.',
  )
  expect(forecast(of('one-report', 'a', 'b', 'c'))).toBe(
    'a, b and c have given their one report and can’t be written to.',
  )
  expect(forecast([])).toBe('Nobody would receive it.')
})
