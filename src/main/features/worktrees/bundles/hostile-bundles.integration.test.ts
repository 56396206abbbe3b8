/** Bundles from a sender or a worker that lies. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../../platform/git/commit-tree.ts'
import { createGit } from '../../../platform/git/git-client.ts'
import { filesIn, type GitBench, gitBench } from '../testing/git-bench.ts'
import { receiveBundle } from './receive-bundle.ts'

const LIMITS = { maxBytes: 20_000_000, maxCheckoutBytes: 10_000_000 }

/** A repository that makes bundles, and one that receives them, with the first commit of the other. */
async function twoRepositories() {
  const bench = await gitBench()
  const from = await bench.repository('from', { 'a.txt': 'one\n' })
  const first = bench.run(from, 'rev-parse', 'HEAD').trim()
  bench.run(bench.folder, 'clone', '-q', '--bare', '--no-local', from, 'to.git')
  return { bench, from, first, to: join(bench.folder, 'to.git') }
}

type Repositories = Awaited<ReturnType<typeof twoRepositories>>

const git = (bench: GitBench, folder: string, args: readonly string[], input: string | Buffer = ''): Buffer =>
  execFileSync('git', args, {
    cwd: folder,
    input,
    env: { ...bench.environment, ...NOBODY },
    maxBuffer: 64 * 1024 * 1024,
  })

const object = ({ bench, from }: Repositories, type: string, content: string | Buffer): string =>
  git(bench, from, ['hash-object', '-w', '-t', type, '--literally', '--stdin'], content).toString().trim()

/** A tree object with these entries as they are, in this order. */
function tree(repositories: Repositories, entries: readonly (readonly [string, string, string])[]): string {
  const content = entries.flatMap(([mode, name, sha]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(sha, 'hex'),
  ])
  return object(repositories, 'tree', Buffer.concat(content))
}

function commit({ bench, from, first }: Repositories, top: string): string {
  return git(bench, from, ['commit-tree', '-p', first, '-m', 'x', top]).toString().trim()
}

/** A bundle that is made by hand: any objects, any header. */
function bundleOf(
  { bench, from }: Repositories,
  { lines, objects }: { lines: readonly string[]; objects: readonly string[] },
): Buffer {
  const pack = git(bench, from, ['pack-objects', '--stdout', '-q'], objects.map((sha) => `${sha}\n`).join(''))
  return Buffer.concat([Buffer.from(`# v2 git bundle\n${lines.join('\n')}\n\n`), pack])
}

interface Sent {
  readonly content: Buffer
  readonly commit: string
  readonly announced?: { readonly sha256?: string; readonly bytes?: number }
}

async function receive({ bench, to }: Repositories, { content, commit: tip, announced = {} }: Sent) {
  const path = join(bench.folder, 'bundle')
  await writeFile(path, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const bundle = { object: 'o', sha256, bytes: content.length, commit: tip, ...announced }
  const received = createGit({ environment: bench.environment })
  return receiveBundle(received, { gitFolder: to, path, bundle, ref: 'refs/troupe/known/x', limits: LIMITS })
}

const objectsOf = async ({ bench, to }: Repositories) => ({
  refs: bench.run(to, 'for-each-ref'),
  packs: (await readdir(join(to, 'objects', 'pack'))).sort(),
  folders: (await readdir(join(to, 'objects'))).sort(),
  files: await filesIn(join(to, 'objects')),
})

const WITH_PARENT = (first: string, tip: string) => [`-${first}`, `${tip} refs/heads/x`]

type Make = (repositories: Repositories) => Sent

const withTree =
  (entries: (repositories: Repositories) => readonly (readonly [string, string, string])[]): Make =>
  (repositories) => {
    const listed = entries(repositories)
    const top = tree(repositories, listed)
    const tip = commit(repositories, top)
    const objects = [tip, top, ...listed.map(([, , sha]) => sha)]
    const below = listed.flatMap(([mode, , sha]) =>
      mode === '40000'
        ? git(repositories.bench, repositories.from, ['ls-tree', '-r', '-t', '--object-only', sha])
            .toString()
            .trim()
            .split('\n')
        : [],
    )
    return {
      commit: tip,
      content: bundleOf(repositories, {
        lines: WITH_PARENT(repositories.first, tip),
        objects: [...new Set([...objects, ...below])],
      }),
    }
  }

const blob = (repositories: Repositories, text = 'evil') => object(repositories, 'blob', text)

const good = withTree((all) => [['100644', 'b.txt', blob(all, 'good')]])

const cases: readonly (readonly [string, string, Make])[] = [
  ['no bundle', 'invalid', () => ({ content: Buffer.from('hello\n\n'), commit: 'a'.repeat(40) })],
  ['another size', 'invalid', (all) => ({ ...good(all), announced: { bytes: 7 } })],
  ['another SHA-256', 'invalid', (all) => ({ ...good(all), announced: { sha256: '0'.repeat(64) } })],
  ['another commit', 'invalid', (all) => ({ ...good(all), commit: all.first })],
  ['more than the limit', 'too-large', (all) => ({ ...good(all), announced: { bytes: 20_000_001 } })],
  [
    'two refs',
    'invalid',
    (all) => {
      const { commit: tip } = good(all)
      const lines = [...WITH_PARENT(all.first, tip), `${tip} refs/heads/main`]
      return { commit: tip, content: bundleOf(all, { lines, objects: [tip] }) }
    },
  ],
  [
    'a ref with a line that git does not know',
    'invalid',
    (all) => {
      const { commit: tip } = good(all)
      return { commit: tip, content: bundleOf(all, { lines: [`${tip} ../../x`], objects: [tip] }) }
    },
  ],
  [
    'a commit that is missing here',
    'needs-full',
    (all) => {
      const { commit: tip } = good(all)
      const lines = [`-${'b'.repeat(40)}`, `${tip} refs/heads/x`]
      return { commit: tip, content: bundleOf(all, { lines, objects: [tip] }) }
    },
  ],
  [
    'a tree without its file',
    'invalid',
    (all) => {
      const top = tree(all, [['100644', 'b.txt', blob(all, 'left out')]])
      const tip = commit(all, top)
      const lines = WITH_PARENT(all.first, tip)
      return { commit: tip, content: bundleOf(all, { lines, objects: [tip, top] }) }
    },
  ],
  [
    'a damaged pack',
    'invalid',
    (all) => {
      const { commit: tip, content } = good(all)
      content[content.length - 30] = (content[content.length - 30] ?? 0) ^ 0xff
      return { commit: tip, content }
    },
  ],
  [
    'an entry .git',
    'invalid',
    withTree((all) => [['40000', '.git', tree(all, [['100755', 'x', blob(all)]])]]),
  ],
  ['an entry .GIT', 'invalid', withTree((all) => [['100644', '.GIT', blob(all)]])],
  ['an entry ..', 'invalid', withTree((all) => [['40000', '..', tree(all, [['100644', 'x', blob(all)]])]])],
  ['an entry with a slash', 'invalid', withTree((all) => [['100644', '../../evil', blob(all)]])],
  ['an absolute entry', 'invalid', withTree((all) => [['100644', '/etc/evil', blob(all)]])],
  [
    'a link and a folder of one name',
    'invalid',
    withTree((all) => [
      ['120000', 'a', blob(all, '/tmp')],
      ['40000', 'a', tree(all, [['100644', 'evil', blob(all)]])],
    ]),
  ],
  ['a link as .gitmodules', 'invalid', withTree((all) => [['120000', '.gitmodules', blob(all, '/etc/x')]])],
  [
    'a submodule whose address is an option',
    'invalid',
    withTree((all) => [
      ['100644', '.gitmodules', blob(all, '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n')],
    ]),
  ],
  [
    'a small bundle with large files',
    'too-large',
    withTree((all) => [['100644', 'zeros', object(all, 'blob', Buffer.alloc(LIMITS.maxCheckoutBytes + 1))]]),
  ],
  [
    'a small bundle with endlessly many files',
    'too-large',
    (all) => {
      const names = Array.from({ length: 10 }, (_, index) => `d${index}`)
      let below = tree(
        all,
        names.map((name) => ['100644', name, blob(all, '')] as const),
      )
      const objects = [below, blob(all, '')]
      for (let depth = 0; depth < 9; depth++) {
        const inner = below
        below = tree(
          all,
          names.map((name) => ['40000', name, inner] as const),
        )
        objects.push(below)
      }
      const tip = commit(all, below)
      const lines = WITH_PARENT(all.first, tip)
      return { commit: tip, content: bundleOf(all, { lines, objects: [tip, ...objects] }) }
    },
  ],
]

describe('a bundle is refused, and the repository stays as it was:', () => {
  test.each(cases)('%s', async (_, type, make) => {
    const repositories = await twoRepositories()
    const before = await objectsOf(repositories)
    const refused = await receive(repositories, make(repositories))
    expect(refused).toMatchObject({ ok: false, failure: { type } })
    expect(refused.ok || refused.failure.message).toMatch(/\.$/)
    expect(await objectsOf(repositories)).toEqual(before)
  })
})

test('a good bundle made by hand is received', async () => {
  const all = await twoRepositories()
  const sent = good(all)
  expect(await receive(all, sent)).toEqual({ ok: true, value: undefined })
  expect(all.bench.run(all.to, 'rev-parse', 'refs/troupe/known/x').trim()).toBe(sent.commit)
  expect(all.bench.run(all.to, 'show', `${sent.commit}:b.txt`)).toBe('good')
  expect(all.bench.run(all.to, 'fsck', '--strict')).not.toMatch(/missing|error/)
})

test('commits with the harmless flaws of old tools are received', async () => {
  const all = await twoRepositories()
  const top = tree(all, [['0100644', 'b.txt', blob(all, 'old')]])
  const text = `tree ${top}\nparent ${all.first}\nauthor A <a> 1 +051800\ncommitter A<a> 1 +0000\n\nold\n`
  const tip = object(all, 'commit', text)
  const content = bundleOf(all, { lines: WITH_PARENT(all.first, tip), objects: [tip, top, blob(all, 'old')] })
  expect(await receive(all, { commit: tip, content })).toEqual({ ok: true, value: undefined })
})

test('what a killed process left in quarantine is removed', async () => {
  const all = await twoRepositories()
  const left = join(all.to, 'objects', 'tmp_objdir-troupe-4194303-0a')
  execFileSync('mkdir', ['-p', join(left, 'pack')])
  await writeFile(join(left, 'pack', 'tmp_pack_x'), 'x')
  await receive(all, good(all))
  await expect(readFile(join(left, 'pack', 'tmp_pack_x'))).rejects.toThrow('ENOENT')
})
