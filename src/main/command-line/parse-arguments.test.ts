import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

test('every option of run', () => {
  const words =
    'run Fix the login --cwd src --agent Plan --model opus --permission-mode plan --max-turns 7 --trust --rehearsal --json'
  expect(parseArguments(words.split(' '))).toEqual({
    ok: true,
    value: {
      verb: 'run',
      task: 'Fix the login',
      cwd: 'src',
      agent: 'Plan',
      model: 'opus',
      permissionMode: 'plan',
      maxTurns: 7,
      resume: null,
      trust: true,
      rehearsal: true,
      scenario: null,
      json: true,
    },
  })
})

test('a task may begin with a dash after two of them, and holds --help as a word', () => {
  expect(parseArguments(['run', '--', '-v', 'breaks', '--help'])).toMatchObject({
    ok: true,
    value: { verb: 'run', task: '-v breaks --help' },
  })
})

test('nothing, or a folder, is for the window', () => {
  expect(parseArguments([])).toMatchObject({ ok: true, value: { verb: 'window', folder: null } })
  expect(parseArguments(['./src'])).toMatchObject({ ok: true, value: { verb: 'window', folder: './src' } })
})

test('lists', () => {
  expect(parseArguments(['agents', 'list', '--cwd', 'a', '--trust', '--json'])).toMatchObject({
    value: { verb: 'agents-list', cwd: 'a', trust: true, json: true },
  })
  expect(parseArguments(['conversations', 'list'])).toMatchObject({
    value: { verb: 'conversations-list', json: false },
  })
  expect(parseArguments(['conversations', 'show', 'c-1', '--json'])).toMatchObject({
    value: { verb: 'conversations-show', id: 'c-1', json: true },
  })
})
