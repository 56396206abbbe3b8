import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorktreeRecords } from '../worktree-records.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

const RUNS = 12

let repository: ReviewRepository
/** A checkout in which git itself merges the branches. */
let beside: string

beforeAll(async () => {
  repository = await createReviewRepository()
  beside = join(repository.home, 'beside')
  await repository.run(repository.folder, 'worktree', 'add', '-q', '--detach', beside)
})
afterAll(() => repository.remove())

const FILES = ['one.txt', 'two.txt', 'folder/three.txt', 'folder/four.txt']
const BASE = new Map(FILES.slice(0, 3).map((path) => [path, lines(path, 9)]))

const edit = fc.record({
  kind: fc.constantFrom('change', 'change', 'change', 'insert', 'remove', 'delete', 'add', 'rename'),
  path: fc.constantFrom(...FILES),
  other: fc.constantFrom(...FILES, 'new/five.txt'),
  line: fc.nat({ max: 9 }),
  text: fc.constantFrom('x', 'y', 'z'),
})
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never
const branch = fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 })
const plan = fc.record({
  branches: fc.array(branch, { minLength: 2, maxLength: 3 }),
  methods: fc.array(fc.constantFrom('merge', 'merge', 'squash', 'rebase'), { minLength: 3, maxLength: 3 }),
})

function edited(
  files: ReadonlyMap<string, string>,
  { kind, path, other, line, text }: Edit,
): Map<string, string> {
  const next = new Map(files)
  const content = files.get(path)
  if (content === undefined) return kind === 'add' ? next.set(path, lines(text, 4)) : next
  const rows = content.split('\n')
  if (kind === 'change') rows[line % rows.length] = text
  if (kind === 'insert') rows.splice(line, 0, text)
  if (kind === 'remove') rows.splice(line, 1)
  next.set(path, rows.join('\n'))
  if (kind === 'delete' || kind === 'rename') next.delete(path)
  if (kind === 'rename') next.set(other, content)
  return next
}

/** Creates branches with commits, all from one base, in one git call. */
async function makeBranches(name: string, branches: readonly Edit[][][]): Promise<string> {
  const stream: string[] = []
  const commit = (
    ref: string,
    { from, files, message }: { from: string | null; files: ReadonlyMap<string, string>; message: string },
  ) => {
    stream.push(
      `commit ${ref}\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata ${message.length}\n${message}\n`,
    )
    if (from !== null) stream.push(`from ${from}\n`)
    stream.push('deleteall\n')
    for (const [path, text] of files) stream.push(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`)
  }
  commit(`refs/heads/${name}`, { from: null, files: BASE, message: 'Base' })
  for (const [index, commits] of branches.entries()) {
    const ref = `refs/heads/${name}-${index}`
    let files: ReadonlyMap<string, string> = BASE
    for (const [step, edits] of commits.entries()) {
      files = edits.reduce(edited, new Map(files))
      commit(ref, { from: step === 0 ? `refs/heads/${name}` : null, files, message: `${index} ${step}` })
    }
  }
  value(await repository.git.run(repository.folder, ['fast-import', '--quiet'], { input: stream.join('') }))
  return repository.run(repository.folder, 'rev-parse', name)
}

/** Records of worktrees without folders: a merge needs only the branch. */
async function note(name: string, base: string, count: number): Promise<void> {
  const records = createWorktreeRecords({ dataFolder: repository.dataFolder, onProblem: () => {} })
  const commonFolder = join(repository.folder, '.git')
  const home = value(await records.prepare(commonFolder))
  for (let index = 0; index < count; index += 1) {
    const id = `${name}-${index}`
    const owner = { agentId: id, conversationId: 'c', name: id, color: 'blue', task: id }
    const record = {
      v: 1,
      id,
      path: join(home, id),
      branch: id,
      base,
      from: repository.folder,
      target: name,
    } as const
    const rest = {
      commonFolder,
      owner,
      createdAt: index,
      state: 'there',
      holder: null,
      ended: null,
      carriedAs: 'commit',
    } as const
    const none = {
      carried: null,
      head: null,
      merged: null,
      mergedBefore: [],
      takenBack: [],
      asked: [],
      resolving: null,
      discarded: null,
    }
    value(await records.write({ ...record, ...rest, ...none, copied: [], notes: [] }))
  }
}

/** The result of git's own merge in a checkout; null on conflicts. */
async function byGit(method: string, target: string, tip: string): Promise<string | null> {
  const call = (...args: string[]) => repository.git.answers(beside, args, { accepts: [1] })
  await repository.run(beside, 'checkout', '-q', '--detach', method === 'rebase' ? tip : target)
  const steps = {
    merge: ['merge', '-q', '--no-ff', '--no-edit', tip],
    squash: ['merge', '-q', '--squash', tip],
    rebase: ['rebase', '-q', target],
  }
  const done = await call(...(steps[method as keyof typeof steps] ?? []))
  const tree = done.ok && done.value.code === 0 ? await repository.run(beside, 'write-tree') : null
  if (tree === null && method === 'rebase') await call('rebase', '--abort')
  await repository.run(beside, 'reset', '-q', '--hard')
  return tree
}

let run = 0

test(`random edits, merged in sequence, give the same result as git's own merge (${RUNS} times)`, async () => {
  let conflicts = 0
  let merges = 0
  await fc.assert(
    fc.asyncProperty(plan, async ({ branches, methods }) => {
      const name = `run${++run}`
      const base = await makeBranches(name, branches)
      await note(name, base, branches.length)
      for (const [index, method] of methods.slice(0, branches.length).entries()) {
        const id = `${name}-${index}`
        const target = await repository.run(repository.folder, 'rev-parse', name)
        const its = await byGit(method, target, id)
        const key = { folder: repository.folder, id }
        const ours = await repository.review.merge(key, { method: method as 'merge', into: null })
        const now = await repository.run(repository.folder, 'rev-parse', `${name}^{tree}`)
        if (ours.ok) {
          merges += 1
          expect(now).toBe(its)
        } else if (ours.failure.type === 'conflicts') {
          conflicts += 1
          expect(its).toBeNull()
        } else {
          // The branch is fully merged: git also adds nothing, or fails on commits that are already present, or on commits
          // that change nothing together.
          expect(ours.failure.type).toBe('nothing')
          const base = await repository.run(repository.folder, 'merge-base', target, id)
          const changes = ['diff', '--name-only', base, id]
          const isEmpty = (await repository.run(repository.folder, ...changes)) === ''
          const missing = ['rev-list', '--count', '--cherry-pick', '--right-only', `${target}...${id}`]
          if (its !== null)
            expect(its).toBe(await repository.run(repository.folder, 'rev-parse', `${target}^{tree}`))
          else if (!isEmpty) expect(await repository.run(repository.folder, ...missing)).toBe('0')
        }
        if (!ours.ok) expect(await repository.run(repository.folder, 'rev-parse', name)).toBe(target)
      }
    }),
    { numRuns: RUNS },
  )
  // Both outcomes occurred.
  expect(merges).toBeGreaterThan(RUNS / 2)
  expect(conflicts).toBeGreaterThan(0)
})
