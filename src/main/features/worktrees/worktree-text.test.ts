import { describe, expect, test } from 'vitest'
import type { GitFailure, GitReason } from '../../platform/git/git-failure.ts'
import { explainFailure } from './failure-text.ts'
import { taskSlug } from './new-worktree.ts'
import { taskMessage } from './task-message.ts'
import { patternFor } from './worktree-excludes.ts'
import { repositoryFolderName } from './worktree-records.ts'

describe('the message of a commit with uncommitted changes', () => {
  test('is the task on one line', () => {
    expect(taskMessage('  Fix\n the  parser ', 'completed')).toBe('Agent task: Fix the parser\n')
  })
  test('reports an incomplete task, and keeps a long task complete', () => {
    const task = `Mend ${'x'.repeat(200)}`
    expect(taskMessage(task, 'failed')).toBe(
      `Agent task: Mend ${'x'.repeat(114)}…\n\nUnfinished: the agent failed before its task was done.\n\n${task}\n`,
    )
  })
})

test.each([
  ['Fix the parser!', 'fix-the-parser'],
  ['  Größe ändern (v2)\n', 'gro-e-andern-v2'],
  ['../../etc; rm -rf ~', 'etc-rm-rf'],
  ['Rename the fields of every record in the whole project', 'rename-the-fields-of-every-record-in-the'],
  ['x'.repeat(50), 'x'.repeat(40)],
  ['修正', ''],
])('the branch of the task %j', (task, slug) => {
  expect(taskSlug(task)).toBe(slug)
})

test.each([
  ['.env', '/.env'],
  ['a [1]*?\\.x', '/a \\[1]\\*\\?\\\\.x'],
  ['ends with ', '/ends with\\ '],
  ['two\nlines', '/two?lines'],
])('the pattern for %j', (path, pattern) => {
  expect(patternFor(path)).toBe(pattern)
})

test('repositories with the same name have different folders', () => {
  expect(repositoryFolderName('/home/a/troupe/.git')).toMatch(/^troupe-[0-9a-f]{8}$/)
  expect(repositoryFolderName('/home/b/troupe/.git')).not.toBe(repositoryFolderName('/home/a/troupe/.git'))
  expect(repositoryFolderName('/srv/hub.git')).toMatch(/^hub-/)
})

describe('the explanation of a git failure', () => {
  const what = 'The work could not be saved'
  const failure = (reason: GitReason): GitFailure => ({
    type: 'git',
    reason,
    message: 'git add failed: fatal: no',
  })

  test('is of type `io` and names the next step for a disk failure', () => {
    const held = explainFailure(failure('lock-held'), what)
    expect(held).toMatchObject({ type: 'io', message: expect.stringContaining('remove the lock file') })
    const full = explainFailure(failure('disk-full'), what)
    expect(full).toMatchObject({ type: 'io', message: expect.stringContaining('free some space') })
  })
  test('keeps other failures unchanged, and shortens long file lists', () => {
    expect(explainFailure(failure('other'), what)).toMatchObject({
      type: 'git',
      message: `${what}. git add failed: fatal: no`,
    })
    const files = Array.from({ length: 1000 }, (_, index) => `\t${index}.txt`).join('\n')
    expect(explainFailure({ type: 'git', message: files }, what).message.split('\n')).toHaveLength(8)
    expect(explainFailure({ type: 'not-found', message: 'The folder is gone.' }, what)).toMatchObject({
      type: 'io',
      message: `${what}: The folder is gone.`,
    })
  })
})
