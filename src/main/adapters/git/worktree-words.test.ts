import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../../shared/result.ts'
import type { Git } from './git-client.ts'
import { inWords } from './git-words.ts'
import { createPatientGit } from './patient-git.ts'
import { taskMessage } from './task-message.ts'
import { patternFor } from './worktree-excludes.ts'
import { repositoryFolderName } from './worktree-records.ts'

describe('the message of what was left uncommitted', () => {
  test('is the task on one line', () => {
    expect(taskMessage('  Mend\n the  parser ', 'completed')).toBe('Agent task: Mend the parser\n')
  })
  test('says where the agent did not come to its end, and keeps a long task whole', () => {
    const task = `Mend ${'x'.repeat(200)}`
    expect(taskMessage(task, 'failed')).toBe(
      `Agent task: Mend ${'x'.repeat(114)}…\n\nUnfinished: the agent failed before its task was done.\n\n${task}\n`,
    )
  })
})

test.each([
  ['.env', '/.env'],
  ['a [1]*?\\.x', '/a \\[1]\\*\\?\\\\.x'],
  ['ends with ', '/ends with\\ '],
  ['two\nlines', '/two?lines'],
])('the pattern for %j', (path, pattern) => {
  expect(patternFor(path)).toBe(pattern)
})

test('repositories of one name have folders of their own', () => {
  expect(repositoryFolderName('/home/a/troupe/.git')).toMatch(/^troupe-[0-9a-f]{8}$/)
  expect(repositoryFolderName('/home/b/troupe/.git')).not.toBe(repositoryFolderName('/home/a/troupe/.git'))
  expect(repositoryFolderName('/srv/hub.git')).toMatch(/^hub-/)
})

describe('a lock that another program holds', () => {
  const held = { type: 'git', message: "fatal: Unable to create '/p/.git/index.lock': File exists." }
  const failing = (times: number, failure = held): { readonly git: Git; readonly calls: () => number } => {
    let calls = 0
    const answer = async () => (calls++ < times ? fail(failure) : ok('done'))
    return {
      git: {
        run: answer,
        bytes: async () => ok(Buffer.from('')),
        answers: async () => ok({ output: '', code: 0 }),
      },
      calls: () => calls,
    }
  }
  const wait = async () => undefined

  test('is waited for', async () => {
    const { git, calls } = failing(3)
    expect(await createPatientGit(git, { wait }).run('/p', [])).toEqual(ok('done'))
    expect(calls()).toBe(4)
  })
  test('is said when it stays, with what to do', async () => {
    const { git } = failing(1000)
    const done = await createPatientGit(git, { wait }).run('/p', [])
    expect(done).toEqual(fail(held))
    expect(inWords(held, 'It was not saved').message).toContain('remove the file that is named')
  })
  test('is not what other failures are', async () => {
    const { git, calls } = failing(5, { type: 'git', message: 'fatal: bad object' })
    await createPatientGit(git, { wait }).run('/p', [])
    expect(calls()).toBe(1)
  })
})
