/**
 * Random edits by several agents, by tools and by commands, then undos in any order: at the end the files are what they
 * were. TROUPE_UNDO_RUNS sets the number of runs.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChangesBench, changesBench } from './testing/changes-bench.ts'

const RUNS = Number(process.env['TROUPE_UNDO_RUNS'] ?? 8)

const agents = ['ann', 'ben', 'cy']
const names = ['a.txt', 'b.txt', 'd/a.txt', 'd/e/b.txt', 'data.bin']
const START = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'd/a.txt': 'one\r\ntwo\r\n', 'data.bin': 'a\0b' }

const name = fc.constantFrom(...names)
const content = fc.oneof(
  fc
    .array(fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six', ''), { maxLength: 8 })
    .map((lines) => lines.join('\n')),
  fc.constantFrom('', 'no end', 'a\0c', 'x\r\ny\r\n'),
)
const edit = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name, content }),
  fc.record({ kind: fc.constant('append' as const), name, content }),
  fc.record({ kind: fc.constant('delete' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), name, to: name }),
  fc.record({ kind: fc.constant('mode' as const), name, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  fc.record({ kind: fc.constant('commit' as const) }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      agent: fc.constantFrom(...agents),
      name,
      content,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      agent: fc.constantFrom(...agents),
      edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('undo' as const), agent: fc.constantFrom(...agents) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redo' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const isFile = (path: string) => existsSync(path) && lstatSync(path).isFile()
const isFree = (path: string) => !existsSync(path) || lstatSync(path).isFile()

function perform(bench: ChangesBench, change: Edit): void {
  const isRepository = existsSync(bench.path('.git'))
  if (change.kind === 'commit') {
    if (isRepository) {
      bench.git('add', '--all')
      bench.git('commit', '--quiet', '--allow-empty', '--message', 'Work')
    }
    return
  }
  const path = bench.path(change.name)
  if (change.kind === 'put' && isFree(path)) bench.put(change.name, change.content)
  if (!isFile(path)) return
  if (change.kind === 'append') bench.put(change.name, `${bench.text(change.name)}${change.content}`)
  if (change.kind === 'delete') rmSync(path)
  // Git knows only whether a file is executable.
  if (change.kind === 'mode') chmodSync(path, change.mode === 0o600 && isRepository ? 0o644 : change.mode)
  if (change.kind === 'rename' && change.to !== change.name && isFree(bench.path(change.to))) {
    bench.put(change.to, '')
    renameSync(path, bench.path(change.to))
  }
}

async function take(bench: ChangesBench, taken: Step, choice: 'keep' | 'old'): Promise<void> {
  switch (taken.kind) {
    case 'write':
      if (isFree(bench.path(taken.name))) await bench.write(taken.agent, taken.name, taken.content)
      return
    case 'command':
      await bench.command(taken.agent, () => {
        for (const change of taken.edits) perform(bench, change)
      })
      return
    case 'settle':
      return bench.settled()
    case 'undo':
      return undoAgent(bench, taken.agent, choice)
    case 'redo': {
      const { redo } = await bench.list()
      if (redo !== null) await bench.redo()
    }
  }
}

async function undoAgent(bench: ChangesBench, agentId: string, choice: 'keep' | 'old'): Promise<void> {
  const { calls } = await bench.list()
  if (!calls.some((call) => call.agentId === agentId && call.files.length > 0)) return
  const choices = Object.fromEntries(names.map((each) => [bench.path(each), choice]))
  await bench.undo({ kind: 'agent', agentId }, choices)
}

for (const [title, repository] of [
  ['in a git repository', true],
  ['in a plain folder', false],
] as const)
  test(`undos in any order lead back to the first files, ${title}`, {
    timeout: 300_000 + RUNS * 1000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 7 }),
        fc.shuffledSubarray(agents, { minLength: 3 }),
        fc.constantFrom('keep' as const, 'old' as const),
        async (steps, order, choice) => {
          const bench = changesBench({ repository, files: START })
          const before = bench.files()
          await bench.settled()
          for (const taken of steps) await take(bench, taken, choice)
          for (const agent of order) await undoAgent(bench, agent, choice)
          expect(bench.files()).toEqual(before)
          expect(readdirSync(bench.folder).filter((each) => each.endsWith('.tmp'))).toEqual([])
          // Nothing is left to undo, and nothing was taken for the user's.
          expect((await bench.list()).user).toEqual([])
        },
      ),
      { numRuns: RUNS, seed: RUNS > 8 ? Date.now() : 43 },
    )
  })
