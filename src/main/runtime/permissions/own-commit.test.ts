import { expect, it } from 'vitest'
import { inWorktree, judgeCommand, type Situation, verdict } from './testing/judge.ts'

const judge = (command: string, more: Situation = {}) =>
  verdict(judgeCommand(command, { agent: inWorktree, ...more }))

it.each([
  'git add -A && git commit -m "Fix the queue"',
  'git add src/a.ts docs && git commit -m "a" -m "b"',
  'git add . && git commit -am one && git status',
  'git commit --amend --no-edit',
  'cd src && git add . && git commit --message=x',
])('an isolated agent commits on its own branch without permission: %s', async (command) => {
  for (const mode of ['default', 'acceptEdits', 'dontAsk'] as const)
    expect(await judge(command, { mode })).toBe('allow')
  expect(await judge(command, { mode: 'plan' })).toBe('deny')
  expect(await judge(command, { agent: { ...inWorktree, readOnly: true } })).toBe('deny')
  expect(await judge(command, { agent: { ...inWorktree, denied: ['Bash(git commit:*)'] } })).toBe('deny')
  expect(await judge(command, { agent: {} })).toBe('ask')
})

it.each([
  'git commit',
  'git commit -F notes.txt',
  'git commit -e -m x',
  'git commit -S -m x',
  'git add -p',
  'git add -f .env',
  'git add $X',
  'git commit -m "$X"',
  'git -c core.editor=evil commit -m x',
  'GIT_EDITOR=evil git commit -m x',
  'env git commit -m x',
  'git commit -m x > out.txt',
  'git add -A && npm test',
  'git commit -m "$(npm test)"',
])('needs permission: %s', async (command) => {
  expect(await judge(command)).not.toBe('allow')
})

it.each(['cd /repo && git add . && git commit -m x', 'git -C /repo commit -m x'])(
  'never in another checkout: %s',
  async (command) => {
    expect(await judge(command)).toBe('deny')
  },
)
