/** `troupe worktrees …` on worktrees that agents of `troupe run` left, with real git. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { identityOf } from '../../../platform/system/process-identity.ts'
import { createTranscriptStore } from '../../../platform/transcripts/create-transcript-store.ts'
import { type CommandLine, commandLine, jsonLines } from '../../../testing/command-line.ts'

/** Three agents in worktrees: one writes its own file, two write the same file. */
const CREW = `steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Alpha, prompt: "Write alpha.txt saying a", isolation: worktree }
      - tool: Agent
        input: { description: Beta, prompt: "Write shared.txt saying beta", isolation: worktree }
      - tool: Agent
        input: { description: Gamma, prompt: "Write shared.txt saying gamma", isolation: worktree }
  - agent: /main agent/
    reply: Done.
  - agent: /Write (\\S+) saying (\\S+)/
    turn: 1
    reply:
      - tool: Write
        input: { file_path: "{{1}}", content: "{{2}}\\n" }
  - agent: /Write (\\S+) saying (\\S+)/
    reply: Written.
`

let cli: CommandLine
let conversationId: string

async function withCrew(): Promise<void> {
  cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await cli.write({ 'first.txt': 'first\n' })
  cli.git('init', '-q', '-b', 'main')
  cli.git('config', 'user.name', 'Ana')
  cli.git('config', 'user.email', 'a@example.org')
  cli.git('add', '-A')
  cli.git('commit', '-qm', 'First')
  const args = ['run', 'Go', '--permission-mode', 'acceptEdits', '--json', '--scenario']
  const ended = await cli.run([...args, await cli.scenario(CREW)])
  expect(ended.code, ended.errors).toBe(0)
  conversationId = jsonLines(ended).result.conversationId
}

const troupe = (...args: readonly string[]) => cli.run(['worktrees', ...args])
const list = async (): Promise<ReviewSnapshot> => JSON.parse((await troupe('list', '--json')).output)
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: cli.folder, encoding: 'utf8' }).trim()

function of(task: string, { worktrees }: ReviewSnapshot): ReviewWorktree {
  const found = worktrees.find((worktree) => worktree.task === task)
  if (found === undefined) throw new Error(`Nobody did ${task}.`)
  return found
}

test('agents’ work is listed, merged or refused for conflicts, and its worktrees are removed', async () => {
  await withCrew()
  const before = await list()
  const [alpha, beta, gamma] = ['Alpha', 'Beta', 'Gamma'].map((task) => of(task, before)) as [
    ReviewWorktree,
    ReviewWorktree,
    ReviewWorktree,
  ]
  expect(before.worktrees.map(({ state, target }) => [state, target])).toEqual(
    Array(3).fill(['ready', 'main']),
  )
  expect(beta).toMatchObject({
    commits: 1,
    files: 1,
    insertions: 1,
    check: { kind: 'clean' },
    conflictsWith: [{ id: gamma.id, files: ['shared.txt'] }],
    conversationId,
  })
  const { output } = await troupe('list')
  expect(output).toMatch(
    /^ready +troupe\/\S+ +general-purpose +Alpha +1 commit, 1 file \+1 −0 +merges cleanly/m,
  )

  const merged = await troupe('merge', beta.branch, '--message', 'What beta wrote')
  expect(merged).toMatchObject({ code: 0, errors: '' })
  expect(await readFile(join(cli.folder, 'shared.txt'), 'utf8')).toBe('beta\n')
  expect(git('log', '-1', '--format=%s')).toBe('What beta wrote')

  await cli.write({ 'first.txt': 'changed and not committed\n', 'new.txt': 'untracked\n' })
  const [head, status] = [git('rev-parse', 'HEAD'), git('status', '--porcelain')]
  const refused = await troupe('merge', gamma.id, '--json')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.output)).toMatchObject({
    failure: { type: 'conflicts' },
    id: gamma.id,
    files: [{ path: 'shared.txt' }],
  })
  expect(refused.errors).toContain('  shared.txt  ')
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, status])

  // The target branch is not checked out, and the commits are merged one by one.
  git('branch', 'develop')
  expect((await troupe('merge', alpha.id, '--into', 'develop', '--method', 'rebase')).code).toBe(0)
  expect(git('ls-tree', '--name-only', 'develop')).toContain('alpha.txt')
  expect((await troupe('merge', alpha.id, '--into', 'nowhere')).code).toBe(1)

  const preview = JSON.parse((await troupe('gc', '--dry-run', '--json')).output)
  expect(existsSync(beta.path)).toBe(true)
  const gone = JSON.parse((await troupe('gc', '--json')).output)
  expect(gone.removed).toContain(beta.id)
  expect(gone.kept).toEqual([{ id: gamma.id, because: expect.stringContaining('not merged') }])
  expect(preview).toMatchObject({ dryRun: true, removed: gone.removed })
  expect(existsSync(beta.path)).toBe(false)
  expect(git('branch', '--list', beta.branch)).toBe('')
  expect(existsSync(gamma.path)).toBe(true)
})

test('discarding requires the branch’s name, and can be undone', async () => {
  await withCrew()
  const gamma = of('Gamma', await list())
  await writeFile(join(gamma.path, 'open.txt'), 'not committed\n')
  const refused = await troupe('discard', gamma.id)
  expect(refused.code).toBe(1)
  expect(refused.errors).toContain(`(--confirm ${gamma.branch})`)
  expect((await troupe('discard', gamma.id, '--confirm', 'troupe/other')).code).toBe(1)
  expect((await stat(gamma.path)).isDirectory()).toBe(true)

  expect((await troupe('discard', gamma.id, '--confirm', gamma.branch)).code).toBe(0)
  expect([existsSync(gamma.path), git('branch', '--list', gamma.branch)]).toEqual([false, ''])
  const after = await list()
  expect(after.discarded).toMatchObject([{ id: gamma.id, branch: gamma.branch }])
  expect((await troupe('list')).output).toContain(`\n  ${gamma.id}  general-purpose, a moment ago\n`)

  expect((await troupe('discard', '--undo', gamma.id)).code).toBe(0)
  expect(await readFile(join(gamma.path, 'shared.txt'), 'utf8')).toBe('gamma\n')
  expect(await readFile(join(gamma.path, 'open.txt'), 'utf8')).toBe('not committed\n')
})

test('a worktree in use by another program’s agent is not changed', async () => {
  await withCrew()
  const alpha = of('Alpha', await list())
  const file = `${alpha.path}.json`
  const record = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...record, holder: await identityOf(process.pid) }))
  expect(of('Alpha', await list()).state).toBe('working')
  for (const args of [
    ['merge', alpha.id],
    ['discard', alpha.id, '--confirm', alpha.branch],
  ])
    expect(JSON.parse((await troupe(...args, '--json')).output)).toMatchObject({
      failure: { type: 'in-use' },
    })
  expect(JSON.parse((await troupe('gc', '--json')).output).removed).toEqual([])
  expect(existsSync(alpha.path)).toBe(true)
})

test('the worktrees of a deleted conversation are listed as orphaned, with their work', async () => {
  await withCrew()
  const store = createTranscriptStore({
    dataFolder: cli.dataFolder,
    clock: { now: Date.now, sleep: () => Promise.reject(new Error('not expected')) },
  })
  expect((await store.trash(conversationId)).ok).toBe(true)
  const { worktrees } = await list()
  expect(worktrees.map(({ state, commits }) => [state, commits])).toEqual(Array(3).fill(['leftover', 1]))
  expect((await troupe('merge', of('Alpha', await list()).id)).code).toBe(0)
  expect((await store.restore(conversationId)).ok).toBe(true)
  expect(of('Gamma', await list()).state).toBe('ready')
})

test('an untrusted folder, a missing repository and an empty list are reported', async () => {
  const bare = await commandLine()
  const untrusted = await bare.run(['worktrees', 'list', '--json'])
  expect(JSON.parse(untrusted.output)).toMatchObject({ failure: { type: 'not-trusted' } })
  expect(untrusted.code).toBe(1)
  const none = await bare.run(['worktrees', 'list', '--trust'])
  expect(none.code).toBe(1)
  expect(none.errors).toMatch(/^troupe: .*(repository|git init)/)
  bare.git('init', '-q')
  bare.git('commit', '-q', '--allow-empty', '-m', 'First')
  const empty = await bare.run(['worktrees', 'list', '--trust'])
  expect(empty).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('isolation: worktree') })
  expect((await bare.run(['worktrees', 'list', '--cwd', 'nowhere'])).code).toBe(2)
})
