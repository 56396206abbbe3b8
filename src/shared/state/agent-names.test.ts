import { expect, test } from 'vitest'
import { SampleLog } from '../testing/sample-log.ts'
import { agentNames, letterAt, nameText } from './agent-names.ts'

const namesAfter = (log: SampleLog) =>
  Object.fromEntries([...agentNames(log.states.values())].map(([id, name]) => [id, nameText(name)]))

test('an agent is named after its task, and the main agent after its role', () => {
  const log = new SampleLog()
  log.spawn('main')
  log.spawn('a', { parentId: 'main', task: 'Trace the retry path' })
  expect(namesAfter(log)).toEqual({ main: 'Main agent', a: 'Trace the retry path' })
})

test('agents with one task get letters in the order of their starts, also when they share no type', () => {
  const log = new SampleLog()
  log.spawn('main')
  log.spawn('a', { parentId: 'main', task: 'Fix the test' })
  log.spawn('b', { parentId: 'main', task: 'Write the docs' })
  log.spawn('c', { parentId: 'main', task: 'Fix the test' })
  log.spawn('d', { parentId: 'a', task: 'Fix the test' })
  expect(namesAfter(log)).toEqual({
    main: 'Main agent',
    a: 'Fix the test A',
    b: 'Write the docs',
    c: 'Fix the test B',
    d: 'Fix the test C',
  })
})

test('a member of a team has the name that messages to it use, and an agent without a task that of its type', () => {
  const log = new SampleLog()
  log.spawn('main')
  log.spawn('a', { parentId: 'main', task: 'Measure', name: 'bench-runner', teamId: 'team' })
  log.spawn('explorer', { parentId: 'main', task: '  ' })
  log.spawn('c', { parentId: 'main', task: 'Measure', name: 'only-for-messages' })
  expect(namesAfter(log)).toEqual({
    main: 'Main agent',
    a: 'bench-runner',
    explorer: 'explorer',
    c: 'Measure',
  })
})

test('a task with several lines or with invisible characters is one visible line', () => {
  const log = new SampleLog()
  log.spawn('main')
  log.spawn('a', { parentId: 'main', task: '\nFix \u202Eit\nand more' })
  expect(namesAfter(log)['a']).not.toContain('\u202E')
  expect(namesAfter(log)['a']).toMatch(/^Fix .*it$/)
})

test('letters go on after Z', () => {
  expect([0, 1, 25, 26, 27, 52].map(letterAt)).toEqual(['A', 'B', 'Z', 'AA', 'AB', 'BA'])
})
