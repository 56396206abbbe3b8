/** Recorded changes and their undo on a real disk, with git and without. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ListedCall } from '../../../shared/changes/changes.ts'
import { CONVERSATION, changesBench, must } from './testing/changes-bench.ts'

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', ''].join('\n')
const all = { kind: 'all' } as const

describe.each([
  ['in a git repository', true],
  ['in a plain folder', false],
])('%s', (_, repository) => {
  test('an agent’s writes and commands go back, and come again with a redo', async () => {
    const bench = changesBench({
      repository,
      files: { 'a.txt': 'a\n', 'b/c.txt': LINES, 'gone.txt': 'gone\n' },
    })
    bench.put('user.txt', 'mine, untracked\n')
    const before = bench.files()
    await bench.write('main', 'a.txt', 'A\n')
    await bench.write('main', 'new/deep/file.txt', 'new\n')
    await bench.command('main', () => {
      bench.put('gone.txt', null)
      bench.put('user.txt', 'overwritten\n')
      renameSync(bench.path('b/c.txt'), bench.path('b/d.txt'))
      chmodSync(bench.path('a.txt'), 0o755)
      symlinkSync('a.txt', bench.path('link'))
      writeFileSync(bench.path('bytes.bin'), Buffer.from([0, 1, 2, 255]))
    })
    const after = bench.files()
    const { calls } = await bench.list()
    expect(
      calls.flatMap(({ files }) => files.map(({ letter, shown }) => `${letter} ${shown}`)).sort(),
    ).toEqual([
      'A bytes.bin',
      'A link',
      'A new/deep/file.txt',
      'D b/c.txt',
      'D gone.txt',
      'M a.txt',
      'M a.txt',
      'M user.txt',
      'R b/d.txt',
    ])
    const outcome = await bench.undo({ kind: 'agent', agentId: 'main' })
    expect(outcome.left).toEqual([])
    expect(bench.files()).toEqual(before)
    expect(() => statSync(bench.path('new'))).toThrow()
    expect((await bench.list()).calls.every(({ files }) => files.every(({ undone }) => undone))).toBe(true)
    await bench.redo()
    expect(bench.files()).toEqual(after)
    expect((await bench.list()).redo).toBeNull()
  })

  test('one agent’s lines go back while those of another agent and the user stay', async () => {
    const bench = changesBench({ repository, files: { 'f.txt': LINES } })
    const text = () => bench.text('f.txt') ?? ''
    await bench.write('ann', 'f.txt', text().replace('one', 'ONE'))
    await bench.write('ben', 'f.txt', text().replace('five', 'FIVE'))
    bench.put('f.txt', text().replace('eight', 'EIGHT'))
    const { files } = await bench.preview({ kind: 'agent', agentId: 'ann' })
    expect(files).toMatchObject([{ action: 'merged', added: 1, removed: 1 }])
    await bench.undo({ kind: 'agent', agentId: 'ann' })
    expect(text()).toBe(LINES.replace('five', 'FIVE').replace('eight', 'EIGHT'))
    expect((await bench.list()).user).toMatchObject([{ shown: 'f.txt', letter: 'M' }])
    await bench.undo({ kind: 'agent', agentId: 'ben' })
    expect(text()).toBe(LINES.replace('eight', 'EIGHT'))
  })

  test('overlapping lines are the user’s decision, and without one the file is not touched', async () => {
    const bench = changesBench({ repository, files: { 'f.txt': LINES } })
    await bench.write('ann', 'f.txt', LINES.replace('one', 'ONE').replace('five', 'ann'))
    const mine = (bench.text('f.txt') ?? '').replace('ann', 'user')
    bench.put('f.txt', mine)
    const scope = { kind: 'agent', agentId: 'ann' } as const
    const path = bench.path('f.txt')
    expect((await bench.preview(scope)).files).toMatchObject([
      { action: 'choose', conflict: { with: ['user'], lines: [{ from: 5, to: 5 }], choice: 'leave' } },
    ])
    const left = await bench.undo(scope)
    expect(left).toMatchObject({ restored: 0, merged: 0, left: [{ shown: 'f.txt' }] })
    expect(bench.text('f.txt')).toBe(mine)
    await bench.undo(scope, { [path]: 'keep' })
    expect(bench.text('f.txt')).toBe(LINES.replace('five', 'user'))
    await bench.redo()
    expect(bench.text('f.txt')).toBe(mine)
    await bench.undo(scope, { [path]: 'old' })
    expect(bench.text('f.txt')).toBe(LINES)
  })

  test('two commands at once: what both may have changed names both, what one wrote is its own', async () => {
    const bench = changesBench({ repository, files: { 'f.txt': LINES } })
    const endAnn = await bench.begin('ann')
    bench.put('early.txt', 'ann\n')
    const endBen = await bench.begin('ben')
    bench.put('both.txt', 'who\n')
    await bench.write('cy', 'f.txt', 'cy\n')
    await endAnn()
    bench.put('late.txt', 'ben\n')
    await endBen()
    const { calls } = await bench.list()
    const of = (agentId: string) =>
      calls
        .filter((call) => call.agentId === agentId)
        .flatMap(({ files }) => files.map(({ shown, maybeBy }) => [shown, maybeBy]))
    expect(of('cy')).toEqual([['f.txt', []]])
    expect(of('ann').sort()).toEqual([
      ['both.txt', ['ben']],
      ['early.txt', []],
    ])
    expect(of('ben')).toEqual([['late.txt', []]])
  })

  test('two commands at once: a file belongs to the one that names it, or else to who wrote it last', async () => {
    const bench = changesBench({ repository, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    for (const round of [1, 2]) {
      const label = (name: string) => (round === 1 ? `echo 1 > ${name}.txt` : `node write-${name}.js`)
      const endAnn = await bench.begin('ann', label('a'))
      const endBen = await bench.begin('ben', label('b'))
      bench.put('a.txt', `ann ${round}\n`)
      bench.put('b.txt', `ben ${round}\n`)
      await endBen()
      await endAnn()
    }
    const { calls } = await bench.list()
    expect(
      calls.map(({ agentId, files }) => [agentId, files.map(({ shown, alsoBy }) => [shown, alsoBy])]),
    ).toEqual([
      ['ben', [['b.txt', []]]],
      ['ann', [['a.txt', []]]],
      ['ben', [['b.txt', []]]],
      ['ann', [['a.txt', []]]],
    ])
    await bench.undo({ kind: 'agent', agentId: 'ann' })
    expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['a\n', 'ben 2\n'])
  })

  test('two scripts at once: a file belongs to the one that names it, and nobody is accused of a hidden one', async () => {
    const bench = changesBench({
      repository,
      files: {
        'w1.sh': 'echo 1 > own1.txt; rm w1.sh',
        'tools/w2.mjs': "write('own2.txt')",
        'h.sh': 'eval ...',
      },
    })
    const endAnn = await bench.begin('ann', 'sh ./w1.sh && bash h.sh')
    const endBen = await bench.begin('ben', 'node "tools/w2.mjs"; bash h.sh')
    bench.put('w1.sh', null)
    bench.put('own1.txt', 'ann\n')
    bench.put('own2.txt', 'ben\n')
    bench.put('hidden.txt', 'who\n')
    await endBen()
    await endAnn()
    const shown = (await bench.list()).calls.map(({ agentId, files }) => [
      agentId,
      files.map(({ shown: name, maybeBy, alsoBy }) => [name, maybeBy, alsoBy]).sort(),
    ])
    expect(shown).toEqual([
      [
        'ben',
        [
          ['hidden.txt', ['ann'], ['ann']],
          ['own2.txt', [], []],
        ],
      ],
      [
        'ann',
        [
          ['own1.txt', [], []],
          ['w1.sh', [], []],
        ],
      ],
    ])
    await bench.undo({ kind: 'agent', agentId: 'ann' })
    expect([bench.text('own1.txt'), bench.text('own2.txt')]).toEqual([null, 'ben\n'])
    expect(bench.text('w1.sh')).toContain('own1')
  })

  test('the user’s changes between calls are theirs', async () => {
    const bench = changesBench({ repository, files: { 'f.txt': LINES, 'g.txt': 'g\n' } })
    await bench.command('ann', () => bench.put('f.txt', 'ann\n'))
    bench.put('f.txt', 'user\n')
    bench.put('g.txt', 'user\n')
    bench.put('h.txt', 'user\n')
    await bench.command('ann', () => bench.put('i.txt', 'ann\n'))
    const { calls, user } = await bench.list()
    expect(calls.map(({ files }) => files.map(({ shown }) => shown))).toEqual([['f.txt'], ['i.txt']])
    expect(user.map(({ shown }) => shown).sort()).toEqual(['f.txt', 'g.txt', 'h.txt'])
    await bench.undo(all, { [bench.path('f.txt')]: 'keep' })
    expect([bench.text('f.txt'), bench.text('g.txt'), bench.text('h.txt'), bench.text('i.txt')]).toEqual([
      'user\n',
      'user\n',
      'user\n',
      null,
    ])
  })

  test('a file that changed after the preview stops the undo before anything is written', async () => {
    const bench = changesBench({ repository, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    await bench.write('ann', 'a.txt', 'A\n')
    await bench.write('ann', 'b.txt', 'B\n')
    const { version } = await bench.preview(all)
    bench.put('b.txt', 'user\n')
    const done = await bench.changes.undo({
      conversationId: CONVERSATION,
      scope: all,
      version,
      choices: {},
      continues: false,
    })
    expect(done).toMatchObject({ ok: false, failure: { type: 'moved' } })
    expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['A\n', 'user\n'])
  })

  test('a program that died during a call finds its changes at the next start', async () => {
    const bench = changesBench({ repository, files: { 'a.txt': 'a\n' } })
    await bench.begin('ann')
    bench.put('a.txt', 'cut off\n')
    bench.put('new.txt', 'new\n')
    const next = bench.restarted()
    const call = next.log.findLast((event) => event.type === 'tool-started')
    const ids = call?.type === 'tool-started' ? [call.toolUseId] : []
    const found = await next.journal.recover({ conversationId: CONVERSATION, agentId: 'ann' }, ids)
    expect(found.flatMap(({ files }) => files.map(({ shown }) => shown)).sort()).toEqual(['a.txt', 'new.txt'])
    expect(await next.journal.recover({ conversationId: CONVERSATION, agentId: 'ann' }, ids)).toEqual([])
  })
})

test('files that git ignores are seen, and no user’s file is taken for a new one', async () => {
  const bench = changesBench({
    repository: true,
    files: { '.gitignore': 'out/\nsecret.txt\n', 'a.txt': 'a\n' },
  })
  bench.put('secret.txt', 'secret\n')
  await bench.command('ann', () => {
    mkdirSync(bench.path('out'))
    bench.put('out/x.js', 'x')
    bench.put('out/y.js', 'y')
    bench.put('secret.txt', 'overwritten\n')
  })
  const index = readFileSync(join(bench.folder, '.git/index'))
  await bench.settled()
  // Without the list of ignored files, an old file looks new.
  await bench.command('ann', () => bench.put('.gitignore', null))
  const { calls } = await bench.list()
  expect(shownOf(calls[0])).toEqual(['A out/x.js ignored', 'A out/y.js ignored', 'M secret.txt yes'])
  expect(shownOf(calls[1])).toEqual(['D .gitignore yes'])
  await bench.undo(all)
  expect(bench.text('secret.txt')).toBe('secret\n')
  expect(bench.text('out/x.js')).toBe('x')
  expect(readFileSync(join(bench.folder, '.git/index'))).toEqual(index)
})

const shownOf = (call: ListedCall | undefined) =>
  call?.files.map(({ letter, shown, kept }) => `${letter} ${shown} ${kept}`).sort()

describe('a command can’t keep its changes from being seen', () => {
  test('by marks in the index, or in a submodule', async () => {
    const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    bench.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', bench.folder, 'sub')
    bench.git('commit', '--quiet', '--message', 'Submodule')
    await bench.settled()
    await bench.command('ann', () => {
      bench.git('update-index', '--skip-worktree', 'a.txt')
      bench.git('update-index', '--assume-unchanged', 'b.txt')
      bench.put('a.txt', 'A\n')
      bench.put('b.txt', 'B\n')
      bench.put('sub/a.txt', 'A\n')
    })
    const { calls } = await bench.list()
    expect(shownOf(calls[0])).toEqual(['M a.txt yes', 'M b.txt yes', 'M sub/a.txt ignored'])
    await bench.undo(all)
    expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['a\n', 'b\n'])
  })

  test('by a rule that ignores them, a repository of its own, or an old time of modification', async () => {
    const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n', 'node_modules/m.js': 'm\n' } })
    await bench.command('ann', () => {
      bench.put('.git/info/exclude', 'hidden.txt\n')
      bench.put('hidden.txt', 'h\n')
      mkdirSync(bench.path('nested'))
      bench.git('init', '--quiet', 'nested')
      bench.put('nested/own.txt', 'own\n')
      bench.put('node_modules/m.js', 'M\n')
      utimesSync(bench.path('node_modules/m.js'), 0, 0)
    })
    const { calls } = await bench.list()
    expect(calls[0]?.files.map(({ shown }) => shown)).toEqual(
      expect.arrayContaining(['hidden.txt', 'node_modules/m.js', 'nested/own.txt']),
    )
  })

  test.each([
    ['in a git repository', true],
    ['in a plain folder', false],
  ])('by many files, %s', async (_, repository) => {
    const bench = changesBench({ repository, files: { 'z.txt': 'z\n' } })
    const many = () => {
      for (let at = 0; at < 5200; at++) bench.put(`many/${at}.txt`, `${at}`)
      bench.put('z.txt', 'Z\n')
    }
    await bench.command('ann', many)
    const [call] = (await bench.list()).calls
    expect(call?.files.map(({ shown }) => shown)).toContain('z.txt')
    expect((call?.files.length ?? 0) + (call?.ignored ?? 0)).toBe(5201)
    expect(call?.note).toMatch(/^Many files were written in many\/ \(\d+\)\.$/)
  })

  test.each([
    ['in a git repository', true],
    ['in a plain folder', false],
  ])('by names that are not UTF-8, %s', async (_, repository) => {
    const bench = changesBench({ repository, files: { 'dir/a.txt': 'a\n' } })
    const sh = (script: string) => execFileSync('bash', ['-ec', script], { cwd: bench.folder })
    sh(`printf x > $'old\\xff'`)
    if (repository) bench.git('add', '--all')
    if (repository) bench.git('commit', '--quiet', '--message', 'Old')
    await bench.settled()
    await bench.command('ann', () => {})
    await bench.settled()
    await bench.command('ann', () => {
      sh(`printf y > $'old\\xff'; printf x > $'dir/new\\xfe'; mkdir $'f\\xff'; printf x > $'f\\xff/b'`)
    })
    const [call] = (await bench.list()).calls
    expect(shownOf(call)).toEqual(['A dir/new\uFFFD ignored', 'A f\uFFFD ignored', 'M old\uFFFD ignored'])
    await bench.settled()
    // No former look hides a change of such a file.
    await bench.command('ann', () => {
      sh(`printf z > $'old\\xff'`)
    })
    expect(shownOf((await bench.list()).calls[1])).toEqual(['M old\uFFFD ignored'])
  })

  test('by the git folder of a nested repository, which has many files', async () => {
    const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n' } })
    await bench.command('ann', () => {
      bench.git('init', '--quiet', 'nested')
      for (let at = 0; at < 30; at++) bench.put(`nested/.git/${at}`, 'x')
      bench.put('nested/own.txt', 'own\n')
    })
    const [call] = (await bench.list()).calls
    expect(shownOf(call)).toEqual(['A nested/own.txt ignored'])
    expect(call?.note).toMatch(/^Many files were written in nested\/\.git\/ \(\d+\)\.$/)
  })

  test('by paths that are too long for the system', async () => {
    const bench = changesBench({ repository: true, files: { '.gitignore': 'out\n', 'a.txt': 'a\n' } })
    const deep = 'x'.repeat(200)
    await bench.command('ann', () => {
      bench.put('a.txt', 'A\n')
      bench.put('out/b.txt', 'b\n')
      for (const folder of ['out', 'plain']) {
        mkdirSync(bench.path(folder), { recursive: true })
        const script = `i=0; while [ $i -lt 25 ]; do mkdir ${deep}; cd ${deep}; i=$((i+1)); done; echo x > f`
        execFileSync('sh', ['-c', script], { cwd: bench.path(folder) })
      }
    })
    const [call] = (await bench.list()).calls
    expect(call?.files.map(({ shown }) => shown)).toEqual(expect.arrayContaining(['a.txt', 'out/b.txt']))
    expect(call?.note).toContain('Not looked at')
    for (const folder of ['out', 'plain']) execFileSync('rm', ['-rf', folder], { cwd: bench.folder })
  })

  test('by a folder that programs fill: its files are counted, and deleted ones are told', async () => {
    const bench = changesBench({ repository: true, files: { '.gitignore': 'node_modules\n' } })
    bench.put('node_modules/old/gone.js', 'x')
    bench.put('node_modules/old/stays.js', 'x')
    await bench.settled()
    await bench.command('ann', () => {
      for (let at = 0; at < 30; at++) bench.put(`node_modules/new/${at}.js`, 'x')
      bench.put('node_modules/old/gone.js', null)
    })
    const [call] = (await bench.list()).calls
    expect(call).toMatchObject({ files: [], ignored: 30 })
    expect(call?.note).toBe(
      'Many files were written in node_modules/ (30). Files were deleted, renamed or added below node_modules, node_modules/old.',
    )
  })
})

test('commits and branches of a command: files go back, git’s history stays', async () => {
  const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  await bench.command('ann', () => {
    bench.put('a.txt', 'A\n')
    bench.put('b.txt', null)
    bench.git('commit', '--quiet', '--all', '--message', 'Ann')
  })
  expect(
    (await bench.list()).calls[0]?.files.map(({ letter, shown }) => `${letter} ${shown}`).sort(),
  ).toEqual(['D b.txt', 'M a.txt'])
  await bench.undo(all)
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['a\n', 'b\n'])
  expect(bench.git('log', '--format=%s').trim().split('\n')).toEqual(['Ann', 'Begin'])
})

test.each([
  ['a branch without commits', 'git checkout --quiet --orphan other'],
  ['a new repository', 'rm -rf .git; git init --quiet'],
  ['no repository', 'rm -rf .git'],
])('after a command that leaves %s, no file of the user is taken for a new one', async (_, script) => {
  const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  await bench.settled()
  await bench.command('ann', () => {
    execFileSync('bash', ['-ec', script], { cwd: bench.folder })
    bench.put('a.txt', 'A\n')
    bench.put('c.txt', 'c\n')
  })
  expect(shownOf((await bench.list()).calls[0])?.map((shown) => shown.slice(0, 7))).toEqual([
    'A c.txt',
    'M a.txt',
  ])
  await bench.undo(all)
  expect([bench.text('b.txt'), bench.text('c.txt')]).toEqual(['b\n', null])
})

test('line ends of the checkout come back, also from git', async () => {
  const bench = changesBench({
    repository: true,
    files: { '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'a\r\nb\r\n' },
  })
  bench.git('add', '--all', '--renormalize')
  await bench.command('ann', () => bench.put('a.txt', 'A\n'))
  await bench.undo(all)
  expect(bench.text('a.txt')).toBe('a\r\nb\r\n')
})

test('back to a message: what came after goes, what came before stays', async () => {
  const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n' } })
  bench.say('first')
  await bench.write('ann', 'a.txt', 'first\n')
  const seq = bench.say('second')
  await bench.write('ben', 'a.txt', 'second\n')
  await bench.write('ben', 'b.txt', 'second\n')
  const { messages, messageText, files } = await bench.preview({ kind: 'message', seq })
  expect({ messages, messageText, actions: files.map(({ action }) => action) }).toEqual({
    messages: 1,
    messageText: 'second',
    actions: ['restored', 'deleted'],
  })
  const outcome = await bench.undo({ kind: 'message', seq })
  expect(outcome.conversationId).toBe('c-2')
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['first\n', null])
})

test('a folder in the path that became a link is not followed', async () => {
  const bench = changesBench({ repository: false, files: { 'd/a.txt': 'a\n', 'other/a.txt': 'A\n' } })
  await bench.write('ann', 'd/a.txt', 'A\n')
  rmSync(bench.path('d'), { recursive: true })
  symlinkSync('other', bench.path('d'))
  const outcome = await bench.undo(all, { [bench.path('d/a.txt')]: 'old' })
  expect(outcome.left).toHaveLength(1)
  expect(bench.text('other/a.txt')).toBe('A\n')
})

test('content that is not kept is said before, and its file is not touched', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': 'a\n' } })
  await bench.command('ann', () => writeFileSync(bench.path('big.bin'), Buffer.alloc(33 * 1024 * 1024)))
  const preview = await bench.preview(all)
  expect(preview.files).toMatchObject([{ action: 'impossible', reason: expect.stringContaining('32 MB') }])
  expect(
    must(await bench.changes.list({ conversationId: CONVERSATION })).calls[0]?.files[0]?.cannot,
  ).toContain('32 MB')
})

test('an undo that a crash cut off is recorded as far as it went', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  await bench.write('ann', 'a.txt', 'A\n')
  await bench.write('ann', 'b.txt', 'B\n')
  const { calls } = await bench.list()
  await bench.undo(all)
  const undone = bench.log.findLast((event) => event.type === 'changes-undone')
  // The program ended before its event, and after the first of two files.
  const log = bench.log as unknown[]
  log.splice(log.indexOf(undone), 1)
  bench.put('b.txt', 'B\n')
  writeFileSync(join(bench.data, CONVERSATION, 'undo.json'), JSON.stringify(undone))
  const after = await bench.restarted().list()
  const states = after.calls.flatMap(({ files }) =>
    files.map(({ shown, undone: isUndone }) => [shown, isUndone]),
  )
  expect(calls).toHaveLength(2)
  expect(states).toEqual([
    ['a.txt', true],
    ['b.txt', false],
  ])
})

test('an agent’s worktree: undone there while it exists; after a merge Review undoes it', async () => {
  const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n' } })
  const path = bench.worktree('ann')
  await bench.write('ann', 'a.txt', 'A\n')
  await bench.command('ann', () => writeFileSync(join(path, 'b.txt'), 'b\n'))
  await bench.write('ben', 'c.txt', 'c\n')
  expect((await bench.list()).agents).toMatchObject([
    { agentId: 'ann', worktree: { path, state: 'present' } },
    { agentId: 'ben', worktree: null },
  ])
  await bench.undo({ kind: 'agent', agentId: 'ann' })
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n')
  expect(() => statSync(join(path, 'b.txt'))).toThrow()
  await bench.redo()
  expect([bench.text('a.txt'), bench.text('c.txt')]).toEqual(['a\n', 'c\n'])

  bench.git('-C', path, 'add', '--all')
  bench.git('-C', path, 'commit', '--quiet', '--message', 'Ann')
  const head = bench.git('-C', path, 'rev-parse', 'HEAD').trim()
  bench.saved('ann', head)
  bench.git('worktree', 'remove', path)
  expect((await bench.list()).agents[0]?.worktree?.state).toBe('gone')
  bench.git('merge', '--quiet', head)
  const list = await bench.list()
  expect(list.agents[0]?.worktree?.state).toBe('merged')
  expect(list.calls[0]?.files[0]?.cannot).toContain('Review undoes a merge.')
  const outcome = await bench.undo(all)
  expect(outcome.left.map(({ shown }) => shown).sort()).toEqual(['a.txt', 'b.txt'])
  expect([bench.text('a.txt'), bench.text('c.txt')]).toEqual(['A\n', null])
})

test('another agent’s file in the same folder stays when one of three agents is undone', async () => {
  const bench = changesBench({ repository: true, files: { 'a.txt': 'a\n' } })
  for (const agent of ['ann', 'ben', 'cy']) await bench.write(agent, `${agent}.txt`, `${agent}\n`)
  await bench.undo({ kind: 'agent', agentId: 'ben' })
  expect([bench.text('ann.txt'), bench.text('ben.txt'), bench.text('cy.txt')]).toEqual([
    'ann\n',
    null,
    'cy\n',
  ])
})

test('one file and one call are undone by themselves', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': 'a\n' } })
  const first = await bench.write('ann', 'a.txt', 'a\nfirst\n')
  await bench.write('ann', 'b.txt', 'b\n')
  await bench.undo({ kind: 'file', path: bench.path('b.txt'), agentId: null })
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['a\nfirst\n', null])
  await bench.undo({ kind: 'call', agentId: 'ann', toolUseId: first })
  expect(bench.text('a.txt')).toBe('a\n')
  // The last undo is redone first.
  await bench.redo()
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['a\nfirst\n', null])
  await bench.redo()
  expect(bench.text('b.txt')).toBe('b\n')
  expect(await bench.changes.previewRedo({ conversationId: CONVERSATION, choices: {} })).toMatchObject({
    ok: false,
    failure: { type: 'not-found' },
  })
})

test('the history of a file has each change that is not undone, with its author', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': LINES } })
  const one = LINES.replace('one', 'ONE')
  const two = one.replace('four', 'FOUR')
  const mine = two.replace('eight', 'mine')
  await bench.write('main', 'a.txt', one)
  await bench.write('helper', 'a.txt', two)
  bench.put('a.txt', mine)
  expect(await bench.history('a.txt')).toEqual([
    [null, LINES],
    ['main', one],
    ['helper', two],
    ['you', mine],
  ])
  await bench.undo({ kind: 'agent', agentId: 'main' })
  expect(await bench.history('a.txt')).toEqual([
    [null, LINES],
    ['helper', LINES.replace('four', 'FOUR')],
    ['you', LINES.replace('four', 'FOUR').replace('eight', 'mine')],
  ])
})
