/** Comments and conflicts reach agents that have ended. Everything is real except the model and the window. */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Result } from '../../../../shared/kernel/result.ts'
import { type ScenarioRuntime, scenarioRuntime } from '../../../testing/scenario-runtime.ts'

let troupe: ScenarioRuntime | null = null
afterEach(async () => {
  await troupe?.close()
  troupe = null
})

/** Two agents wrote the same file, each in its own worktree. */
async function open() {
  troupe = await scenarioRuntime('review')
  const { folder, program, begin } = troupe
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.invalid')
  await writeFile(join(folder, 'first.txt'), 'first\n')
  git('add', '-A')
  git('commit', '-qm', 'First')
  const conversationId = await begin('Write')
  await program.runtime.settled(conversationId)
  const commands = program.handlers
  const { worktrees } = await program.review.list(folder, { thorough: true })
  const of = (task: string) => {
    const found = worktrees.find((worktree) => worktree.task === task)
    if (found === undefined) throw new Error(`Nobody did ${task}.`)
    return found
  }
  /** Resolves at the end of the agent's next run, when its work is saved. */
  const nextEnd = (agentId: string) => {
    const before = troupe?.events.length ?? 0
    return troupe?.when(
      'agent-ended',
      (event) => event.agentId === agentId && (troupe?.events.indexOf(event) ?? 0) >= before,
    )
  }
  return { troupe, folder, program, commands, of, git, nextEnd, conversationId }
}

const unwrapped = <T>(result: Result<T>): T => {
  if (result.ok) return result.value
  throw new Error(result.failure.message)
}

test('comments resume the agent in its worktree; it resolves conflicts there, and then its work merges', async () => {
  const { folder, program, commands, of, git, nextEnd } = await open()
  const [beta, gamma] = [of('Beta'), of('Gamma')]
  expect(gamma.conflictsWith).toEqual([{ id: beta.id, files: ['shared.txt'] }])

  const commented = nextEnd(gamma.agentId)
  const comment = { path: 'shared.txt', line: 1, lastLine: null, side: 'after' as const, quote: 'gamma' }
  const key = { folder, id: gamma.id }
  unwrapped(
    await commands['review.comment']({
      ...key,
      comments: [{ ...comment, text: 'Say who wrote it.' }],
      message: '',
    }),
  )
  expect((await commented)?.status).toBe('completed')
  expect(await readFile(join(gamma.path, 'shared.txt'), 'utf8')).toBe('gamma\nby gamma\n')
  expect(git('log', '--format=%s', gamma.branch).split('\n')).toHaveLength(3)

  const [asked] = unwrapped(await commands['review.changes']({ ...key, range: null })).asked
  expect(asked).toMatchObject({ changedBy: 'agent', reply: { state: 'answered', text: 'Done.' } })
  const { worktrees: listed } = await program.review.list(folder, { thorough: false })
  expect(listed.find(({ id }) => id === gamma.id)?.asked).toBe('answered')

  const plain = { method: 'merge' as const, into: null, commits: [], message: null, seen: null }
  unwrapped(await commands['review.merge']({ folder, id: beta.id, ...plain }))
  expect(await commands['review.merge']({ ...key, ...plain })).toMatchObject({
    failure: { type: 'conflicts' },
  })

  const resolved = nextEnd(gamma.agentId)
  expect(unwrapped(await commands['review.resolve']({ ...key, into: null })).files).toEqual(['shared.txt'])
  expect((await resolved)?.status).toBe('completed')
  const { worktrees } = await program.review.list(folder, { thorough: true })
  expect(worktrees.find(({ id }) => id === gamma.id)).toMatchObject({
    resolving: null,
    check: { kind: 'clean' },
  })
  unwrapped(await commands['review.merge']({ ...key, ...plain }))
  expect(await readFile(join(folder, 'shared.txt'), 'utf8')).toBe('beta\ngamma\nby gamma\n')
  expect(git('status', '--porcelain')).toBe('')
})

test('without the conversation nothing is sent, and the worktree stays unchanged', async () => {
  const { folder, program, commands, of, git, conversationId } = await open()
  const [beta, gamma] = [of('Beta'), of('Gamma')]
  const plain = { method: 'merge' as const, into: null, commits: [], message: null, seen: null }
  unwrapped(await commands['review.merge']({ folder, id: beta.id, ...plain }))
  unwrapped(await program.runtime.dispatch({ type: 'conversation.trash', conversationId }))
  const { worktrees } = await program.review.list(folder, { thorough: false })
  expect(worktrees.find(({ id }) => id === gamma.id)?.state).toBe('orphaned')
  const state = () => [
    execFileSync('git', ['status', '--porcelain'], { cwd: gamma.path, encoding: 'utf8' }),
    git('rev-parse', gamma.branch),
  ]
  const before = state()
  const refused = await commands['review.resolve']({ folder, id: gamma.id, into: null })
  expect(refused).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  expect(refused.ok ? '' : refused.failure.message).toContain('no longer exists')
  expect(state()).toEqual(before)
  expect(await readFile(join(gamma.path, 'shared.txt'), 'utf8')).toBe('gamma\n')
})
