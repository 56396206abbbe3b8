/**
 * A process that runs one command of Review and dies right before or after the n-th call of git that writes. If it
 * survives, it prints the number of such calls.
 *   node killed-review.ts <home> <repository> <id> <merge|discard|undo|resolved|undo-merge> <point>
 */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { fail, type Result } from '../../../../../shared/kernel/result.ts'
import { createGit, type Git } from '../../../../platform/git/git-client.ts'
import { createReview } from '../create-review.ts'
import { gitEnvironment } from './git-environment.ts'

// A process that is killed keeps nothing of what it compiled.
flushCompileCache()

const WRITES = [
  'add',
  'commit',
  'commit-tree',
  'hash-object',
  'merge',
  'read-tree',
  'reset',
  'update-index',
  'update-ref',
  'worktree',
  'write-tree',
]

const [home = '', folder = '', id = '', action = '', point = '0'] = process.argv.slice(2)
let reached = 0

/** Two points for each call: before and after. */
function pass(args: readonly string[]): void {
  const writes = WRITES.includes(args[0] ?? '') && args[1] !== 'list'
  if (writes && ++reached === Number(point)) process.kill(process.pid, 'SIGKILL')
}

async function mortal<T>(args: readonly string[], call: () => Promise<T>): Promise<T> {
  pass(args)
  const result = await call()
  pass(args)
  return result
}

const git = createGit({ environment: gitEnvironment(home) })
const dying: Git = {
  run: (at, args, options) => mortal(args, () => git.run(at, args, options)),
  bytes: (at, args, options) => mortal(args, () => git.bytes(at, args, options)),
  answers: (at, args, options) => mortal(args, () => git.answers(at, args, options)),
}
const review = createReview({
  git: dying,
  dataFolder: join(home, 'data'),
  now: Date.now,
  onProblem: (message) => process.stderr.write(`${message}\n`),
})
const key = { folder, id }
const actions: Readonly<Record<string, () => Promise<Result<unknown>>>> = {
  merge: () => review.merge(key, { method: 'merge', into: null }),
  'undo-merge': () => review.undoMerge(key),
  async resolved() {
    const conflicts = await review.conflicts(key, { into: null })
    if (!conflicts.ok) return conflicts
    const version = conflicts.value[0]?.version ?? ''
    const files = conflicts.value.map(({ path }) => ({ path, text: 'by hand\n' }))
    return review.mergeResolved(key, { into: null, version, files, message: null })
  },
  discard: () => review.discard(key, `troupe/${id}`),
  undo: () => review.undoDiscard(key),
}
const done = await (actions[action]?.() ??
  fail({ type: 'usage', message: `There is no action "${action}".` }))
if (!done.ok) process.stderr.write(`${done.failure.message}\n`)
process.exitCode = done.ok ? 0 : 1
