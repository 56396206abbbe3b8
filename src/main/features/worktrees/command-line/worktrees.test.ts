import { describe, expect, test, vi } from 'vitest'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import type { Review } from '../../../runtime/ports/worktrees.ts'
import { parseLine } from '../../../testing/parse-line.ts'
import { type WorktreesCommand, worktrees } from './worktrees.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const worktree = (more: Partial<ReviewWorktree> = {}): ReviewWorktree => ({
  id: 'writer-a91e42',
  path: '/data/worktrees/repo/writer-a91e42',
  branch: 'troupe/writer-a91e42',
  base: 'b'.repeat(40),
  target: 'main',
  agentId: 'a-1',
  conversationId: 'c-1',
  agentName: 'writer',
  color: 'blue',
  task: 'Write the docs',
  createdAt: NOW - 3 * 3_600_000,
  state: 'ready',
  ended: 'completed',
  folderGone: false,
  version: '',
  commits: 2,
  files: 3,
  insertions: 10,
  deletions: 2,
  uncommitted: 0,
  check: { kind: 'clean' },
  conflictsWith: [],
  merged: null,
  takenBack: null,
  resolving: null,
  asked: null,
  bytes: 1_300_000,
  notes: [],
  problem: null,
  ...more,
})
const tester = worktree({ id: 'tester-77aa01', branch: 'troupe/tester-77aa01', agentName: 'tester' })
const snapshot = (more: Partial<ReviewSnapshot> = {}): ReviewSnapshot => ({
  folder: '/repo',
  worktrees: [worktree(), tester],
  discarded: [],
  order: [],
  branches: ['main'],
  current: 'main',
  ahead: null,
  problem: null,
  ...more,
})

interface Setting {
  readonly snapshot?: ReviewSnapshot
  readonly review?: Partial<Review>
  readonly trusted?: boolean
  readonly ask?: (question: string) => Promise<string>
}

/** Runs `troupe worktrees …`. @returns output and exit code */
async function run(args: string, setting: Setting = {}) {
  const command = parseLine<WorktreesCommand>(['worktrees', ...args.split(' ')])
  if (!command.ok || !command.value.verb.startsWith('worktrees')) throw new Error('wrong words')
  let [output, errors] = ['', '']
  const list = vi.fn(async () => setting.snapshot ?? snapshot())
  const workMerged = vi.fn(async () => ok(undefined))
  const code = await worktrees(command.value, {
    review: { list, ...setting.review } as unknown as Review,
    workMerged,
    folder: '/repo',
    trusted: setting.trusted ?? true,
    now: NOW,
    output: {
      write: (text) => {
        output += text
      },
    },
    errors: {
      write: (text) => {
        errors += text
      },
    },
    ask: setting.ask ?? null,
  })
  return { code, output, errors, list, workMerged }
}

test('an untrusted folder’s repository is not read', async () => {
  for (const args of ['list', 'merge writer', 'discard writer', 'discard --undo writer', 'gc']) {
    const { code, output, errors, list } = await run(args, { trusted: false })
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain('--trust')
    expect(list).not.toHaveBeenCalled()
  }
})

test('without a repository the reason is printed, with --json as a value', async () => {
  const none = snapshot({ problem: 'No git repository is here.', worktrees: [] })
  for (const args of ['list', 'merge writer', 'gc']) {
    const { code, errors } = await run(args, { snapshot: none })
    expect([code, errors]).toEqual([1, 'troupe: No git repository is here.\n'])
  }
  const { output } = await run('gc --json', { snapshot: none })
  expect(JSON.parse(output)).toEqual({ failure: { type: 'problem', message: 'No git repository is here.' } })
})

describe('list', () => {
  test('is a table', async () => {
    const { code, output, list } = await run('list', {
      snapshot: snapshot({
        worktrees: [
          worktree({
            conflictsWith: [{ id: tester.id, files: ['a.ts', 'b.ts'] }],
            notes: ['Committed as Troupe: git knows no name.'],
          }),
          worktree({ ...tester, state: 'working', ended: null, uncommitted: 2, check: null, bytes: null }),
        ],
      }),
    })
    expect(code).toBe(0)
    expect(list).toHaveBeenCalledWith('/repo', { thorough: true })
    const [head = '', first = '', second = '', ...remarks] = output.split('\n')
    const cells = (line: string) => line.split(/ {2,}/)
    expect(cells(head).join()).toBe('state,branch,agent,task,changes,merge check,conflicts with,size,age')
    expect(cells(first).join('; ')).toBe(
      'ready; troupe/writer-a91e42; writer; Write the docs; 2 commits, 3 files +10 −2; merges cleanly; tester-77aa01; 1.2 MB; 3 h',
    )
    expect(cells(second).join('; ')).toBe(
      'working; troupe/tester-77aa01; tester; Write the docs; 2 commits, 3 files +10 −2, 2 uncommitted; –; –; –; 3 h',
    )
    expect([first.indexOf('3 h'), second.indexOf('3 h')]).toEqual(Array(2).fill(head.lastIndexOf('age')))
    expect(remarks).toEqual([
      'writer-a91e42: conflicts with tester-77aa01 in a.ts, b.ts',
      'writer-a91e42: Committed as Troupe: git knows no name.',
      '',
    ])
  })

  test('--json keeps the published state of an orphaned worktree', async () => {
    const { output } = await run('list --json', {
      snapshot: snapshot({ worktrees: [worktree({ state: 'orphaned' })] }),
    })
    expect(JSON.parse(output).worktrees).toMatchObject([{ id: 'writer-a91e42', state: 'leftover' }])
  })

  test.each([
    [{ state: 'ready', ended: 'failed' }, /^ready \(failed\) /m],
    [{ state: 'orphaned', folderGone: true }, /^orphaned, no folder /m],
    [
      { check: { kind: 'conflicts', files: ['a.ts', 'b.ts'] } },
      /conflicts in 2 files .*\n.*: conflicts in a\.ts, b\.ts$/m,
    ],
    [{ target: 'dev' }, /merges cleanly \(into dev\)/],
    [{ resolving: ['a.ts'] }, /: unresolved conflicts in a\.ts$/m],
    [{ problem: 'Its folder can’t be read.' }, /: Its folder can’t be read\.$/m],
    [
      {
        state: 'merged',
        check: { kind: 'nothing' },
        merged: { into: 'dev', commit: 'c', method: 'merge', at: 0 },
      },
      /^merged .*merged into dev/m,
    ],
    [{ agentName: 'hide\u202e' }, /hide⟨RLO⟩/],
    [{ task: 'Hide\u202e\u001b[31m' }, /Hide⟨RLO⟩⟨ESC⟩/],
  ] as const)('prints %j', async (more, expected) => {
    const { output } = await run('list', { snapshot: snapshot({ worktrees: [worktree(more as never)] }) })
    expect(output).toMatch(expected)
  })

  test('prints the best merge order, and discarded worktrees', async () => {
    const { output } = await run('list', {
      snapshot: snapshot({
        order: ['tester-77aa01', 'writer-a91e42'],
        discarded: [{ id: 'old-1', branch: 'troupe/old-1', agentName: 'old', task: '', at: NOW - 120_000 }],
      }),
    })
    expect(output).toContain('\nFewest conflicts in this order: tester-77aa01, writer-a91e42\n')
    expect(output).toContain('\n  old-1  old, 2 min ago\n')
  })

  test('says how an agent gets a worktree if there is none', async () => {
    const { code, output } = await run('list', { snapshot: snapshot({ worktrees: [] }) })
    expect(code).toBe(0)
    expect(output).toMatch(/^No worktrees\. .*isolation: worktree/)
  })

  test('--json is the snapshot itself', async () => {
    const { output } = await run('list --json')
    expect(JSON.parse(output)).toEqual(snapshot())
  })
})

describe('a worktree’s name', () => {
  const merge = async () => ok({ into: 'main', commit: 'c'.repeat(40), commits: 2, files: 3 })

  test.each(['writer-a91e42', 'troupe/writer-a91e42', 'wri', 'troupe/w'])('%s', async (name) => {
    const merging = vi.fn(merge)
    expect((await run(`merge ${name}`, { review: { merge: merging } })).code).toBe(0)
    expect(merging).toHaveBeenCalledWith({ folder: '/repo', id: 'writer-a91e42' }, expect.anything())
  })

  test('also its agent’s name, where no other worktree has it', async () => {
    const merging = vi.fn(merge)
    const all = [worktree({ id: 'fix-it-a91e42', branch: 'troupe/fix-it-a91e42' }), tester]
    await run('merge writer', { snapshot: snapshot({ worktrees: all }), review: { merge: merging } })
    expect(merging.mock.calls).toMatchObject([[{ id: 'fix-it-a91e42' }, {}]])
  })

  test('an exact name wins over a longer name with the same prefix', async () => {
    const longer = worktree({ id: 'writer-a91e42b', branch: 'troupe/writer-a91e42b' })
    const merging = vi.fn(merge)
    await run('merge writer-a91e42', {
      snapshot: snapshot({ worktrees: [longer, worktree()] }),
      review: { merge: merging },
    })
    expect(merging.mock.calls).toMatchObject([[{ id: 'writer-a91e42' }, {}]])
  })

  test('without a unique match the message lists the candidates', async () => {
    for (const [name, message] of [
      ['troupe/', '"troupe/" matches several: writer-a91e42, tester-77aa01'],
      ['nobody', '"nobody" matches none of the worktrees. Available: writer-a91e42, tester-77aa01.'],
    ]) {
      const { code, errors } = await run(`merge ${name}`)
      expect(code).toBe(1)
      expect(errors).toContain(message)
    }
    const { errors } = await run('merge x', { snapshot: snapshot({ worktrees: [] }) })
    expect(errors).toContain('There are no worktrees here.')
  })
})

describe('merge', () => {
  test('prints the branch’s new commit', async () => {
    const merge = vi.fn(async () => ok({ into: 'dev', commit: 'c0ffee1234567', commits: 1, files: 3 }))
    const { code, output, workMerged } = await run('merge writer --method squash --into dev --message Docs', {
      review: { merge },
    })
    expect(code).toBe(0)
    // An attempt of a comparison is recorded as merged there.
    expect(workMerged).toHaveBeenCalledWith({
      conversationId: expect.any(String),
      agentId: expect.any(String),
      merged: { into: 'dev', commit: 'c0ffee1234567' },
    })
    expect(output).toContain('is merged into dev, which is now at c0ffee1234 (1 commit, 3 files)')
    expect(merge).toHaveBeenCalledWith(expect.anything(), { method: 'squash', into: 'dev', message: 'Docs' })
    const { output: json } = await run('merge writer --json', { review: { merge } })
    expect(JSON.parse(json)).toEqual({
      id: 'writer-a91e42',
      method: 'merge',
      into: 'dev',
      commit: 'c0ffee1234567',
      commits: 1,
      files: 3,
    })
    expect(merge).toHaveBeenLastCalledWith(expect.anything(), { method: 'merge', into: null })
  })

  test('with conflicts lists files and reasons', async () => {
    const review: Partial<Review> = {
      merge: async () => fail({ type: 'conflicts', message: 'It conflicts in 1 file.' }),
      conflicts: async () =>
        ok([
          {
            path: 'src/a.ts',
            text: '<<<<<<<',
            version: 'v1',
            base: null,
            ours: null,
            theirs: null,
            because: 'both changed it',
          },
        ]),
    }
    const { code, output, errors } = await run('merge writer --json', { review })
    expect(code).toBe(1)
    expect(errors).toBe('troupe: It conflicts in 1 file.\n  src/a.ts  both changed it\n')
    expect(JSON.parse(output)).toEqual({
      failure: { type: 'conflicts', message: 'It conflicts in 1 file.' },
      id: 'writer-a91e42',
      files: [{ path: 'src/a.ts', because: 'both changed it' }],
    })
  })

  test('of single commits passes them in order', async () => {
    const merge = vi.fn(async () => ok({ into: 'main', commit: 'c0ffee1234567', commits: 2, files: 3 }))
    const { output } = await run('merge writer --cherry-pick 4567def --cherry-pick 0123abc', {
      review: { merge },
    })
    expect(output).toContain('2 commits of troupe/writer-a91e42 picked into main, which is now at c0ffee1234')
    expect(merge).toHaveBeenCalledWith(expect.anything(), {
      method: 'cherry-pick',
      into: null,
      commits: ['4567def', '0123abc'],
    })
    const failure = { type: 'conflicts', message: 'The commit 4567def conflicts in a.txt.' } as const
    const refused = await run('merge writer --cherry-pick 4567def', {
      review: { merge: async () => fail(failure) },
    })
    expect(refused).toMatchObject({ code: 1, errors: `troupe: ${failure.message}\n` })
  })

  test('is refused while the agent runs', async () => {
    const merge = async () => fail({ type: 'in-use' as const, message: 'Its agent works in it.' })
    expect(await run('merge writer', { review: { merge } })).toMatchObject({
      code: 1,
      output: '',
      errors: 'troupe: Its agent works in it.\n',
    })
  })
})

describe('discard', () => {
  const unmerged = (calls: (string | null)[] = []): Partial<Review> => ({
    discard: async (_, confirm) => {
      calls.push(confirm)
      return confirm === 'troupe/writer-a91e42'
        ? ok(undefined)
        : fail({
            type: 'confirm',
            stakes: 'Not merged',
            message: 'Not merged. To discard the worktree anyway, type its name',
          })
    },
  })

  test('of merged work needs no confirmation', async () => {
    const discard = vi.fn(async () => ok(undefined))
    const { code, output } = await run('discard writer', { review: { discard } })
    expect(code).toBe(0)
    expect(output).toContain('discard --undo writer-a91e42')
    expect(discard).toHaveBeenCalledWith({ folder: '/repo', id: 'writer-a91e42' }, null)
  })

  test('of unmerged work needs the branch’s name, typed or as an option', async () => {
    const without = await run('discard writer', { review: unmerged() })
    expect(without.code).toBe(1)
    expect(without.errors).toContain('type its name (--confirm troupe/writer-a91e42)')
    const wrong = await run('discard writer --confirm writer', { review: unmerged() })
    expect(wrong.code).toBe(1)
    expect((await run('discard writer --confirm troupe/writer-a91e42', { review: unmerged() })).code).toBe(0)

    const calls: (string | null)[] = []
    const questions: string[] = []
    const answers = ['no', ' troupe/writer-a91e42 ']
    const ask = async (question: string) => {
      questions.push(question)
      return answers.shift() ?? ''
    }
    const wrongly = 'discard writer --confirm writer'
    expect((await run(wrongly, { review: unmerged(), ask })).code).toBe(1)
    expect(questions).toEqual([])
    expect((await run('discard writer', { review: unmerged(calls), ask })).code).toBe(1)
    expect(calls).toEqual([null])
    expect((await run('discard writer', { review: unmerged(calls), ask })).code).toBe(0)
    expect(calls).toEqual([null, null, 'troupe/writer-a91e42'])
    expect(questions[0]).toBe('Not merged. To discard the worktree anyway, type its name\nBranch name: ')
  })

  test('--undo restores it', async () => {
    const undoDiscard = vi.fn(async () => ok(undefined))
    const discarded = [{ id: 'old-1', branch: 'troupe/old-1', agentName: 'old', task: '', at: 0 }]
    const setting = { snapshot: snapshot({ discarded }), review: { undoDiscard } }
    const { code, output } = await run('discard --undo old', setting)
    expect([code, output]).toEqual([0, 'troupe/old-1 is restored, with its worktree.\n'])
    expect(undoDiscard).toHaveBeenCalledWith({ folder: '/repo', id: 'old-1' })
    expect((await run('discard --undo writer', setting)).errors).toContain(
      '"writer" matches none of the discarded worktrees. Available: old-1.',
    )
  })
})

describe('gc', () => {
  test('prints the removed worktrees, and why others stay', async () => {
    const removeMerged = async () =>
      ok({ removed: ['writer-a91e42'], kept: [{ id: 'tester-77aa01', because: 'its agent is running' }] })
    const { code, output } = await run('gc', { review: { removeMerged } })
    expect([code, output]).toEqual([
      0,
      'removed: writer-a91e42\nkept: tester-77aa01 (its agent is running)\n',
    ])
    expect(JSON.parse((await run('gc --json', { review: { removeMerged } })).output)).toEqual({
      dryRun: false,
      removed: ['writer-a91e42'],
      kept: [{ id: 'tester-77aa01', because: 'its agent is running' }],
    })
  })

  test('--dry-run removes nothing', async () => {
    const { code, output } = await run('gc --dry-run', {
      snapshot: snapshot({
        worktrees: [
          worktree({ state: 'merged' }),
          worktree({ id: 'b', state: 'merged', uncommitted: 1 }),
          worktree({ id: 'c', state: 'working' }),
          worktree({ id: 'd', state: 'orphaned' }),
        ],
      }),
    })
    expect(code).toBe(0)
    expect(output).toBe(
      [
        'would be removed: writer-a91e42',
        'kept: b (1 file has uncommitted changes)',
        'kept: c (its agent is running)',
        'kept: d (not merged: 3 files +10 −2)',
        '',
      ].join('\n'),
    )
  })
})
