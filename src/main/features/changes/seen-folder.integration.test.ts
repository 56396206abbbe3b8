/** Around a command git is asked only if something changed, and no change is missed because of that. */
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { createGit } from '../../platform/git/git-client.ts'
import { createChangeJournal } from './change-journal.ts'
import type { FollowedFolder } from './follow-folder.ts'
import { type ChangesBench, CONVERSATION, changesBench, must } from './testing/changes-bench.ts'

const FILES = {
  '.gitignore': 'out/\n*.log\n',
  'a.txt': 'one\n',
  'd/b.txt': 'two\n',
  'd/c.txt': 'three\n',
}

/** A bench whose journal has seen the folder, with an empty folder and ignored files in it. */
async function seenBench(repository = true): Promise<ChangesBench> {
  const bench = changesBench({ repository, files: FILES })
  mkdirSync(bench.path('empty'))
  mkdirSync(bench.path('out'))
  bench.put('out/made.js', 'made\n')
  symlinkSync('a.txt', bench.path('link'))
  await bench.settled()
  await bench.command('ann', () => {})
  bench.gitCalls()
  return bench
}

const changed = async (bench: ChangesBench) => {
  const { calls, user } = await bench.list()
  return {
    calls: calls.flatMap(({ files }) => files.map(({ letter, shown }) => `${letter} ${shown}`)).sort(),
    user: user.map(({ letter, shown }) => `${letter} ${shown}`),
  }
}

test('commands that change nothing start no git', async () => {
  const bench = await seenBench()
  await bench.command('ann', () => {})
  await bench.command('ben', () => bench.put('out/made.js', 'again\n'))
  expect(bench.gitCalls()).toEqual([])
  expect((await changed(bench)).calls).toEqual(['M out/made.js'])
})

test('what agents wrote by tools between commands needs no git', async () => {
  const bench = await seenBench()
  await bench.write('ann', 'a.txt', 'ONE\n')
  await bench.write('ann', 'd/new.txt', 'new\n')
  await bench.command('ann', () => {})
  expect(bench.gitCalls()).toEqual([])
  // The command's part of a file that a tool wrote before is its own.
  await bench.command('ben', () => bench.put('a.txt', 'ONE!\n'))
  expect(bench.gitCalls()).toEqual([])
  expect((await changed(bench)).calls).toEqual(['A d/new.txt', 'M a.txt', 'M a.txt'])
  await bench.undo({ kind: 'agent', agentId: 'ben' })
  expect(bench.text('a.txt')).toBe('ONE\n')
})

test.each([true, false])(
  'a file that another agent is just writing is nobody’s change (repository: %s)',
  async (repository) => {
    const bench = await seenBench(repository)
    await bench.command('ann', () => bench.put('d/.troupe-0123456789abcdef01.tmp', 'half'))
    await bench.command('ben', () => unlinkSync(bench.path('d/.troupe-0123456789abcdef01.tmp')))
    expect(await changed(bench)).toEqual({ calls: [], user: [] })
  },
)

const acts: readonly [string, (bench: ChangesBench) => void, readonly string[]][] = [
  ['an edit of the same size', (b) => b.put('a.txt', 'ONE\n'), ['M a.txt']],
  [
    'an edit with the former time',
    (b) => {
      b.put('a.txt', 'ONE\n')
      utimesSync(b.path('a.txt'), 1000, 1000)
    },
    ['M a.txt'],
  ],
  ['a new file', (b) => b.put('d/new.txt', 'new\n'), ['A d/new.txt']],
  ['a new file in an empty folder', (b) => b.put('empty/new.txt', 'new\n'), ['A empty/new.txt']],
  ['a new file in a new folder', (b) => b.put('x/y/new.txt', 'new\n'), ['A x/y/new.txt']],
  ['a deleted file', (b) => rmSync(b.path('d/b.txt')), ['D d/b.txt']],
  ['a deleted folder', (b) => rmSync(b.path('d'), { recursive: true }), ['D d/b.txt', 'D d/c.txt']],
  ['a mode', (b) => chmodSync(b.path('a.txt'), 0o755), ['M a.txt']],
  ['a renamed file', (b) => renameSync(b.path('a.txt'), b.path('z.txt')), ['D a.txt', 'R z.txt']],
  [
    'a replaced file',
    (b) => {
      b.put('draft', 'ONE\n')
      renameSync(b.path('draft'), b.path('a.txt'))
    },
    ['M a.txt'],
  ],
  [
    'a link to another file',
    (b) => {
      unlinkSync(b.path('link'))
      symlinkSync('d/b.txt', b.path('link'))
    },
    ['M link'],
  ],
]

for (const repository of [true, false])
  test(`every kind of change by a command, and by the user before one, is found ${repository ? 'in a repository' : 'elsewhere'}`, async () => {
    const bench = await seenBench(repository)
    for (const [title, act, expected] of acts) {
      const toolUseId = await bench.command('ben', () => act(bench))
      const { calls } = await bench.list()
      const found = calls.find((call) => call.toolUseId === toolUseId)?.files ?? []
      expect(found.map(({ letter, shown }) => `${letter} ${shown}`).sort(), title).toEqual(expected)
      await bench.undo({ kind: 'call', agentId: 'ben', toolUseId })
      mkdirSync(bench.path('empty'), { recursive: true })
      await bench.settled()
      await bench.command('ann', () => {})
    }
    await bench.write('ann', 'a.txt', 'mine\n')
    bench.put('a.txt', 'user\n')
    bench.put('d/b.txt', 'user\n')
    await bench.command('ben', () => bench.put('a.txt', 'ben\n'))
    await bench.undo({ kind: 'agent', agentId: 'ben' })
    expect([bench.text('a.txt'), bench.text('d/b.txt')]).toEqual(['user\n', 'user\n'])
  })

test('commits, other branches and other rules of what is ignored are seen', async () => {
  const bench = await seenBench()
  bench.git('branch', 'other')
  await bench.command('ann', () => {
    bench.put('a.txt', 'ONE\n')
    bench.git('commit', '--quiet', '--all', '--message', 'One')
  })
  await bench.settled()
  await bench.command('ann', () => {})
  await bench.command('ben', () => void bench.git('checkout', '--quiet', 'other'))
  await bench.settled()
  await bench.command('ann', () => {})
  // A file that git ignored is visible once only the rules have changed.
  writeFileSync(bench.path('.git/info/exclude'), '*.tmp\n')
  bench.put('x.tmp', 'x')
  await bench.settled()
  await bench.command('ann', () => {})
  writeFileSync(bench.path('.git/info/exclude'), '')
  await bench.command('cy', () => bench.put('x.tmp', 'y'))
  expect(
    (await bench.list()).calls.map(({ agentId, files, ignored }) => [
      agentId,
      files.map(({ letter, shown }) => `${letter} ${shown}`),
      ignored,
    ]),
  ).toEqual([
    ['ann', ['M a.txt'], 0],
    ['ben', ['M a.txt'], 0],
    ['cy', ['M x.tmp'], 0],
  ])
})

test('a git that takes too long is stopped, said, and not asked again for a while; what is written is named', async () => {
  const bench = changesBench({ repository: true, files: FILES })
  await bench.settled()
  let asked = 0
  const git = createGit({ environment: {} })
  const never: typeof git.run = (_, [verb], { signal } = {}) => {
    if (verb === 'status') asked++
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(ok('')))
    })
  }
  const journal = createChangeJournal({
    now: Date.now,
    git: { ...git, run: never },
    folderOf: (id) => join(bench.data, id),
    patienceMs: 5,
  })
  const call = { conversationId: 'c', agentId: 'ann', root: bench.folder }
  for (const toolUseId of ['t1', 't2']) {
    const target = { kind: 'folder' as const, path: bench.folder }
    const open = must(await journal.begin({ ...call, toolUseId, target }))
    bench.put('a.txt', `${toolUseId}\n`)
    expect(await open.end()).toMatchObject([
      {
        toolUseId,
        files: [{ shown: 'a.txt', kept: 'unavailable' }],
        note: expect.stringContaining('git status takes more than'),
      },
    ])
  }
  expect(asked).toBe(1)
})

test('two programs that are looked at in the same moment: a change is recorded once', async () => {
  const bench = await seenBench()
  const followed = await Promise.all(
    ['ann', 'ben'].map(async (agentId) => {
      const call = { conversationId: CONVERSATION, agentId, toolUseId: `turn-${agentId}`, root: bench.folder }
      return must(await bench.journal.follow(call)).folder
    }),
  )
  bench.put('a.txt', 'ONE\n')
  bench.put('d/new.txt', 'new\n')
  const recorded: string[] = []
  const look = (folder: FollowedFolder) =>
    folder.look(
      (path) => path,
      async (changes) => {
        recorded.push(...changes.flatMap(({ files }) => files.map((file) => file.path)))
      },
    )
  await Promise.all(followed.map(look))
  expect(recorded.sort()).toEqual([bench.path('a.txt'), bench.path('d/new.txt')])
})
