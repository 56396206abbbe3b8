import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type ScenarioRuntime, scenarioRuntime } from '../../testing/scenario-runtime.ts'

let troupe: ScenarioRuntime | null = null
afterEach(async () => {
  const refused = troupe?.server.requests.filter(({ status }) => status >= 400) ?? []
  await troupe?.close()
  troupe = null
  expect(refused.map(({ text }) => text.slice(0, 300))).toEqual([])
})

const PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.invalid',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.invalid',
}

/** Runs git in the project's folder. @returns its output */
function git(...args: string[]): string {
  const cwd = troupe?.folder ?? ''
  const env = { PATH: process.env['PATH'], HOME: cwd, ...PERSON }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim()
}

async function open(files: number, settings: object = {}): Promise<ScenarioRuntime> {
  troupe = await scenarioRuntime('worktrees', { maxParallelAgents: 20, ...settings })
  const { folder } = troupe
  git('init', '-q', '-b', 'main')
  await writeFile(join(folder, 'shared.txt'), 'start\n')
  for (let at = 0; at < files; at += 100) {
    const part = join(folder, 'src', String(at))
    await mkdir(part, { recursive: true })
    const names = Array.from({ length: Math.min(100, files - at) }, (_, index) => `file-${at + index}.txt`)
    await Promise.all(names.map((name) => writeFile(join(part, name), `${name}\n`)))
  }
  git('add', '-A')
  git('commit', '-q', '-m', 'Start')
  return troupe
}

test('20 agents create, fill and leave worktrees of one repository of 5,000 files at once, and all branches are correct', async () => {
  const { program, begin, events, folder, home } = await open(5000)
  const before = { head: git('rev-parse', 'HEAD'), status: git('status', '--porcelain') }
  const id = await begin('Write the pieces')
  const state = await program.runtime.settled(id)
  expect(state.status).toBe('waiting')

  const saved = events.filter((event) => event.type === 'work-saved')
  expect(saved.map(({ work }) => [work.commits, work.files, work.check.kind, work.problems])).toEqual(
    Array.from({ length: 20 }, () => [1, 2, 'clean', []]),
  )
  const spawned = events.filter((event) => event.type === 'agent-spawned' && event.worktree !== null)
  expect(spawned).toHaveLength(20)
  for (const event of spawned) {
    if (event.type !== 'agent-spawned' || event.worktree === null) continue
    const piece = /\d+/.exec(event.task)?.[0]
    const { branch } = event.worktree
    expect(git('show', `${branch}:piece-${piece}.txt`)).toBe(`piece ${piece}`)
    expect(git('show', `${branch}:shared.txt`)).toBe(`start\nline of ${piece}`)
    expect(git('diff', '--name-only', 'main', branch).split('\n')).toEqual([
      `piece-${piece}.txt`,
      'shared.txt',
    ])
    expect(git('log', '-1', '--format=%s', branch)).toContain(event.task)
  }
  // The user's folder is unchanged.
  expect({ head: git('rev-parse', 'HEAD'), status: git('status', '--porcelain') }).toEqual(before)
  expect(await readFile(join(folder, 'shared.txt'), 'utf8')).toBe('start\n')
  git('fsck', '--strict')
  expect(await readdir(join(home, 'worktrees'))).toHaveLength(1)
  const told = events.findLast((event) => event.type === 'assistant-message' && event.agentId === state.id)
  expect(JSON.stringify(told)).toMatch(/on the branch troupe\/piece-\d+-\w+: 1 commit, 2 files/)
})

test('a resumed agent works in its worktree, also after its folder was deleted', async () => {
  const at = await open(0)
  const id = await at.begin('Write the pieces')
  await at.program.runtime.settled(id)
  const spawned = at.events.find((event) => event.type === 'agent-spawned' && event.task === 'Piece 7')
  if (spawned?.type !== 'agent-spawned' || !spawned.worktree) throw new Error('Piece 7 has no worktree.')
  const { path, branch } = spawned.worktree
  execFileSync('rm', ['-rf', path])
  await at.program.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId: spawned.agentId,
    content: 'Is it written?',
  })
  await at.program.runtime.settled(id)
  expect(await readFile(join(path, 'piece-7.txt'), 'utf8')).toBe('piece 7\n')
  expect(git('-C', path, 'branch', '--show-current')).toBe(branch)
  expect(at.program.runtime.state(id, spawned.agentId)).toMatchObject({ status: 'completed' })
})
